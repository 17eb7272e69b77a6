-- The agent's forms in the log of the REPL, written like the person's forms and marked as the agent's.
local events = require("agentq.events")
local logs = require("agentq.repl.logs")
local places = require("agentq.repl.places")

local M = {}

local SHOWN_COLUMNS = 100

---@param log agentq.Log
---@param params agentq.AgentEvaluation
local function begin(log, params)
  local place = params.module and " in " .. log:file(params.module) or ""
  local code = require("agentq.repl.describe").short(params.code, SHOWN_COLUMNS)
  log:append({ ("%s%s > %s"):format(params.host or "agent", place, code) }, "AgentqTool", params.evalId, params.process)
  log.agent_forms[places.key(params.evalId, params.process)] = { begun = log:count(), process = params.process }
end

---@param client_id integer
---@param params agentq.AgentEvaluation
function M.on_evaluation(client_id, params)
  require("agentq.highlights").define()
  local log = logs.of(client_id)
  local id, process = params.evalId, params.process
  local key = places.key(id, process)
  -- A form that failed before it ran is announced only once, with its result.
  if not log.agent_forms[key] then
    begin(log, params)
  end
  if not params.result then
    return
  end
  local describe = require("agentq.repl.describe")
  log:name_form(log.agent_forms[key].begun, id, describe.short(params.code), process)
  log.agent_forms[key] = nil
  places.put(log, params.result.error, process)
  local shown = describe.describe(params.result, log, { is_tool = params.isTool, process = process })
  if #shown.lines > 0 then
    log:append(shown.lines, shown.groups, id, process)
  end
  log:append({ "" }, nil, id, process)
  events.fire("AgentEvaluation", { code = params.code, result = params.result, process = process })
end

return M
