-- Conversations that the server has kept: which there are, and one of them in the chat, where it goes on.
local client = require("agentq.client")
local local_time = require("agentq.local_time")
local replay = require("agentq.chat.replay")
local say = require("agentq.say")
local visible = require("agentq.review.visible")

local M = {}

--- Of a long conversation the last turns are shown.
local SHOWN_TURNS = 20
local LISTED = 200

---@param session agentq.SessionInfo
---@return string
local function describe(session)
  local turns = session.turns == 1 and "1 turn" or ("%d turns"):format(session.turns)
  local parts = { local_time(session.usedAt), turns }
  if session.running then
    parts[#parts + 1] = session.running == "here" and "runs" or "runs in another server"
  end
  local facts = (" (%s)"):format(table.concat(parts, ", "))
  local name = (session.parent and "↳ " or "") .. visible.text(session.name)
  -- A line of a list stands behind its number.
  local room = math.max(20, vim.o.columns - vim.fn.strdisplaywidth(facts) - 6)
  return (vim.fn.strchars(name) > room and vim.fn.strcharpart(name, 0, room - 1) .. "…" or name) .. facts
end

---@param connection vim.lsp.Client
---@param use fun(sessions: agentq.SessionInfo[])
local function with_list(connection, use)
  client.request(connection, "agentq/listSessions", { limit = LISTED }, function(err, page)
    if err then
      return say.error(err.message)
    elseif #page.items == 0 then
      return say.info("no conversation of this project is kept")
    end
    use(page.items)
  end)
end

--- Shows a conversation in the chat that is open, where the next message goes on with it.
---@param chat agentq.Chat
---@param connection vim.lsp.Client
---@param session agentq.SessionInfo
---@param done? fun() called when all of it stands there
local function show(chat, connection, session, done)
  if chat.session_id == session.sessionId then
    return say.info("that conversation is in the chat already")
  elseif chat.turn_id then
    return say.warn("a turn runs; :AgentQ cancel ends it, then another conversation can be shown")
  end
  local params = { sessionId = session.sessionId, lastTurns = SHOWN_TURNS }
  client.request(connection, "agentq/openSession", params, function(err, page)
    if err then
      return say.error(err.message)
    elseif chat.turn_id then
      return say.warn("a turn has begun meanwhile")
    end
    chat:begin_transcript(session.sessionId)
    chat:named(page.session)
    chat.writer:follow()
    chat:note("info", "Conversation: " .. visible.text(page.session.name))
    if page.earlierTurns > 0 then
      chat:note("info", ("%d earlier turns are not shown."):format(page.earlierTurns))
    end
    replay.draw(chat, connection, page, done)
  end)
end

--- Goes to the chat and shows a conversation there.
---@param chat agentq.Chat
---@param connection vim.lsp.Client
---@param session agentq.SessionInfo
---@param done? fun() called when all of it stands there
function M.resume(chat, connection, session, done)
  chat:open(true)
  show(chat, connection, session, done)
end

--- The person chooses, the last used first.
---@param connection vim.lsp.Client
---@param prompt string
---@param use fun(session: agentq.SessionInfo)
function M.select(connection, prompt, use)
  with_list(connection, function(sessions)
    vim.ui.select(sessions, { prompt = prompt, format_item = describe }, function(session)
      if session then
        use(session)
      end
    end)
  end)
end

---@param chat agentq.Chat
---@param connection vim.lsp.Client
function M.choose(chat, connection)
  M.select(connection, "Which conversation?", function(session)
    M.resume(chat, connection, session)
  end)
end

--- Shows the one that was used last, in the chat that is open.
---@param chat agentq.Chat
---@param connection vim.lsp.Client
function M.resume_last(chat, connection)
  with_list(connection, function(sessions)
    show(chat, connection, sessions[1])
  end)
end

return M
