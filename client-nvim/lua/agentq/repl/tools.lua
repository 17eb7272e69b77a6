-- Tools of the agent that a person can call: tracing a function, running tests. The log shows their answers.
local client = require("agentq.client")
local logs = require("agentq.repl.logs")
local traced = require("agentq.repl.traced")

local M = {}

--- Calls a tool and shows the answer. The server runs the call through the executor of the model's calls.
---@param connection vim.lsp.Client
---@param tool string
---@param arguments table<string, any>
---@param heading string what stands above the answer in the log
function M.call(connection, tool, arguments, heading)
  local log = logs.of(connection.id)
  local process = arguments.process
  log:append({ heading }, "AgentqUser", nil, process)
  log.own_calls = log.own_calls + 1
  local printed = ""
  local stop_listening = log:listen(function(output)
    printed = printed .. (output.process == process and output.text or "")
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
      log:append(lines, not good and "AgentqError" or nil, nil, process)
    end
    log:append({ "" }, nil, nil, process)
    if good and tool == "trace_function" then
      traced.begin(log, result.places or {}, process)
    elseif good and tool == "untrace_function" and result.places then
      traced.stop(log, result.places)
    elseif good and tool == "untrace_function" then
      traced.stop_in(log, process)
    end
    require("agentq.highlights").define()
    if not err and result.tests then
      local count = require("agentq.repl.failures").show(result.tests)
      if count > 0 then
        require("agentq.say").warn(("%d test%s; :copen lists them"):format(count, count == 1 and " fails" or "s fail"))
      end
    end
    require("agentq.float").show(lines, { title = heading, groups = good and {} or { "AgentqError" } })
    require("agentq.events").fire("ToolDone", { tool = tool, result = result, error = err and err.message })
  end)
end

return M
