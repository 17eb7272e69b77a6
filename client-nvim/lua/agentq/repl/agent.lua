-- The agent's forms in the log, for a person who watches: as the person's own, marked as the agent's.
local events = require("agentq.events")
local log = require("agentq.repl.log")

local M = {}

local SHOWN_COLUMNS = 100

---@type table<string, integer> by evaluation: the log's count when its form was shown
local begun = {}

---@param params agentq.AgentEvaluation
local function begin(params)
  local place = params.module and " in " .. vim.fn.fnamemodify(params.module, ":~:.") or ""
  local code = require("agentq.repl.eval").short(params.code, SHOWN_COLUMNS)
  log.append({ ("agent%s > %s"):format(place, code) }, "AgentqTool", params.evalId)
  begun[params.evalId] = log.count()
end

---@param params agentq.AgentEvaluation
function M.on_evaluation(params)
  require("agentq.highlights").define()
  -- What failed before it ran is told at its end alone.
  if not begun[params.evalId] then
    begin(params)
  end
  if not params.result then
    return
  end
  log.name_form(begun[params.evalId], params.evalId, require("agentq.repl.eval").short(params.code))
  begun[params.evalId] = nil
  local shown = require("agentq.repl.describe").describe(params.result)
  log.append(shown.lines, shown.groups, params.evalId)
  log.append({ "" }, nil, params.evalId)
  events.fire("AgentEvaluation", { code = params.code, result = params.result })
end

--- Forms that run end without an answer when their server ends.
function M.forget()
  begun = {}
end

--- Whether a form of the agent runs.
---@return boolean
function M.busy()
  return next(begun) ~= nil
end

return M
