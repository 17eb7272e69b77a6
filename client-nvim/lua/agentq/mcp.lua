-- The MCP servers that the settings name: their state, and a new start for one.
local client = require("agentq.client")
local say = require("agentq.say")

local M = {}

---@param server agentq.McpServerStatus
---@return string
function M.words(server)
  local reason = server.reason and " — " .. server.reason or ""
  return ("%s: %s, %d tool%s%s"):format(
    server.name,
    server.state,
    server.tools,
    server.tools == 1 and "" or "s",
    reason
  )
end

---@param connection vim.lsp.Client
---@param name string
local function restart_one(connection, name)
  client.request(connection, "agentq/restartMcpServer", { name = name }, function(err, server)
    if err then
      return say.error(err.message)
    end
    say.info("MCP server " .. M.words(server))
  end)
end

--- Starts a server anew; without a name the person chooses.
---@param connection vim.lsp.Client
---@param name? string
function M.restart(connection, name)
  if name then
    return restart_one(connection, name)
  end
  client.request(connection, "agentq/status", {}, function(err, status)
    if err then
      return say.error(err.message)
    elseif #(status.mcp or {}) == 0 then
      return say.info("the settings name no MCP server")
    end
    vim.ui.select(status.mcp, { prompt = "Restart which MCP server?", format_item = M.words }, function(server)
      if server then
        restart_one(connection, server.name)
      end
    end)
  end)
end

return M
