-- The file and the name under the cursor, in the form that commands take.
local client = require("agentq.client")
local project = require("agentq.project")

local M = {}

--- The file of the current buffer, in whose scope code can run.
---@return string?
function M.module()
  return project.is_named_file(0) and project.is_source(0) and vim.uri_from_bufnr(0) or nil
end

--- The name under the cursor, the `$` of a handle included.
---@return string
---@return integer first byte, counted from 1
function M.value()
  local line, column = vim.api.nvim_get_current_line(), vim.api.nvim_win_get_cursor(0)[2] + 1
  local from = 1
  while true do
    local first, last = line:find("[%w_$\128-\255]+", from)
    if not first or first > column then
      return "", column
    elseif column <= last then
      return line:sub(first, last), first
    end
    from = last + 1
  end
end

--- The current file as tools take it, whether its server runs or is about to.
---@return string?
function M.file()
  local root = M.module() and client.root(vim.api.nvim_get_current_buf())
  local path = vim.api.nvim_buf_get_name(0)
  return root and vim.startswith(path, root .. "/") and path:sub(#root + 2) or nil
end

return M
