-- Text sync beyond what vim.lsp does by itself: which buffers join a server, and texts that must be sent whole.
local buffers = require("agentq.buffers")
local clients = require("agentq.client")
local compat = require("agentq.compat")
local project = require("agentq.project")

local M = {}

--- A larger file that is no source is read from the disk.
local MOST_BYTES = 4 * 1024 * 1024

--- Whether a buffer holds a text that people write, of any size that is worth the copy that text sync keeps.
---@param bufnr integer
---@return boolean
local function is_text(bufnr)
  local bytes = vim.api.nvim_buf_get_offset(bufnr, vim.api.nvim_buf_line_count(bufnr))
  if vim.bo[bufnr].binary or bytes > MOST_BYTES or vim.fn.isdirectory(vim.api.nvim_buf_get_name(bufnr)) == 1 then
    return false
  end
  return not vim.iter(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)):any(function(line)
    return line:find("[%z\n]") ~= nil
  end)
end

--- Whether the server of a buffer's project hears of its text: files of every kind, as far as they are texts.
---@param bufnr integer
---@return boolean
function M.takes(bufnr)
  local is_open = vim.api.nvim_buf_is_valid(bufnr) and vim.api.nvim_buf_is_loaded(bufnr)
  return is_open and project.is_named_file(bufnr) and (project.is_source(bufnr) or is_text(bufnr))
end

--- A buffer that is a plugin's own by now leaves its server.
---@param bufnr integer
function M.leave(bufnr)
  local is_ours = not vim.api.nvim_buf_is_valid(bufnr) or vim.startswith(vim.api.nvim_buf_get_name(bufnr), "agentq://")
  for _, client in ipairs(is_ours and {} or vim.lsp.get_clients({ bufnr = bufnr, name = clients.name })) do
    vim.lsp.buf_detach_client(bufnr, client.id)
  end
end

--- What Neovim takes from a server that a buffer joins.
local FROM_SERVERS = {
  omnifunc = "v:lua.vim.lsp.omnifunc",
  tagfunc = "v:lua.vim.lsp.tagfunc",
  formatexpr = "v:lua.vim.lsp.formatexpr()",
}

--- Before a buffer joins: Neovim leaves an option alone that no script of Neovim's own set last, such as the completion of
--- a style sheet. Our server has nothing to say about a file that is no source.
---@param bufnr integer
function M.keep_options(bufnr)
  for name in pairs(project.is_source(bufnr) and {} or FROM_SERVERS) do
    vim.bo[bufnr][name] = vim.bo[bufnr][name]
  end
end

--- After a buffer that is no source joined: what was empty is empty again, unless another server serves the buffer.
---@param bufnr integer
function M.clear_options(bufnr)
  if project.is_source(bufnr) or not project.is_file(bufnr) or #vim.lsp.get_clients({ bufnr = bufnr }) > 1 then
    return
  end
  for name, value in pairs(FROM_SERVERS) do
    if vim.bo[bufnr][name] == value then
      vim.bo[bufnr][name] = ""
    end
  end
  vim.api.nvim_buf_call(bufnr, function()
    if vim.fn.maparg("K", "n", false, true).desc == "vim.lsp.buf.hover()" then
      vim.keymap.del("n", "K", { buffer = bufnr })
    end
  end)
end

--- Attaches every open file of the project, whichever buffer the server was started from.
---@param client vim.lsp.Client
function M.attach_open(client)
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    local is_ours = M.takes(bufnr) and clients.root(bufnr) == client.config.root_dir
    if is_ours and not client:is_stopped() then
      M.keep_options(bufnr)
      vim.lsp.buf_attach_client(bufnr, client.id)
    end
  end
end

--- Sends the edits of a buffer that vim.lsp still holds back, so that the server composes against what is on screen.
---@param client vim.lsp.Client
---@param bufnr integer
function M.flush(client, bufnr)
  local ok, tracking = pcall(require, "vim.lsp._changetracking")
  if ok and tracking.flush then
    tracking.flush(client, bufnr)
  end
end

--- Sends the whole text of a buffer. vim.lsp sends changed lines only: it never reports that the last newline came or
--- went, and it leaves one newline of a buffer that became empty.
---@param client vim.lsp.Client
---@param bufnr integer
function M.send_whole(client, bufnr)
  M.flush(client, bufnr)
  if client:is_stopped() or not vim.lsp.buf_is_attached(bufnr, client.id) then
    return
  end
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(bufnr), version = buffers.version(bufnr) },
    contentChanges = { { text = buffers.text(bufnr) } },
  }
  compat.notify(client, "textDocument/didChange", params)
end

--- Sends what is on screen of these documents.
---@param client vim.lsp.Client
---@param documents agentq.DocumentStamp[]
function M.flush_documents(client, documents)
  for _, document in ipairs(documents) do
    local bufnr = buffers.loaded(document.uri)
    if bufnr and buffers.has_carriage_returns(bufnr) then
      M.send_whole(client, bufnr)
    elseif bufnr then
      M.flush(client, bufnr)
    end
  end
end

return M
