-- A conversation: its session, its turn, its transcript buffer.
local config = require("agentq.config")
local events = require("agentq.events")
local heading = require("agentq.chat.heading")
local say = require("agentq.say")
local sync = require("agentq.sync")
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
---@field has_died boolean its last server ended unasked
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

--- Error codes of a server that does not know the conversation.
local NOT_KEPT = { [-33002] = true, [-33009] = true }

--- Of a name there is so much above the transcript.
local SHOWN_NAME = 40

---@param root string
---@return integer bufnr
local function new_buffer(root)
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(bufnr, require("agentq.buffers").named("chat", root))
  vim.bo[bufnr].bufhidden = "hide"
  vim.bo[bufnr].swapfile = false
  vim.bo[bufnr].undolevels = -1
  vim.bo[bufnr].modifiable = false
  -- For those who have another plugin render Markdown here too.
  vim.treesitter.language.register("markdown", "agentq-chat")
  vim.bo[bufnr].filetype = "agentq-chat"
  -- A wrapped line goes on below its text, not below its mark.
  vim.bo[bufnr].formatlistpat = [[^\s*\([│❯⊕✓✗?●○✻!·✗↻*-]\|\d\+\.\)\s]]
  require("agentq.chat.keys").set(bufnr)
  return bufnr
end

