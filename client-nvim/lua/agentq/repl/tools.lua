-- Tools of the agent that a person wants too: tracing a running function, running tests. Their answers go to the log.
local client = require("agentq.client")
local logs = require("agentq.repl.logs")

local M = {}

--- Calls a tool by the executor that the model's calls go through, and shows its answer.
---@param connection vim.lsp.Client
---@param tool string
---@param arguments table<string, any>
---@param heading string what stands above the answer in the log
function M.call(connection, tool, arguments, heading)
  local log = logs.of(connection.id)
  log:append({ heading }, "AgentqUser")
  log.own_calls = log.own_calls + 1
  local printed = ""
  local stop_listening = log:listen(function(output)
    printed = printed .. output.text
  end)
  local body = next(arguments) == nil and vim.empty_dict() or arguments
  local params = { name = tool, arguments = body }
  client.request(connection, "agentq/callTool", params, function(err, result)
    local good = not err and result.success
    local text = err and err.message or good and result.content or result.error or result.content
    local lines = vim.split(require("agentq.repl.ansi").strip(text), "\n", { plain = true })
    stop_listening()
    log.own_calls = log.own_calls - 1
    log:finish_lines()
    -- A tool that evaluates has written its answer into the log already.
    if vim.trim(printed) ~= vim.trim(text) then
      log:append(lines, not good and "AgentqError" or nil)
    end
    log:append({ "" })
    require("agentq.highlights").define()
    require("agentq.float").show(lines, { title = heading, groups = good and {} or { "AgentqError" } })
    require("agentq.events").fire("ToolDone", { tool = tool, result = result, error = err and err.message })
  end)
end

return M
