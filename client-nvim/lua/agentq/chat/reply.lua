-- A reply of the model as it grows: paragraphs and thoughts, and what waits for the end of a paragraph.
local details = require("agentq.chat.details")
local passages = require("agentq.chat.passages")

local M = {}

---@param thinking {id: string, parts: string[]}
---@param head string
---@return agentq.chat.Op
local function thinking_block(thinking, head)
  return details.block(thinking.id, head, "AgentqThinking", function()
    return table.concat(thinking.parts)
  end)
end

--- The thought or the paragraph that is being written is complete.
---@param state agentq.chat.Transcript
---@param now number
---@param ops agentq.chat.Op[]
function M.end_section(state, now, ops)
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
function M.leave(state, now, ops)
  M.end_section(state, now, ops)
  for _, event in ipairs(state.held) do
    if event.kind == "commandAnswer" then
      passages.answer(state, event, ops)
    else
      passages.notice(event, ops)
    end
  end
  state.held = {}
end

--- Where the model's reply begins is remembered: an attempt that fails makes all of it void.
---@param state agentq.chat.Transcript
---@param ops agentq.chat.Op[]
function M.enter(state, ops)
  if not state.in_reply then
    state.in_reply = true
    ops[#ops + 1] = { kind = "begin_reply" }
  end
end

---@param state agentq.chat.Transcript
---@param event agentq.chat.Event
---@param now number
---@param ops agentq.chat.Op[]
function M.text(state, event, now, ops)
  if state.section ~= "text" then
    M.leave(state, now, ops)
    ops[#ops + 1] = { kind = "gap" }
    M.enter(state, ops)
    state.section = "text"
  end
  ops[#ops + 1] = { kind = "append", text = event.text }
end

---@param state agentq.chat.Transcript
---@param event agentq.chat.Event
---@param now number
---@param ops agentq.chat.Op[]
function M.thinking(state, event, now, ops)
  if state.section ~= "thinking" then
    M.leave(state, now, ops)
    ops[#ops + 1] = { kind = "gap" }
    M.enter(state, ops)
    state.thoughts = state.thoughts + 1
    state.thinking = { id = "thinking:" .. state.thoughts, since = now, parts = {} }
    state.section = "thinking"
  end
  table.insert(state.thinking.parts, event.text or "")
  ops[#ops + 1] = thinking_block(state.thinking, "✻ Thinking …")
end

return M
