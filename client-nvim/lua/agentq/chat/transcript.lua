-- From the events of a turn to the lines of the transcript, on plain tables: no buffer, no window, no clock.
-- A reduction answers operations that append, or that replace the few lines of an earlier block.
local details = require("agentq.chat.details")
local passages = require("agentq.chat.passages")
local reply = require("agentq.chat.reply")
local runs = require("agentq.chat.runs")
local tool_calls = require("agentq.chat.tool_calls")

local M = {}

---@class agentq.chat.Event: agentq.TurnEvent
---@field attached? string[] what went along with the prompt
---@field groups? table<integer, string> highlight groups of a notice's lines
---@field message_of? {session_id?: string, turn_id?: string} where a message was said

---@class agentq.chat.Transcript
---@field section? "text"|"thinking"
---@field tools table<string, agentq.chat.Tool>
---@field runs agentq.chat.Run[] from the top, those that may still share a line
---@field thinking {id: string, since: number, parts: string[]}|nil
---@field thoughts integer
---@field compactions integer
---@field held agentq.chat.Event[] notices and answers to commands that wait for the end of the paragraph
---@field asked? string what the person said at the beginning of the turn
---@field in_reply boolean something of the model's present reply was shown
---@field started number
---@field tokens {input: integer, output: integer}
---@field max_result_lines integer

---@param max_result_lines? integer
---@return agentq.chat.Transcript
function M.new(max_result_lines)
  return {
    section = nil,
    tools = {},
    runs = {},
    thinking = nil,
    thoughts = 0,
    compactions = 0,
    held = {},
    in_reply = false,
    started = 0,
    tokens = { input = 0, output = 0 },
    max_result_lines = max_result_lines or 400,
  }
end

---@type table<string, fun(state: agentq.chat.Transcript, event: agentq.chat.Event, now: number, ops: agentq.chat.Op[])>
local reducers = {}

function reducers.turnStarted(state, event, now, ops)
  reply.leave(state, now, ops)
  state.in_reply = false
  state.started = now
  state.asked = event.text
  state.tokens = { input = 0, output = 0 }
  passages.prompt(event, ops)
end

function reducers.commandAnswer(state, event, _, ops)
  if state.section == "text" then
    table.insert(state.held, event)
  else
    passages.answer(state, event, ops)
  end
end

--- A message that was sent while the turn ran reached the model between two of its replies.
function reducers.queuedPrompt(state, event, now, ops)
  reply.leave(state, now, ops)
  state.in_reply = false
  passages.prompt(event, ops)
end

reducers.text = reply.text
reducers.thinking = reply.thinking

