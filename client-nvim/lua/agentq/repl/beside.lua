-- The outcome of a form that was taken from a file, behind the last line of the form, until that line changes.
local describe = require("agentq.repl.describe")

local M = {}

local namespace = vim.api.nvim_create_namespace("agentq.result")
local WIDTH = 80

---@type table<integer, true> buffers that are watched
local watched = {}

--- A result is of the text that was evaluated: it goes with the first change of its lines.
---@param bufnr integer
local function watch(bufnr)
  if watched[bufnr] then
    return
  end
  watched[bufnr] = true
  vim.api.nvim_buf_attach(bufnr, false, {
    on_lines = function(_, _, _, first, last, last_now)
      -- Neovim moves the marks before it tells.
      vim.api.nvim_buf_clear_namespace(bufnr, namespace, first, math.max(last, last_now))
    end,
    on_detach = function()
      watched[bufnr] = nil
    end,
  })
end

--- Marks where the outcome will stand, so that it finds its line when the text moves meanwhile.
---@param origin? agentq.Origin where the form begins
---@param code string
---@return fun(shown: agentq.Description) tell
function M.place(origin, code)
  local bufnr = origin and require("agentq.buffers").loaded(origin.uri)
  if not origin or not bufnr then
    return function() end
  end
  local lines = vim.split(vim.trim(code), "\n", { plain = true })
  local row = math.min(origin.line + #lines, vim.api.nvim_buf_line_count(bufnr)) - 1
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, origin.line, row + 1)
  local id = vim.api.nvim_buf_set_extmark(bufnr, namespace, row, 0, {})
  watch(bufnr)
  return function(shown)
    local at = vim.api.nvim_buf_is_valid(bufnr) and vim.api.nvim_buf_get_extmark_by_id(bufnr, namespace, id, {}) or {}
    if not at[1] then
      return -- Somebody changed the lines.
    end
    vim.api.nvim_buf_set_extmark(bufnr, namespace, at[1], 0, {
      id = id,
      virt_text = { { " ⇒ " .. describe.short(shown.lines[1] or "", WIDTH), shown.groups[1] or "AgentqValue" } },
      virt_text_pos = "eol",
      hl_mode = "combine",
    })
  end
end

--- Takes all results away.
---@param bufnr integer
function M.clear(bufnr)
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
end

return M
