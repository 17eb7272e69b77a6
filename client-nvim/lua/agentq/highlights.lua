-- Highlight groups, all links by default so that colour schemes and users override them.
local M = {}

local links = {
  AgentqAdd = "DiffAdd",
  AgentqAddText = "DiffText",
  AgentqDelete = "DiffDelete",
  AgentqDeleteText = "DiffText",
  AgentqHunk = "Title",
  AgentqHint = "Comment",
  AgentqConflict = "WarningMsg",
  AgentqCurrent = "DiffChange",
  AgentqHidden = "ErrorMsg",
  AgentqUser = "Title",
  AgentqTool = "Identifier",
  AgentqToolDone = "DiagnosticOk",
  AgentqToolFailed = "DiagnosticError",
  AgentqWaiting = "DiagnosticWarn",
  AgentqDetail = "Comment",
  AgentqThinking = "Comment",
  AgentqVoid = "Comment",
  AgentqHeading = "@markup.heading",
  AgentqStrong = "@markup.strong",
  AgentqCode = "@markup.raw",
  AgentqFence = "Comment",
  AgentqMarker = "Special",
  AgentqNotice = "DiagnosticInfo",
  AgentqWarning = "DiagnosticWarn",
  AgentqError = "DiagnosticError",
  AgentqUsage = "NonText",
  AgentqValue = "String",
}

--- The terminal's own colours where the colour scheme names them.
local function ansi()
  local names = require("agentq.repl.ansi").names
  local fallback = { "NvimDark", "NvimLight" }
  for code = 0, 7 do
    local own = vim.g["terminal_color_" .. code]
    local colour = type(own) == "string" and own
      or (vim.o.background == "dark" and fallback[2] or fallback[1])
        .. (names[code]:gsub("Black", "Grey4"):gsub("White", "Grey2"))
    for _, bold in ipairs({ false, true }) do
      vim.api.nvim_set_hl(0, "AgentqAnsi" .. names[code] .. (bold and "Bold" or ""), {
        fg = colour,
        ctermfg = code,
        bold = bold or nil,
        default = true,
      })
    end
  end
  vim.api.nvim_set_hl(0, "AgentqAnsiBold", { bold = true, default = true })
end

local done = false

function M.define()
  if done then
    return
  end
  done = true
  local function link()
    for name, target in pairs(links) do
      vim.api.nvim_set_hl(0, name, { link = target, default = true })
    end
  end
  link()
  ansi()
  vim.api.nvim_create_autocmd("ColorScheme", {
    group = vim.api.nvim_create_augroup("agentq.highlights", { clear = true }),
    callback = function()
      link()
      ansi()
    end,
  })
end

return M
