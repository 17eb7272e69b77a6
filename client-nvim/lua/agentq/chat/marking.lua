-- Highlights of whole lines in the transcript.
local M = {}

local namespace = vim.api.nvim_create_namespace("agentq.chat")

---@param bufnr integer
---@param row integer of the first line
---@param count integer lines, whose highlights of before go
---@param groups table<integer, string?> by index
function M.lines(bufnr, row, count, groups)
  M.clear(bufnr, row, count)
  for index, group in pairs(groups) do
    vim.api.nvim_buf_set_extmark(bufnr, namespace, row + index - 1, 0, { line_hl_group = group, priority = 120 })
  end
end

---@param bufnr integer
---@param row integer
---@param count integer
function M.clear(bufnr, row, count)
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, row, row + count)
end

---@param bufnr integer
---@param range {first: integer, last: integer, end_col: integer} rows
---@param group string
---@param priority integer
function M.range(bufnr, range, group, priority)
  vim.api.nvim_buf_set_extmark(bufnr, namespace, range.first, 0, {
    end_row = range.last,
    end_col = range.end_col,
    hl_group = group,
    priority = priority,
  })
end

return M
