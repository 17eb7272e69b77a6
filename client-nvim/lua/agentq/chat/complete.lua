-- Completion in the message: what the server says fits, in its order. Neovim 0.10's own function leaves out what does not
-- begin with what was typed, as a symbol's address does.
local sync = require("agentq.sync")

local M = {}

---@param item lsp.CompletionItem
---@return table
local function match(item)
  return { word = item.textEdit.newText, menu = item.detail, dup = 1 }
end

--- See |complete-functions|.
---@param find_start integer
---@return integer|table[]
function M.omnifunc(find_start)
  local bufnr = vim.api.nvim_get_current_buf()
  local connection = vim.lsp.get_clients({ bufnr = bufnr, name = "agentq" })[1]
  if find_start == 0 or not connection then
    return find_start == 0 and {} or -3
  end
  sync.flush(connection, bufnr)
  local params = vim.lsp.util.make_position_params(0, connection.offset_encoding)
  local column = vim.api.nvim_win_get_cursor(0)[2]
  return require("agentq.complete_later").start(function(show)
    require("agentq.client").request(connection, "textDocument/completion", params, function(err, result)
      local found = not err and result and result.items or {}
      -- The text to filter by is what was typed so far.
      if #found > 0 then
        show(column - #found[1].filterText, vim.tbl_map(match, found))
      end
    end, bufnr)
  end)
end

return M
