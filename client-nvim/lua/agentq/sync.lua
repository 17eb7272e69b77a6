-- Text sync beyond what vim.lsp does by itself: which buffers join a server, and texts that must be sent whole.
local buffers = require("agentq.buffers")
local compat = require("agentq.compat")
local project = require("agentq.project")

local M = {}

--- Attaches every open source file of the project, whichever buffer the server was started from.
---@param client vim.lsp.Client
function M.attach_open(client)
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    local is_open = vim.api.nvim_buf_is_loaded(bufnr) and vim.api.nvim_buf_get_name(bufnr) ~= ""
    if
      is_open
      and project.is_source(bufnr)
      and project.root(bufnr) == client.config.root_dir
      and not client:is_stopped()
    then
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
