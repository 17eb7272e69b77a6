-- From the events of a turn to the lines of the transcript, on plain tables: no buffer, no window, no clock.
-- A reduction answers operations that append, or that replace the few lines of an earlier block.
local details = require("agentq.chat.details")
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

local notice_marks = {
  info = { "·", "AgentqNotice" },
  warning = { "!", "AgentqWarning" },
  error = { "✗", "AgentqError" },
}
local end_words = {
  endTurn = "done",
  cancelled = "cancelled",
  stopped = "stopped by you",
  maxTokens = "stopped: the answer reached its length limit",
  maxRounds = "stopped: too many rounds of tool calls",
  refusal = "the model refused",
  budget = "stopped by the budget",
  error = "failed",
  cut = "cut off",
}

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

---@param thinking {id: string, parts: string[]}
---@param head string
---@return agentq.chat.Op
local function thinking_block(thinking, head)
  return {
    kind = "block",
    id = thinking.id,
    head = head,
    hl = "AgentqThinking",
    details = function()
      local lines = {}
      details.add(lines, table.concat(thinking.parts), math.huge)
      return lines
    end,
  }
end

---@type fun(event: agentq.chat.Event, ops: agentq.chat.Op[])
local add_notice
---@type fun(state: agentq.chat.Transcript, event: agentq.chat.Event, ops: agentq.chat.Op[])
local add_answer

