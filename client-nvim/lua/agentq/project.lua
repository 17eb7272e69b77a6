-- The project of a buffer, and whether the buffer is one that a server is told about.
local config = require("agentq.config")

local M = {}

--- The root folder of a buffer's project. Files below node_modules belong to the project that installed them, so the
--- package.json of a dependency never starts a second server.
---@param bufnr integer
---@return string?
---@return boolean is_project a person's option or a file marks it: it is not just where a file happens to lie
function M.root(bufnr)
  local options = config.get()
  if vim.b[bufnr].agentq_root then
    return vim.b[bufnr].agentq_root, true
  end
  if options.root_dir then
    local root = options.root_dir(bufnr)
    return root, root ~= nil
  end
  local path = vim.api.nvim_buf_get_name(bufnr)
  if path == "" or vim.bo[bufnr].buftype ~= "" then
    path = vim.fs.joinpath(vim.uv.cwd(), "_")
  end
  path = vim.fs.normalize(path)
  local dependency = path:find("/node_modules/", 1, true)
  local start = dependency and path:sub(1, dependency - 1) or vim.fs.dirname(path)
  local found = vim.fs.find(options.root_markers, { path = start, upward = true, limit = 1 })[1]
  return found and vim.fs.dirname(found) or start, found ~= nil
end

--- Whether a buffer shows a file, and not something else such as `fugitive://`.
---@param bufnr integer
---@return boolean
function M.is_file(bufnr)
  return vim.bo[bufnr].buftype == "" and vim.api.nvim_buf_get_name(bufnr):match("^%a[%w+.-]+://") == nil
end

---@param bufnr integer
---@return boolean
function M.is_source(bufnr)
  return M.is_file(bufnr) and vim.list_contains(config.get().filetypes, vim.bo[bufnr].filetype)
end

return M
