-- The clients of vim.lsp that speak to our servers: which one is meant, how requests leave it, and who hears of its end.
local compat = require("agentq.compat")
local project = require("agentq.project")
local wire = require("agentq.wire")

local M = {}

M.name = "agentq"

---@type table<integer, true> clients that were asked to end: what is asked now is for the one that comes
local ending = {}

--- Somebody asked that a server ends: what is asked from now on is for the one that comes.
---@param client vim.lsp.Client
function M.end_soon(client)
  ending[client.id] = true
  client:stop()
end

--- Whether somebody asked that the server ends.
---@param client_id integer
---@return boolean
function M.is_ending(client_id)
  return ending[client_id] == true
end

--- Neovim lists a server a little longer than the server lives.
---@return vim.lsp.Client[]
local function living()
  return vim.tbl_filter(function(client)
    return not ending[client.id] and not client:is_stopped()
  end, vim.lsp.get_clients({ name = M.name }))
end

--- The server of a project, where one runs.
---@param root? string
---@return vim.lsp.Client?
function M.of_root(root)
  for _, client in ipairs(living()) do
    if client.config.root_dir == root then
      return client
    end
  end
end

--- The root folder of a buffer's project: what the person chose, else that of the server that runs for a folder around
--- the buffer, else what the disk says. So a package joins the server of its workspace, whatever marks the package.
---@param bufnr integer
---@return string?
---@return boolean is_project something says so: it is not just where a file happens to lie
function M.root(bufnr)
  local is_chosen, chosen = project.chosen(bufnr)
  if is_chosen then
    return chosen, chosen ~= nil
  end
  local roots = vim.tbl_map(function(client)
    return client.config.root_dir
  end, living())
  local held = project.holding(bufnr, roots)
  if held then
    return held, true
  end
  return project.marked(bufnr)
end

--- The client that a command given in `bufnr` speaks to: the buffer's own, else the one of the chat or of the buffer's
--- project, else the only one that runs. The server of a file's project may be starting; another one is not meant then.
---@param bufnr? integer
---@return vim.lsp.Client?
function M.current(bufnr)
  bufnr = (bufnr == nil or bufnr == 0) and vim.api.nvim_get_current_buf() or bufnr --[[@as integer]]
  local clients = living()
  for _, client in ipairs(clients) do
    if client.attached_buffers[bufnr] or client.id == vim.b[bufnr].agentq_client then
      return client
    end
  end
  local root, is_project = M.root(bufnr)
  local same = M.of_root(root)
  if same then
    return same
  end
  local is_elsewhere = project.is_source(bufnr)
    or vim.b[bufnr].agentq_root ~= nil
    or is_project and project.is_named_file(bufnr)
  return #clients == 1 and not is_elsewhere and clients[1] or nil
end

--- Those of a list that are of the current buffer's project, then the others; else in their order.
---@generic T: {client_id: integer}
---@param entries T[]
---@return T[]
function M.ours_first(entries)
  local current = M.current()
  local ours, others = {}, {}
  for _, entry in ipairs(entries) do
    table.insert(current and entry.client_id == current.id and ours or others, entry)
  end
  return vim.list_extend(ours, others)
end

--- The client of a buffer without a look at the disk, for status lines; nil where it takes more to tell.
---@param bufnr integer
---@return vim.lsp.Client?
function M.near(bufnr)
  local clients = vim.lsp.get_clients({ name = M.name })
  for _, client in ipairs(clients) do
    local root = vim.b[bufnr].agentq_root
    local is_tied = client.id == vim.b[bufnr].agentq_client or root ~= nil and client.config.root_dir == root
    if client.attached_buffers[bufnr] or is_tied then
      return client
    end
  end
  return #clients == 1 and clients[1] or nil
end

--- Sends a request. Edits of `bufnr` that vim.lsp still holds back are sent first.
---@param client vim.lsp.Client
---@param method string
---@param params table
---@param callback fun(err: lsp.ResponseError?, result: any)
---@param bufnr? integer
---@return integer? request_id
function M.request(client, method, params, callback, bufnr)
  local body = next(params) == nil and vim.empty_dict() or params
  local function handler(err, result)
    callback(err, wire.without_null(result))
  end
  -- Neovim 0.10 knows held back edits by the buffer's own number only.
  if bufnr == 0 then
    bufnr = vim.api.nvim_get_current_buf()
  end
  local sent, id = compat.request(client, method, body, handler, bufnr)
  if not sent then
    callback({ code = -32099, message = "the AgentQ server is not running" }, nil)
  end
  return id
end

---@type fun(client_id: integer)[]
local listeners = {}

--- Every feature that keeps something for a server forgets it when the server has ended.
---@param forget fun(client_id: integer)
function M.on_exit(forget)
  listeners[#listeners + 1] = forget
end

---@param client_id integer
function M.ended(client_id)
  for _, forget in ipairs(listeners) do
    forget(client_id)
  end
end

return M
