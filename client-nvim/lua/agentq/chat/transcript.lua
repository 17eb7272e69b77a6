-- From turn events to what the transcript shows, on plain tables: no buffer, no window, no clock of its own.
-- A reduction answers operations that only append, or replace the few lines of a block that was written before.
local M = {}

---@class agentq.chat.Op
---@field kind "append"|"lines"|"block"|"gap"
---@field text? string append: goes on where the last append ended
---@field lines? string[] lines and block
---@field id? string block: a known id is replaced in place, a new one is appended
---@field hl? string highlight group of the block's or lines' first line
---@field detail_hl? string highlight group of the lines after the first

---@class agentq.chat.Tool
---@field name string
---@field state agentq.ToolCallState|"failed"
---@field arguments? table
---@field result? agentq.ToolResult

---@class agentq.chat.Transcript
---@field section? "text"|"thinking"
---@field tools table<string, agentq.chat.Tool>
---@field thinking {id: string, since: number}|nil
---@field thoughts integer
---@field started number
---@field tokens {input: integer, output: integer}
---@field max_result_lines integer

M.DETAIL = "│ "

local icons = { preparing = "○", running = "●", waitingApproval = "?", done = "✓", failed = "✗" }
local state_groups = {
  preparing = "AgentqTool",
  running = "AgentqTool",
  waitingApproval = "AgentqWaiting",
  done = "AgentqToolDone",
  failed = "AgentqToolFailed",
}
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
  error = "failed",
}

---@param max_result_lines? integer
---@return agentq.chat.Transcript
function M.new(max_result_lines)
  return {
    section = nil,
    tools = {},
    thinking = nil,
    thoughts = 0,
    started = 0,
    tokens = { input = 0, output = 0 },
    max_result_lines = max_result_lines or 400,
  }
end