---@param root string
---@param client_id integer
---@return agentq.Chat
function Chat.new(root, client_id)
  require("agentq.highlights").define()
  local bufnr = new_buffer(root)
  vim.b[bufnr].agentq_root = root
  return setmetatable({
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
end

---@param why string empty when nothing is to be said
function Chat:on_server_ended(why)
  self.writer:push(transcript.abandon(self.transcript, "the server ended"))
  if self.turn_id then
    self:on_turn_ended({ kind = "turnEnded", reason = "error", message = "the server stopped" })
  end
  if why ~= "" then
    self:note("error", why)
  end
  self.writer:flush()
  self:forget_turn()
  self:refresh_status()
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
  self.client_id = client_id
  require("agentq.chat.input").attach(self)
  self:forget_turn()
  if self.is_known and self.session_id then
    self:note("info", "The server is a new one, and the conversation goes on; the REPL's values are gone.")
    require("agentq.chat.queue").tell_held(self)
  end
end

--- The transcript stays; what the model knows of it does not.
function Chat:forget_session()
  self.session_id = nil
  if self.is_known then
    self.is_known = false
    self:note("warning", "The model knows nothing of what stands above: the server has not kept it.")
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

--- Sends a prompt. While a turn runs the server queues it; it never waits here.
---@param text string
---@param context? agentq.ContextRef[]
---@param on_refused? fun() called when the server did not take it
function Chat:prompt(text, context, on_refused)
  local back = self.context_back
  self.context_back = {}
  local function refuse(message)
    self.context_back = back
    self:note("error", message)
    if on_refused then
      on_refused()
    end
  end
  self.writer:follow()
  require("agentq.client").with_root(self.root, function(connection)
    self:speak_to(connection.id)
    local all = vim.list_extend(vim.list_extend({}, back), context or {})
    self:send(connection, text, #all > 0 and all or nil, refuse)
  end, refuse)
end

---@param connection vim.lsp.Client
---@param text string
---@param context agentq.ContextRef[]?
---@param refuse fun(message: string)
function Chat:send(connection, text, context, refuse)
  local client = require("agentq.client")
  for bufnr in pairs(connection.attached_buffers) do
    sync.flush(connection, bufnr)
  end
  local active = require("agentq.chat.context").active(self.root)
  local params = { text = text, context = context, sessionId = self.session_id, active = active }
  client.request(connection, "agentq/prompt", params, function(err, result)
    if err and NOT_KEPT[err.code] and params.sessionId then
      self:forget_session()
      return self:send(connection, text, context, refuse)
    elseif err then
      return refuse(err.message)
    end
    self.session_id = result.sessionId
    local words = require("agentq.chat.context")
    local attached = words.names(context, self.root)
    vim.list_extend(attached, { words.place_words(active, self.root) })
    self.attached[result.promptId or result.turnId] = attached
    if result.queued then
      say.info("taken up as soon as the turn allows; :AgentQ queue edits it or takes it back")
    end
  end)
end

---@param callback? fun(cancelled: boolean)
function Chat:cancel(callback)
  local connection = vim.lsp.get_client_by_id(self.client_id)
  if not connection or not self.session_id then
    return callback and callback(false)
  end
  require("agentq.client").request(connection, "agentq/cancel", { sessionId = self.session_id }, function(err, result)
    if err then
      self:note("error", err.message)
    elseif result.queued then
      local ids = vim.tbl_map(function(prompt)
        return prompt.promptId
      end, result.queued)
      require("agentq.chat.queue").take_back(self, ids)
    end
    if callback then
      callback(not err and result.cancelled or false)
    end
  end)
end

---@param params agentq.Event
function Chat:on_event(params)
  ---@type agentq.chat.Event
  local event = params.event
  -- A session started by another program shows up here only when this chat has none of its own.
  self.session_id = self.session_id or params.sessionId
  if params.sessionId ~= self.session_id then
    return
  end
  self:check_sequence(params)
  if event.kind == "turnEnded" then
    return self:on_turn_ended(event)
  end
  event.message_of = { session_id = params.sessionId, turn_id = not event.isCommand and params.turnId or nil }
  if event.kind == "turnStarted" then
    self.turn_id = params.turnId
    self.clock:start(function()
      self:refresh_status()
    end)
    self.is_known = true
    event.attached = self:attached_to(event.promptIds or { params.turnId })
    events.fire("TurnStarted", { sessionId = params.sessionId, turnId = params.turnId, text = event.text })
  elseif event.kind == "queuedPrompt" then
    event.attached = self:attached_to({ event.promptId })
  elseif event.kind == "toolCall" then
    self.running_tools[event.toolCallId] = event.state ~= "done" and event.state or nil
    events.fire(
      "ToolCall",
      { sessionId = params.sessionId, toolCallId = event.toolCallId, name = event.name, state = event.state }
    )
  elseif event.kind == "toolResult" then
    self.running_tools[event.toolCallId] = nil
  end
  heading.note_answer(self, event)
  self:reduce(event)
  if self.on_words then
    self.on_words(event)
  end
  self:refresh_status()
end

--- What went along with prompts, by their ids or that of their turn.
---@param ids string[]
---@return string[] names
function Chat:attached_to(ids)
  local names = {}
  for _, id in ipairs(ids) do
    vim.list_extend(names, self.attached[id] or {})
  end
  return names
end

--- Events of a turn are numbered from 0 without gaps, so a loss is seen and said.
---@param params agentq.Event
function Chat:check_sequence(params)
  local expected = self.seq.turn == params.turnId and self.seq.last + 1 or 0
  if params.seq > expected then
    self:note("warning", ("%d events of this turn were lost"):format(params.seq - expected))
  end
  self.seq = { turn = params.turnId, last = params.seq }
end

---@param event agentq.TurnEvent
function Chat:on_turn_ended(event)
  local turn_id = self.turn_id
  self.turn_id = nil
  self.clock:stop()
  self.running_tools = {}
  self:reduce(event)
  self.writer:flush()
  self:refresh_status()
  events.fire("TurnEnded", {
    sessionId = self.session_id,
    turnId = turn_id,
    reason = event.reason,
    message = event.message,
  })
end

--- What became of a proposal stands on the line of the call that made it.
---@param proposal agentq.Proposal
function Chat:on_proposal(proposal)
  local outcome = proposal.state ~= "pending" and require("agentq.chat.waiting").outcome(proposal)
  if outcome and proposal.toolCallId then
    self.writer:push(transcript.tell_outcome(self.transcript, proposal.toolCallId, outcome))
  end
  self:refresh_status()
end

--- What a conversation does that answers this one.
---@param params agentq.Delegated
function Chat:on_delegated(params)
  self.writer:push(transcript.tell_progress(self.transcript, params.parent.toolCallId, params.event))
end

--- "working", "waiting for you" or "idle", for status lines.
---@return string
function Chat:state()
  if not self.turn_id then
    return "idle"
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

--- The lines above the windows are drawn again.
function Chat:refresh_status()
  heading.refresh(self)
end

--- The conversation has a name, which the line above its transcript shows.
---@param session agentq.SessionInfo
function Chat:named(session)
  if session.sessionId == self.session_id then
    local name = require("agentq.review.visible").text(session.name)
    self.name = vim.fn.strchars(name) > SHOWN_NAME and vim.fn.strcharpart(name, 0, SHOWN_NAME - 1) .. "…" or name
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
  self.writer:flush()
  self:forget_turn()
  self.session_id = session_id
  self.name = nil
  self.model = nil
  self.context_size = nil
  self.cost = nil
  self.is_known = session_id ~= nil
  self.transcript = transcript.new(config.get().chat.max_result_lines)
  self.writer.named = {}
end

--- Shows what an editor was shown of a stored conversation.
---@param items agentq.TranscriptItem[]
function Chat:replay(items)
  for _, item in ipairs(items) do
    local seconds = vim.fn.strptime("%Y-%m-%dT%H:%M:%S", item.at)
    local milliseconds = tonumber(item.at:match("%.(%d%d%d)Z$")) or 0
    local turn_id = not item.event.isCommand and item.turnId or nil
    item.event.message_of = { session_id = self.session_id, turn_id = turn_id }
    self.writer:push(transcript.reduce(self.transcript, item.event, seconds * 1000 + milliseconds))
    heading.note_answer(self, item.event)
  end
end

--- Calls of a turn that was cut get no result any more.
function Chat:end_replay()
  self.writer:push(transcript.abandon(self.transcript, "was cut off"))
  self.writer:flush()
  self:refresh_status()
end

return Chat