function reducers.toolCall(state, event, now, ops)
  local id = event.toolCallId --[[@as string]]
  local known = state.tools[id]
  if not known then
    if state.section == "text" then
      ops[#ops + 1] = { kind = "gap" }
    end
    reply.leave(state, now, ops)
    reply.enter(state, ops)
    state.tools[id] = { name = event.name, state = event.state }
    runs.add(state, id)
    known = state.tools[id]
  end
  known.arguments = event.arguments or known.arguments
  known.has_waited = known.has_waited or event.state == "waitingApproval"
  -- The result may have told already that the call failed; "done" does not soften that.
  known.state = known.state == "failed" and "failed" or event.state --[[@as agentq.ToolCallState]]
  vim.list_extend(ops, runs.draw(state, id))
end

function reducers.toolResult(state, event, now, ops)
  local id, result = event.toolCallId, event.result
  ---@cast id string
  ---@cast result agentq.ToolResult
  if not state.tools[id] then
    reply.leave(state, now, ops)
    state.tools[id] = { name = event.name, state = "done" }
    runs.add(state, id)
  end
  state.tools[id].result = result
  state.tools[id].state = result.success and "done" or "failed"
  vim.list_extend(ops, runs.draw(state, id))
end

--- Comes with the end of each reply.
function reducers.usage(state, event)
  state.in_reply = false
  state.tokens.input = state.tokens.input
    + (event.inputTokens or 0)
    + (event.cacheReadTokens or 0)
    + (event.cacheWriteTokens or 0)
  state.tokens.output = state.tokens.output + (event.outputTokens or 0)
end

--- What the model reads in the place of what was left out is folded below its line.
function reducers.compacted(state, event, now, ops)
  reply.leave(state, now, ops)
  state.compactions = state.compactions + 1
  local id, head = "compacted:" .. state.compactions, "⊟ " .. event.message
  ops[#ops + 1] = details.block(id, head, "AgentqNotice", function()
    return event.summary or ""
  end)
end

--- The reply so far is void and comes again.
function reducers.retrying(state, event, now, ops)
  reply.end_section(state, now, ops)
  for id, tool in pairs(state.tools) do
    if tool.state == "preparing" then
      tool.state = "void"
      vim.list_extend(ops, runs.draw(state, id))
    end
  end
  if state.in_reply then
    ops[#ops + 1] = { kind = "void_reply" }
    state.in_reply = false
  end
  reply.leave(state, now, ops)
  local line = ("↻ attempt %d failed (%s), again in %.1f s"):format(event.attempt, event.reason, event.waitMs / 1000)
  passages.lines(ops, vim.split(line, "\n", { plain = true }), "AgentqWarning")
end

--- A notice never stands inside a paragraph: it waits for the end of the text that is being written.
function reducers.notice(state, event, _, ops)
  if state.section == "text" then
    table.insert(state.held, event)
  else
    passages.notice(event, ops)
  end
end

function reducers.turnEnded(state, event, now, ops)
  reply.leave(state, now, ops)
  passages.turn_ended(state, event, now, ops)
end

--- The proposal that a call made, and what became of it.
---@param state agentq.chat.Transcript changed in place
---@param id string of the tool call
---@param proposal agentq.Proposal
---@return agentq.chat.Op[]
function M.tell_proposal(state, id, proposal)
  local tool = state.tools[id]
  if not tool then
    return {}
  end
  tool.proposal = proposal
  if proposal.state ~= "pending" and tool.state == "waitingApproval" then
    -- All is decided; the answer comes when the compiler has looked at the files.
    tool.state = "running"
  end
  return runs.draw(state, id)
end

--- What the conversation does that answers a call.
---@param state agentq.chat.Transcript changed in place
---@param id string of the tool call
---@param event agentq.TurnEvent of the other conversation
---@return agentq.chat.Op[]
function M.tell_progress(state, id, event)
  local tool = state.tools[id]
  local words = ({ text = "writes", thinking = "thinks", toolCall = event.name })[event.kind]
  if not tool or not words or tool.progress == words then
    return {}
  end
  tool.progress = words
  return runs.draw(state, id)
end

--- Calls that wait for an answer get none any more.
---@param state agentq.chat.Transcript changed in place
---@param why string
---@return agentq.chat.Op[]
function M.abandon(state, why)
  local ops = {}
  for id, tool in pairs(state.tools) do
    if not tool.result and tool.state ~= "void" then
      tool.state, tool.abandoned = "failed", why
      vim.list_extend(ops, runs.draw(state, id))
    end
  end
  return ops
end

--- Whether this stands between the calls before and those that come.
---@param op agentq.chat.Op
---@return boolean
local function parts_runs(op)
  return op.kind == "append" or op.kind == "lines" or op.kind == "block" and not tool_calls.owns(op.id)
end

--- What one event adds to the transcript. An event of a kind this client does not know adds nothing.
---@param state agentq.chat.Transcript changed in place
---@param event agentq.chat.Event
---@param now number milliseconds
---@return agentq.chat.Op[]
function M.reduce(state, event, now)
  local ops = {}
  local reducer = reducers[event.kind]
  if reducer then
    local before = #state.runs
    reducer(state, event, now, ops)
    if vim.iter(ops):any(parts_runs) then
      runs.break_off(state, #state.runs > before and state.runs[#state.runs] or nil)
    end
  end
  return ops
end

return M
