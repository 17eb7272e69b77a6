-- Between document URIs and buffers, and the text of a buffer as text sync sends it.
local M = {}

local line_endings = { unix = "\n", dos = "\r\n", mac = "\r" }

--- The loaded buffer of a document; none is created. Neovim knows a file by other names too, such as a link's.
---@param uri string
---@return integer? bufnr
function M.loaded(uri)
  local path = vim.uri_to_fname(uri)
  return vim.fn.bufloaded(path) == 1 and vim.fn.bufnr(path) or nil
end

--- The buffer of a document, loaded and listed; a document without a file becomes a new, empty buffer.
---@param uri string
---@return integer? bufnr
---@return string? error
function M.load(uri)
  local known = M.loaded(uri)
  if known then
    return known
  end
  local bufnr = vim.fn.bufadd(vim.uri_to_fname(uri))
  local ok, err = pcall(vim.fn.bufload, bufnr)
  if not ok then
    return nil, tostring(err)
  end
  vim.bo[bufnr].buflisted = true
  return bufnr
end

--- The name of a buffer of a project; two projects of one name get their full paths.
---@param kind "chat"|"message"|"repl"
---@param root string
---@return string
function M.named(kind, root)
  local short = ("agentq://%s/%s"):format(kind, vim.fs.basename(root))
  return vim.fn.bufexists(short) == 0 and short or ("agentq://%s%s"):format(kind, root)
end

--- The whole text with the line endings of 'fileformat' and the last one of 'endofline', as vim.lsp sends it.
---@param bufnr integer
---@return string
function M.text(bufnr)
  local ending = line_endings[vim.bo[bufnr].fileformat] or "\n"
  local text = table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), ending)
  return vim.bo[bufnr].endofline and text .. ending or text
end

--- Whether there is no text at all; a last newline of 'endofline' does not count.
---@param bufnr integer
---@return boolean
function M.is_empty(bufnr)
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, 2, false)
  return #lines <= 1 and (lines[1] or "") == ""
end

--- Whether a carriage return stands inside a line, as in a file of several kinds of line endings.
---@param bufnr integer
---@return boolean
function M.has_carriage_returns(bufnr)
  return vim.api.nvim_buf_call(bufnr, function()
    return vim.fn.search("\\r", "cnw") > 0
  end)
end

--- Hex SHA-256 of the UTF-8 text.
---@param text string
---@return string
function M.sha256(text)
  return vim.fn.sha256(text)
end

--- The version text sync gave the buffer's present text.
---@param bufnr integer
---@return integer?
function M.version(bufnr)
  return vim.lsp.util.buf_versions[bufnr]
end

return M
