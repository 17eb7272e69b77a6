-- Completion in the message: what the server says fits, in its order. Neovim 0.10's own function leaves out what does not
-- begin with what was typed, as a symbol's address does not.
local compat = require("agentq.compat")
local sync = require("agentq.sync")

local M = {}

local PATIENCE_MS = 2000

---@type lsp.CompletionItem[]
local found = {}

---@param bufnr integer
---@return lsp.CompletionItem[]
local function ask(bufnr)
  local connection = vim.lsp.get_clients({ bufnr = bufnr, name = "agentq" })[1]
  if not connection then
    return {}
  end
  sync.flush(connection, bufnr)
  local params = vim.lsp.util.make_position_params(0, connection.offset_encoding)
  local answer = compat.request_sync(connection, "textDocument/completion", params, PATIENCE_MS)
  return answer and not answer.err and answer.result.items or {}
end

--- See |complete-functions|.
---@param find_start integer
---@return integer|table[]
function M.omnifunc(find_start)
  if find_start == 1 then
    found = ask(vim.api.nvim_get_current_buf())
    -- The text to filter by is what was typed so far.
    return #found == 0 and -3 or vim.api.nvim_win_get_cursor(0)[2] - #found[1].filterText
  end
  return vim.tbl_map(function(item)
    return { word = item.textEdit.newText, menu = item.detail, dup = 1 }
  end, found)
end

return M
