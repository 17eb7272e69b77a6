-- A conversation: its session, its turn, its transcript buffer. Its parts are files of their own, which are given the
-- chat and speak to it by the methods below; none of them requires this file.
local config = require("agentq.config")
local heading = require("agentq.chat.heading")
local transcript = require("agentq.chat.transcript")

---@class agentq.Chat
---@field root string
---@field client_id integer
---@field bufnr integer
---@field writer agentq.chat.Writer
---@field transcript agentq.chat.Transcript
---@field session_id? string
---@field turn_id? string the running turn
---@field clock agentq.chat.Clock of that turn
---@field has_died boolean its server ended unasked, and no other has taken its place
---@field name? string what somebody called the conversation
---@field seq {turn?: string, last?: integer} last sequence number seen
---@field waiting agentq.QueuedPrompt[] what the server holds until the model can hear it
---@field context_back agentq.ContextRef[] what goes along with the next prompt again
---@field model? string the one that answers, as far as the chat knows
---@field context_size? string how full its context is, in words
---@field cost? number of the conversation, in dollars; nil where a part of it has no price
---@field running_tools table<string, string>
---@field attached table<string, string[]> what went along with a prompt, by turn or prompt
---@field on_words? fun(event: agentq.chat.Event) hears of the events of a turn that was begun elsewhere
---@field is_known boolean the model knows what the transcript tells
local Chat = {}
Chat.__index = Chat

--- Of a name there is so much above the transcript.
local SHOWN_NAME = 40

---@param root string
---@param client_id integer
---@return agentq.Chat
function Chat.new(root, client_id)
  require("agentq.highlights").define()
  local bufnr = require("agentq.chat.buffer").new(root)
  local chat = setmetatable({
    root = root,
    client_id = client_id,
    bufnr = bufnr,
    writer = require("agentq.chat.writer").new(bufnr),
    transcript = transcript.new(config.get().chat.max_result_lines),
    seq = {},
    waiting = {},
    context_back = {},
    running_tools = {},
    attached = {},
    is_known = false,
    has_died = false,
    clock = require("agentq.chat.clock").new(),
  }, Chat)
  require("agentq.chat.keys").set(chat)
  chat:join()
  return chat
end

--- What needs the answer of a server waits for it: a conversation opens while its server starts.
function Chat:join()
  local connection = vim.lsp.get_client_by_id(self.client_id)
  if connection then
    require("agentq.start").when_ready(connection, function()
      require("agentq.chat.input").attach(self)
      if self.is_known then
        require("agentq.chat.queue").tell_held(self)
      end
      self:refresh_status()
    end)
  end
end

function Chat:forget_turn()
  self.turn_id = nil
  self.clock:stop()
  self.waiting = {}
  self.running_tools = {}
  self.attached = {}
end

--- A new server goes on with the conversation that the transcript shows, where conversations are kept.
---@param client_id integer
function Chat:speak_to(client_id)
  if self.client_id == client_id then
    return
  end
  local has_died = self.has_died
  self.client_id, self.has_died = client_id, false
  self:forget_turn()
  self:join()
  if self.is_known and self.session_id then
    self:note("info", "The server is a new one, and the conversation goes on; the REPL's values are gone.")
  elseif has_died then
    self:note("info", "The server is a new one.")
  end
end

---@param level "info"|"warning"|"error"
---@param message string
---@param groups? table<integer, string> highlight groups of the lines after the first, by index
function Chat:note(level, message, groups)
  self:reduce({ kind = "notice", level = level, message = message, groups = groups })
end

---@param event agentq.chat.Event
function Chat:reduce(event)
  self.writer:push(transcript.reduce(self.transcript, event, vim.uv.now()))
end

--- "starting", "working", "waiting for you" or "idle", for status lines.
---@return string
function Chat:state()
  if not self.turn_id then
    local connection = vim.lsp.get_client_by_id(self.client_id)
    return connection and not connection.initialized and "starting" or "idle"
  end
  for _, state in pairs(self.running_tools) do
    if state == "waitingApproval" then
      return "waiting for you"
    end
  end
  return "working"
end

--- For how many seconds the model has been working; nil while nothing runs, and while the person is asked.
---@return integer?
function Chat:working_seconds()
  return self:state() == "working" and self.clock:seconds() or nil
end

---@param event agentq.TurnEvent
function Chat:note_answer(event)
  heading.note_answer(self, event)
end

--- The lines above the windows are drawn again.
function Chat:refresh_status()
  heading.refresh(self)
end

--- The conversation has a name, which the line above its transcript shows.
---@param session agentq.SessionInfo
function Chat:named(session)
  if session.sessionId == self.session_id then
    self.name = require("agentq.review.visible").short(session.name, SHOWN_NAME)
    self:refresh_status()
  end
end

---@param model string
function Chat:answered_by(model)
  self.model = model
  self:refresh_status()
end

--- The next prompt starts a new conversation; the transcript stays and says so.
function Chat:start_new()
  if self.turn_id then
    return self:note("warning", "A turn runs; :AgentQ cancel ends it, then a new conversation can start.")
  end
  self:begin_transcript(nil)
  self:note("info", "A new conversation starts here.")
end

---@param session_id string? the conversation that the transcript shows from here on
function Chat:begin_transcript(session_id)
  self.writer:settle()
  self:forget_turn()
  self.session_id = session_id
  self.name = nil
  self.model = nil
  self.context_size = nil
  self.cost = nil
  self.is_known = session_id ~= nil
  self.transcript = transcript.new(config.get().chat.max_result_lines)
end

--- Sends a prompt: see prompts.lua.
---@param text string
---@param context? agentq.ContextRef[]
---@param on_refused? fun() called when the server did not take it
function Chat:prompt(text, context, on_refused)
  require("agentq.chat.prompts").send(self, text, context, on_refused)
end

---@param callback? fun(cancelled: boolean)
function Chat:cancel(callback)
  require("agentq.chat.prompts").cancel(self, callback)
end

--- Shows the transcript and the message window; with `enter` the cursor goes there.
---@param enter boolean
function Chat:open(enter)
  require("agentq.chat.window").open(self, enter)
end

--- Puts a message that was not sent back into the message window.
---@param text string
function Chat:give_back(text)
  require("agentq.chat.input").give_back(self, text)
end

return Chat
