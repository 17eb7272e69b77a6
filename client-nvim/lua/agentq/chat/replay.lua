-- A stored conversation as its events, which are drawn as those of a conversation that goes on.
local client = require("agentq.client")
local queue = require("agentq.chat.queue")
local transcript = require("agentq.chat.transcript")

local M = {}

--- Shows what an editor was shown of a stored conversation.
---@param chat agentq.Chat
---@param items agentq.TranscriptItem[]
local function show(chat, items)
  for _, item in ipairs(items) do
    local seconds = vim.fn.strptime("%Y-%m-%dT%H:%M:%S", item.at)
    local milliseconds = tonumber(item.at:match("%.(%d%d%d)Z$")) or 0
    local event = item.event --[[@as agentq.chat.Event]]
    local turn_id = not event.isCommand and item.turnId or nil
    event.message_of = { session_id = chat.session_id, turn_id = turn_id }
    chat.writer:push(transcript.reduce(chat.transcript, event, seconds * 1000 + milliseconds))
    if event.kind == "turnEnded" then
      -- Calls of a turn that was cut get no result any more.
      chat.writer:push(transcript.abandon(chat.transcript, "was cut off"))
    end
    chat:note_answer(event)
  end
end

--- What became of the proposals, which no event of a conversation tells.
---@param chat agentq.Chat
---@param connection vim.lsp.Client
local function tell_proposals(chat, connection)
  local told = chat.transcript
  client.request(connection, "agentq/listProposals", {}, function(err, page)
    for _, proposal in ipairs(not err and page.items or {}) do
      if proposal.toolCallId then
        chat.writer:push(transcript.tell_proposal(told, proposal.toolCallId, proposal))
      end
    end
  end)
end

---@param chat agentq.Chat
---@param connection vim.lsp.Client
---@param page agentq.Transcript the last one
local function finish(chat, connection, page)
  if not page.session.running then
    chat.writer:push(transcript.abandon(chat.transcript, "was cut off"))
  end
  tell_proposals(chat, connection)
  chat.writer:flush()
  chat:refresh_status()
  queue.tell_held(chat)
  if page.session.running == "elsewhere" then
    local words = "The conversation runs in another server: it can be read here, and goes on when its turn is over."
    chat:note("warning", words)
  end
end

--- Draws page after page; the editor works on in between.
---@param chat agentq.Chat
---@param connection vim.lsp.Client
---@param page agentq.Transcript
---@param done? fun() called when all of it stands there
function M.draw(chat, connection, page, done)
  local id = page.session.sessionId
  if chat.session_id ~= id then
    return -- Another conversation was begun meanwhile.
  end
  show(chat, page.items)
  if not page.nextCursor then
    finish(chat, connection, page)
    return done and done()
  end
  client.request(connection, "agentq/openSession", { sessionId = id, cursor = page.nextCursor }, function(err, rest)
    if err then
      return chat:note("error", err.message)
    end
    M.draw(chat, connection, rest, done)
  end)
end

return M
