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
  AgentqUser = "Title",
  AgentqTool = "Identifier",
  AgentqToolDone = "DiagnosticOk",
  AgentqToolFailed = "DiagnosticError",
  AgentqWaiting = "DiagnosticWarn",
  AgentqDetail = "Comment",
  AgentqThinking = "Comment",
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
  vim.api.nvim_create_autocmd("ColorScheme", {
    group = vim.api.nvim_create_augroup("agentq.highlights", { clear = true }),
    callback = link,
  })
end

return M
