-- Between document URIs and buffers, and the text of a buffer as text sync sends it.
local M = {}

local line_endings = { unix = "\n", dos = "\r\n", mac = "\r" }

---@type table<integer, {tick: integer, has_any: boolean}> by buffer
local carriage_returns = {}

--- Neovim compares a path with the names of all buffers, and looks at the disk for other names of the file: what it
--- found is kept until a buffer comes that may be the one of a document, or has gone.
---@type table<string, integer> loaded buffers by URI
local found = {}
---@type table<string, {path: string, id: string?}> documents that no buffer holds, by URI
local missing = {}
---@type table<integer, string> names of buffers that were looked at, by buffer
local names = {}

--- Names a file whatever the path to it is; nil where none is.
---@param path string
---@return string?
local function id_of(path)
  local stat = vim.uv.fs_stat(path)
  return stat and ("%s:%s"):format(stat.dev, stat.ino)
end

--- A buffer came, or has another name: documents may be in it that were in none.
---@param bufnr integer
---@param name string
local function look_again(bufnr, name)
  names[bufnr] = name
  local id = name ~= "" and id_of(name) or nil
  for uri, document in pairs(missing) do
    if document.path == name or id and document.id == id then
      missing[uri] = nil
    end
  end
  for uri, other in pairs(found) do
    found[uri] = other ~= bufnr and other or nil
  end
end

local group = vim.api.nvim_create_augroup("agentq.buffers", { clear = true })

vim.api.nvim_create_autocmd({ "BufNew", "BufAdd", "BufReadPost", "BufNewFile", "BufFilePost", "BufEnter" }, {
  group = group,
  callback = function(args)
    local name = vim.api.nvim_buf_get_name(args.buf)
    -- Who enters a buffer that is known has loaded nothing; a plugin may have loaded one without any other event.
    if args.event ~= "BufEnter" or names[args.buf] ~= name then
      look_again(args.buf, name)
    end
  end,
})

vim.api.nvim_create_autocmd("BufUnload", {
  group = group,
  callback = function(args)
    names[args.buf], carriage_returns[args.buf] = nil, nil
  end,
})

--- The loaded buffer of a document; none is created. Neovim knows a file by other names too, such as a link's.
---@param uri string
---@return integer? bufnr
function M.loaded(uri)
  local known = found[uri]
  if missing[uri] then
    return nil
  elseif known and vim.api.nvim_buf_is_loaded(known) then
    return known
  end
  local path = vim.uri_to_fname(uri)
  found[uri] = vim.fn.bufloaded(path) == 1 and vim.fn.bufnr(path) or nil
  missing[uri] = not found[uri] and { path = path, id = id_of(path) } or nil
  return found[uri]
end

--- The name of a file as `:edit` gives it from where the person is: a status line shows it.
---@param uri string
---@return string
function M.name(uri)
  return vim.fn.fnamemodify(vim.uri_to_fname(uri), ":.")
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
  local bufnr = vim.fn.bufadd(M.name(uri))
  local ok, err = pcall(vim.fn.bufload, bufnr)
  missing[uri] = nil
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
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  if not carriage_returns[bufnr] or carriage_returns[bufnr].tick ~= tick then
    local has_any = vim.api.nvim_buf_call(bufnr, function()
      return vim.fn.search("\\r", "cnw") > 0
    end)
    carriage_returns[bufnr] = { tick = tick, has_any = has_any }
  end
  return carriage_returns[bufnr].has_any
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