--- A short form of tool arguments for one line, the short ones first: they name what the call is about.
---@param arguments? table
---@return string
function M.brief(arguments)
  local parts = {}
  for name, value in vim.spairs(arguments or {}) do
    local text = type(value) == "string" and value or vim.json.encode(value)
    text = text:gsub("%s+", " ")
    if vim.fn.strchars(text) > 40 then
      text = vim.fn.strcharpart(text, 0, 39) .. "…"
    end
    parts[#parts + 1] = ("%s: %s"):format(name, text)
  end
  table.sort(parts, function(a, b)
    return #a == #b and a < b or #a < #b
  end)
  local line = table.concat(parts, ", ")
  if vim.fn.strchars(line) > 60 then
    line = vim.fn.strcharpart(line, 0, 59) .. "…"
  end
  return line
end

---@param lines string[]
---@param text string
---@param limit integer
local function add_detail(lines, text, limit)
  local all = vim.split((text:gsub("\r\n?", "\n")), "\n", { plain = true })
  for index = 1, math.min(#all, limit) do
    lines[#lines + 1] = M.DETAIL .. all[index]
  end
  if #all > limit then
    lines[#lines + 1] = ("%s… %d more lines"):format(M.DETAIL, #all - limit)
  end
end

---@param state agentq.chat.Transcript
---@param id string
---@return agentq.chat.Op
local function tool_block(state, id)
  local tool = state.tools[id]
  local brief = M.brief(tool.arguments)
  -- The arguments come last: a narrow window cuts them and not the state.
  local head = ("%s %s"):format(icons[tool.state], tool.name)
  if tool.state == "waitingApproval" then
    head = head .. " waits for your decision"
  elseif tool.state == "preparing" then
    head = head .. " …"
  elseif tool.result then
    head = ("%s %d ms"):format(head, math.floor(tool.result.metadata.executionTimeMs + 0.5))
  end
  head = brief == "" and head or ("%s (%s)"):format(head, brief)
  local lines = { head }
  for name, value in vim.spairs(tool.arguments or {}) do
    add_detail(lines, ("%s = %s"):format(name, type(value) == "string" and value or vim.json.encode(value)), 60)
  end
  if tool.result then
    local text = tool.result.success and tool.result.content or tool.result.error or ""
    lines[#lines + 1] = M.DETAIL .. (tool.result.success and "→ result" or "→ error")
    add_detail(lines, text, state.max_result_lines)
  end
  local group = state_groups[tool.state]
  return { kind = "block", id = "tool:" .. id, lines = lines, hl = group, detail_hl = "AgentqDetail" }
end

---@param state agentq.chat.Transcript
---@param now number
---@param ops agentq.chat.Op[]
local function leave_section(state, now, ops)
  if state.thinking then
    ops[#ops + 1] = {
      kind = "block",
      id = state.thinking.id,
      lines = { ("✻ Thought for %.1f s"):format((now - state.thinking.since) / 1000) },
      hl = "AgentqThinking",
    }
    state.thinking = nil
  end
  state.section = nil
end

---@param ops agentq.chat.Op[]
---@param lines string[]
---@param hl? string
local function add_lines(ops, lines, hl)
  ops[#ops + 1] = { kind = "lines", lines = lines, hl = hl }
end

---@type table<string, fun(state: agentq.chat.Transcript, event: agentq.TurnEvent, now: number, ops: agentq.chat.Op[])>
local reducers = {}

function reducers.turnStarted(state, event, now, ops)
  leave_section(state, now, ops)
  state.started = now
  state.tokens = { input = 0, output = 0 }
  ops[#ops + 1] = { kind = "gap" }
  local lines = vim.split(event.text or "", "\n", { plain = true })
  for index, line in ipairs(lines) do
    lines[index] = (index == 1 and "❯ " or "  ") .. line
  end
  add_lines(ops, lines, "AgentqUser")
  ops[#ops + 1] = { kind = "gap" }
end

function reducers.text(state, event, now, ops)
  if state.section ~= "text" then
    leave_section(state, now, ops)
    ops[#ops + 1] = { kind = "gap" }
    state.section = "text"
  end
  ops[#ops + 1] = { kind = "append", text = event.text }
end

function reducers.thinking(state, event, now, ops)
  local text = (event.text or ""):gsub("\n", "\n" .. M.DETAIL)
  if state.section ~= "thinking" then
    leave_section(state, now, ops)
    state.thoughts = state.thoughts + 1
    state.thinking = { id = "thinking:" .. state.thoughts, since = now }
    state.section = "thinking"
    ops[#ops + 1] = { kind = "gap" }
    ops[#ops + 1] = { kind = "block", id = state.thinking.id, lines = { "✻ Thinking …" }, hl = "AgentqThinking" }
    text = M.DETAIL .. text
  end
  ops[#ops + 1] = { kind = "append", text = text }
end

function reducers.toolCall(state, event, now, ops)
  local id = event.toolCallId
  local known = state.tools[id]
  if not known then
    leave_section(state, now, ops)
    state.tools[id] = { name = event.name, state = event.state }
    known = state.tools[id]
  end
  known.arguments = event.arguments or known.arguments
  -- The result may have told already that the call failed; "done" does not soften that.
  known.state = known.state == "failed" and "failed" or event.state
  ops[#ops + 1] = tool_block(state, id)
end

function reducers.toolResult(state, event, now, ops)
  local id = event.toolCallId
  if not state.tools[id] then
    leave_section(state, now, ops)
    state.tools[id] = { name = event.name, state = "done" }
  end
  state.tools[id].result = event.result
  state.tools[id].state = event.result.success and "done" or "failed"
  ops[#ops + 1] = tool_block(state, id)
end

function reducers.usage(state, event)
  state.tokens.input = state.tokens.input
    + (event.inputTokens or 0)
    + (event.cacheReadTokens or 0)
    + (event.cacheWriteTokens or 0)
  state.tokens.output = state.tokens.output + (event.outputTokens or 0)
end

function reducers.retrying(state, event, now, ops)
  leave_section(state, now, ops)
  local line = ("↻ attempt %d failed (%s), again in %.1f s"):format(event.attempt, event.reason, event.waitMs / 1000)
  add_lines(ops, vim.split(line, "\n", { plain = true }), "AgentqWarning")
end

function reducers.notice(state, event, now, ops)
  leave_section(state, now, ops)
  local mark = notice_marks[event.level] or notice_marks.info
  local lines = vim.split(event.message or "", "\n", { plain = true })
  lines[1] = mark[1] .. " " .. lines[1]
  add_lines(ops, lines, mark[2])
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

--- What one event adds to the transcript. An event of a kind this client does not know adds nothing.
---@param state agentq.chat.Transcript changed in place
---@param event agentq.TurnEvent
---@param now number milliseconds
---@return agentq.chat.Op[]
function M.reduce(state, event, now)
  local ops = {}
  local reducer = reducers[event.kind]
  if reducer then
    reducer(state, event, now, ops)
  end
  return ops
end

return M