--- The thought or the paragraph that is being written is complete.
---@param state agentq.chat.Transcript
---@param now number
---@param ops agentq.chat.Op[]
local function end_section(state, now, ops)
  if state.section == "thinking" and state.thinking then
    local head = ("✻ Thought for %.1f s"):format((now - state.thinking.since) / 1000)
    ops[#ops + 1] = thinking_block(state.thinking, head)
    state.thinking = nil
  end
  state.section = nil
end

--- Another kind of thing begins: what had to wait for the end of the paragraph comes before it.
---@param state agentq.chat.Transcript
---@param now number
---@param ops agentq.chat.Op[]
local function leave_section(state, now, ops)
  end_section(state, now, ops)
  for _, event in ipairs(state.held) do
    if event.kind == "commandAnswer" then
      add_answer(state, event, ops)
    else
      add_notice(event, ops)
    end
  end
  state.held = {}
end

--- Where the model's reply begins is remembered: an attempt that fails makes all of it void.
---@param state agentq.chat.Transcript
---@param ops agentq.chat.Op[]
local function enter_reply(state, ops)
  if not state.in_reply then
    state.in_reply = true
    ops[#ops + 1] = { kind = "begin_reply" }
  end
end

---@param ops agentq.chat.Op[]
---@param lines string[]
---@param hl? string
---@param groups? table<integer, string>
local function add_lines(ops, lines, hl, groups)
  ops[#ops + 1] = { kind = "lines", lines = lines, hl = hl, groups = groups }
end

---@type table<string, fun(state: agentq.chat.Transcript, event: agentq.chat.Event, now: number, ops: agentq.chat.Op[])>
local reducers = {}

--- What the person said, and what went along with it.
---@param event agentq.chat.Event
---@param ops agentq.chat.Op[]
local function add_prompt(event, ops)
  ops[#ops + 1] = { kind = "gap" }
  local lines = vim.split(event.text or "", "\n", { plain = true })
  for index, line in ipairs(lines) do
    lines[index] = (index == 1 and "❯ " or "  ") .. line
  end
  local groups = {}
  for _, name in ipairs(event.attached or {}) do
    lines[#lines + 1] = "  ⊕ " .. name
    groups[#lines] = "AgentqHint"
  end
  add_lines(ops, lines, "AgentqUser", groups)
  ops[#ops].message = vim.tbl_extend("force", { text = event.text or "" }, event.message_of or {})
  ops[#ops + 1] = { kind = "gap" }
end

function reducers.turnStarted(state, event, now, ops)
  leave_section(state, now, ops)
  state.in_reply = false
  state.started = now
  state.asked = event.text
  state.tokens = { input = 0, output = 0 }
  add_prompt(event, ops)
end

--- The question stands above the answer already, unless the command was given while another turn ran.
add_answer = function(state, event, ops)
  if event.asked ~= state.asked then
    add_prompt({ kind = "queuedPrompt", text = event.asked }, ops)
  end
  ops[#ops + 1] = { kind = "gap" }
  if event.failed then
    add_lines(ops, vim.split("✗ " .. event.text, "\n", { plain = true }), "AgentqError")
  else
    ops[#ops + 1] = { kind = "append", text = event.text }
  end
  ops[#ops + 1] = { kind = "gap" }
end

function reducers.commandAnswer(state, event, _, ops)
  if state.section == "text" then
    table.insert(state.held, event)
  else
    add_answer(state, event, ops)
  end
end

--- A message that was sent while the turn ran reached the model between two of its replies.
function reducers.queuedPrompt(state, event, now, ops)
  leave_section(state, now, ops)
  state.in_reply = false
  add_prompt(event, ops)
end

function reducers.text(state, event, now, ops)
  if state.section ~= "text" then
    leave_section(state, now, ops)
    ops[#ops + 1] = { kind = "gap" }
    enter_reply(state, ops)
    state.section = "text"
  end
  ops[#ops + 1] = { kind = "append", text = event.text }
end

function reducers.thinking(state, event, now, ops)
  if state.section ~= "thinking" then
    leave_section(state, now, ops)
    ops[#ops + 1] = { kind = "gap" }
    enter_reply(state, ops)
    state.thoughts = state.thoughts + 1
    state.thinking = { id = "thinking:" .. state.thoughts, since = now, parts = {} }
    state.section = "thinking"
  end
  table.insert(state.thinking.parts, event.text or "")
  ops[#ops + 1] = thinking_block(state.thinking, "✻ Thinking …")
end

function reducers.toolCall(state, event, now, ops)
  local id = event.toolCallId
  local known = state.tools[id]
  if not known then
    if state.section == "text" then
      ops[#ops + 1] = { kind = "gap" }
    end
    leave_section(state, now, ops)
    enter_reply(state, ops)
    state.tools[id] = { name = event.name, state = event.state }
    runs.add(state, id)
    known = state.tools[id]
  end
  known.arguments = event.arguments or known.arguments
  known.has_waited = known.has_waited or event.state == "waitingApproval"
  -- The result may have told already that the call failed; "done" does not soften that.
  known.state = known.state == "failed" and "failed" or event.state
  vim.list_extend(ops, runs.draw(state, id))
end

function reducers.toolResult(state, event, now, ops)
  local id = event.toolCallId
  if not state.tools[id] then
    leave_section(state, now, ops)
    state.tools[id] = { name = event.name, state = "done" }
    runs.add(state, id)
  end
  state.tools[id].result = event.result
  state.tools[id].state = event.result.success and "done" or "failed"
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
  leave_section(state, now, ops)
  state.compactions = state.compactions + 1
  ops[#ops + 1] = {
    kind = "block",
    id = "compacted:" .. state.compactions,
    head = "⊟ " .. event.message,
    hl = "AgentqNotice",
    details = function()
      local lines = {}
      details.add(lines, event.summary or "", math.huge)
      return lines
    end,
  }
end

--- The reply so far is void and comes again.
function reducers.retrying(state, event, now, ops)
  end_section(state, now, ops)
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
  leave_section(state, now, ops)
  local line = ("↻ attempt %d failed (%s), again in %.1f s"):format(event.attempt, event.reason, event.waitMs / 1000)
  add_lines(ops, vim.split(line, "\n", { plain = true }), "AgentqWarning")
end

add_notice = function(event, ops)
  local mark = notice_marks[event.level] or notice_marks.info
  local lines = vim.split(event.message or "", "\n", { plain = true })
  lines[1] = mark[1] .. " " .. lines[1]
  add_lines(ops, lines, mark[2], event.groups)
end

--- A notice never stands inside a paragraph: it waits for the end of the text that is being written.
function reducers.notice(state, event, _, ops)
  if state.section == "text" then
    table.insert(state.held, event)
  else
    add_notice(event, ops)
  end
end

function reducers.turnEnded(state, event, now, ops)
  leave_section(state, now, ops)
  if event.message and event.message ~= "" then
    add_lines(ops, vim.split("✗ " .. event.message, "\n", { plain = true }), "AgentqError")
  end
  local line = ("── %s · %.1f s"):format(end_words[event.reason] or event.reason, (now - state.started) / 1000)
  if state.tokens.input + state.tokens.output > 0 then
    line = ("%s · %d tokens in, %d out"):format(line, state.tokens.input, state.tokens.output)
  end
  ops[#ops + 1] = { kind = "gap" }
  add_lines(ops, { line }, event.reason == "endTurn" and "AgentqUsage" or "AgentqWarning")
end

--- What became of the proposal that a call made.
---@param state agentq.chat.Transcript changed in place
---@param id string of the tool call
---@param outcome string
---@return agentq.chat.Op[]
function M.tell_outcome(state, id, outcome)
  local tool = state.tools[id]
  if not tool then
    return {}
  end
  tool.outcome = outcome
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
