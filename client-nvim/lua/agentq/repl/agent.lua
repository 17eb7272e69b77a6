-- The agent's forms in the log of the REPL, written like the person's forms and marked as the agent's.
local events = require("agentq.events")
local logs = require("agentq.repl.logs")

local M = {}

local SHOWN_COLUMNS = 100

---@param log agentq.Log
---@param params agentq.AgentEvaluation
local function begin(log, params)
  local place = params.module and " in " .. log:file(params.module) or ""
  local code = require("agentq.repl.describe").short(params.code, SHOWN_COLUMNS)
  log:append({ ("agent%s > %s"):format(place, code) }, "AgentqTool", params.evalId)
  log.agent_forms[params.evalId] = log:count()
end

---@param client_id integer
---@param params agentq.AgentEvaluation
function M.on_evaluation(client_id, params)
  require("agentq.highlights").define()
  local log = logs.of(client_id)
  -- A form that failed before it ran is announced only once, with its result.
  if not log.agent_forms[params.evalId] then
    begin(log, params)
  end
  if not params.result then
    return
  end
  log:name_form(log.agent_forms[params.evalId], params.evalId, require("agentq.repl.describe").short(params.code))
  log.agent_forms[params.evalId] = nil
  require("agentq.repl.places").put(log, params.result.error)
  local shown = require("agentq.repl.describe").describe(params.result, log, params.isTool)
  if #shown.lines > 0 then
    log:append(shown.lines, shown.groups, params.evalId)
  end
  log:append({ "" }, nil, params.evalId)
  events.fire("AgentEvaluation", { code = params.code, result = params.result })
end

return M
