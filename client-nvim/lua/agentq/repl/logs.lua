-- The logs of REPLs, one for each project.
local Log = require("agentq.repl.log")

local M = {}

---@type agentq.Log[]
local logs = {}
---@type table<integer, agentq.Log>
local by_client = {}

---@param root? string
---@return agentq.Log
local function add(root)
  local log = Log.new(root, #logs == 0)
  logs[#logs + 1] = log
  return log
end

---@param root string
---@return agentq.Log
local function of_root(root)
  for _, log in ipairs(logs) do
    if log.root == root or log.root == nil then
      log.root = root
      return log
    end
  end
  return add(root)
end

--- The log of a client's project. A restarted server goes on in the same one.
---@param client_id integer
---@return agentq.Log
function M.of(client_id)
  local known = by_client[client_id]
  if known then
    return known
  end
  local connection = vim.lsp.get_client_by_id(client_id)
  local log = of_root(connection and connection.config.root_dir or vim.uv.cwd() --[[@as string]])
  log:server_ended()
  by_client[client_id], log.client_id = log, client_id
  log:tie()
  return log
end

--- The log that a buffer shows.
---@param bufnr integer
---@return agentq.Log?
function M.shown_in(bufnr)
  for _, log in ipairs(logs) do
    if log.bufnr == bufnr then
      return log
    end
  end
end

--- The log for the current buffer; no server is started for it.
---@return agentq.Log
function M.here()
  local connection = require("agentq.client").current()
  return connection and M.of(connection.id) or M.shown_in(vim.api.nvim_get_current_buf()) or logs[1] or add()
end

--- The log of a client that has one already.
---@param client_id integer
---@return agentq.Log?
function M.known(client_id)
  return by_client[client_id]
end

--- Unties the log from a client that has ended.
---@param client_id integer
function M.forget_client(client_id)
  local log = by_client[client_id]
  by_client[client_id] = nil
  if log and log.client_id == client_id then
    log:server_ended()
  end
end

--- The name of a log's project, where there are several.
---@param log agentq.Log
---@return string?
function M.project(log)
  return #logs > 1 and log.root and vim.fs.basename(log.root) or nil
end

return M
