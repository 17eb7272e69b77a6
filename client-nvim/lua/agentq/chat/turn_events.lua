-- What the server tells of a conversation while it goes on: the events of its turns, and what became of proposals.
local events = require("agentq.events")
local transcript = require("agentq.chat.transcript")

local M = {}

--- What went along with prompts, by their ids or that of their turn.
---@param chat agentq.Chat
---@param ids string[]
---@return string[] names
local function attached_to(chat, ids)
  local names = {}
  for _, id in ipairs(ids) do
    vim.list_extend(names, chat.attached[id] or {})
  end
  return names
end

--- Events of a turn are numbered from 0 without gaps, so a loss is seen and said.
---@param chat agentq.Chat
---@param params agentq.Event
local function check_sequence(chat, params)
  local expected = chat.seq.turn == params.turnId and chat.seq.last + 1 or 0
  if params.seq > expected then
    chat:note("warning", ("%d events of this turn were lost"):format(params.seq - expected))
  end
  chat.seq = { turn = params.turnId, last = params.seq }
end

---@param chat agentq.Chat
---@param event agentq.chat.Event
local function end_turn(chat, event)
  local turn_id = chat.turn_id
  chat.turn_id = nil
  chat.clock:stop()
  chat.running_tools = {}
  chat:reduce(event)
  chat.writer:flush()
  chat:refresh_status()
  events.fire("TurnEnded", {
    sessionId = chat.session_id,
    turnId = turn_id,
    reason = event.reason,
    message = event.message,
  })
end

--- What the chat itself has to know of an event, and what others hear of it.
---@param chat agentq.Chat
---@param params agentq.Event
local function take_note(chat, params)
  local event = params.event --[[@as agentq.chat.Event]]
  if event.kind == "turnStarted" then
    chat.turn_id = params.turnId
    chat.clock:start(function()
      chat:refresh_status()
    end)
    chat.is_known = true
    event.attached = attached_to(chat, event.promptIds or { params.turnId })
    events.fire("TurnStarted", { sessionId = params.sessionId, turnId = params.turnId, text = event.text })
  elseif event.kind == "queuedPrompt" then
    event.attached = attached_to(chat, { event.promptId })
  elseif event.kind == "toolCall" then
    chat.running_tools[event.toolCallId] = event.state ~= "done" and event.state or nil
    local told = { toolCallId = event.toolCallId, name = event.name, state = event.state }
    events.fire("ToolCall", vim.tbl_extend("error", { sessionId = params.sessionId }, told))
  elseif event.kind == "toolResult" then
    chat.running_tools[event.toolCallId] = nil
  end
end

---@param chat agentq.Chat
---@param params agentq.Event
function M.on_event(chat, params)
  local event = params.event --[[@as agentq.chat.Event]]
  -- A session started by another program shows up here only when this chat has none of its own.
  chat.session_id = chat.session_id or params.sessionId
  if params.sessionId ~= chat.session_id then
    return
  end
  check_sequence(chat, params)
  if event.kind == "turnEnded" then
    return end_turn(chat, event)
  end
  event.message_of = { session_id = params.sessionId, turn_id = not event.isCommand and params.turnId or nil }
  take_note(chat, params)
  chat:note_answer(event)
  chat:reduce(event)
  if chat.on_words then
    chat.on_words(event)
  end
  chat:refresh_status()
end

--- A proposal, and what became of it, stands on the line of the call that made it.
---@param chat agentq.Chat
---@param proposal agentq.Proposal
function M.on_proposal(chat, proposal)
  if proposal.toolCallId then
    if proposal.state ~= "pending" and chat.running_tools[proposal.toolCallId] then
      chat.running_tools[proposal.toolCallId] = "running"
    end
    chat.writer:push(transcript.tell_proposal(chat.transcript, proposal.toolCallId, proposal))
  end
  chat:refresh_status()
end

--- A conversation that answers another one shows where it is the one in the chat; what it does stands beside the call
--- that asked.
---@param chat agentq.Chat
---@param params agentq.Delegated
function M.on_delegated(chat, params)
  if chat.session_id == params.sessionId then
    M.on_event(chat, params --[[@as agentq.Event]])
  elseif chat.session_id == params.parent.sessionId then
    chat.writer:push(transcript.tell_progress(chat.transcript, params.parent.toolCallId, params.event))
  end
end

---@param chat agentq.Chat
---@param why string empty when nothing is to be said
function M.on_server_ended(chat, why)
  chat.writer:push(transcript.abandon(chat.transcript, "the server ended"))
  if chat.turn_id then
    end_turn(chat, { kind = "turnEnded", reason = "error", message = "the server stopped" })
  end
  if why ~= "" then
    chat:note("error", why)
  end
  chat.writer:flush()
  chat:forget_turn()
  chat:refresh_status()
end

return M
