-- One conversation per project: its session, its turn, its transcript buffer.
local config = require("agentq.config")
local events = require("agentq.events")
local transcript = require("agentq.chat.transcript")

local M = {}

---@class agentq.Chat
---@field root string
---@field client_id integer
---@field bufnr integer
---@field writer agentq.chat.Writer
---@field transcript agentq.chat.Transcript
---@field session_id? string
---@field turn_id? string the running turn
---@field seq {turn?: string, last?: integer} last sequence number seen
---@field queued integer prompts the server holds for the next turn
---@field running_tools table<string, string>
local Chat = {}
Chat.__index = Chat

---@type table<string, agentq.Chat>
local by_root = {}

--- A short buffer name; two projects of one name get their full paths.
---@param kind "chat"|"message"
---@param root string
---@return string
function M.buffer_name(kind, root)
  local short = ("agentq://%s/%s"):format(kind, vim.fs.basename(root))
  return vim.fn.bufexists(short) == 0 and short or ("agentq://%s%s"):format(kind, root)
end

---@param root string
---@return integer bufnr
local function new_buffer(root)
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(bufnr, M.buffer_name("chat", root))
  vim.bo[bufnr].bufhidden = "hide"
  vim.bo[bufnr].swapfile = false
  vim.bo[bufnr].undolevels = -1
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].filetype = "agentq-chat"
  return bufnr
end

--- The conversation of a client's project. A restarted server goes on in the same transcript with a new session.
---@param client_id integer
---@return agentq.Chat
function M.of(client_id)
  local client = vim.lsp.get_client_by_id(client_id)
  local root = client and client.config.root_dir or vim.uv.cwd() --[[@as string]]
  local chat = by_root[root]
  if not chat or not vim.api.nvim_buf_is_valid(chat.bufnr) then
    require("agentq.highlights").define()
    local bufnr = new_buffer(root)
    chat = setmetatable({
      root = root,
      client_id = client_id,
      bufnr = bufnr,
      writer = require("agentq.chat.writer").new(bufnr),
      transcript = transcript.new(config.get().chat.max_result_lines),
      seq = {},
      queued = 0,
      running_tools = {},
    }, Chat)
    by_root[root] = chat
  end
  if chat.client_id ~= client_id then
    chat:forget_session(client_id)
  end
  vim.b[chat.bufnr].agentq_client = client_id
  return chat
end

---@param client_id integer
---@return agentq.Chat?
function M.find(client_id)
  for _, chat in pairs(by_root) do
    if chat.client_id == client_id then
      return chat
    end
  end
end

--- What any conversation is at, nil when all are idle.
---@return string?
function M.activity()
  for _, chat in pairs(by_root) do
    if chat:state() ~= "idle" then
      return chat:state()
    end
  end
end

---@param client_id integer
---@param code integer
---@param signal integer
function M.on_exit(client_id, code, signal)
  local chat = M.find(client_id)
  if not chat then
    return
  end
  if chat.turn_id then
    chat:on_turn_ended({ kind = "turnEnded", reason = "error", message = "the server stopped" })
  end
  -- Signal 15 is how Neovim ends a server on its way out.
  if code ~= 0 or (signal ~= 0 and signal ~= 15) then
    local how = signal ~= 0 and ("was killed by signal %d"):format(signal) or ("ended with code %d"):format(code)
    chat:note("error", ("The server %s. :AgentQ restart starts it again; :checkhealth agentq"):format(how))
  end
  chat:forget_session(nil)
end

---@param client_id integer?
function Chat:forget_session(client_id)
  self.client_id = client_id or self.client_id
  self.session_id = nil
  self.turn_id = nil
  self.queued = 0
  self.running_tools = {}
end

---@param level "info"|"warning"|"error"
---@param message string
function Chat:note(level, message)
  self:reduce({ kind = "notice", level = level, message = message })
end

---@param event agentq.TurnEvent
function Chat:reduce(event)
  self.writer:push(transcript.reduce(self.transcript, event, vim.uv.now()))
end

--- Sends a prompt. While a turn runs the server queues it; it never waits here.
---@param text string
---@param context? table[] ContextRef[]
---@param on_refused? fun() called when the server did not take it
function Chat:prompt(text, context, on_refused)
  local function refuse(message)
    self:note("error", message)
    if on_refused then
      on_refused()
    end
  end
  local client = require("agentq.client")
  local connection = vim.lsp.get_client_by_id(self.client_id)
  if not connection then
    return refuse("The server is not running. :AgentQ restart starts it.")
  end
  for bufnr in pairs(connection.attached_buffers) do
    client.flush(connection, bufnr)
  end
  local params = { text = text, context = context, sessionId = self.session_id }
  client.request(connection, "agentq/prompt", params, function(err, result)
    if err then
      return refuse(err.message)
    end
    self.session_id = result.sessionId
    if result.queued then
      self.queued = self.queued + 1
      self:note("info", "queued for the next turn: " .. text)
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
    end
    if callback then
      callback(not err and result.cancelled or false)
    end
  end)
end

---@param params {sessionId: string, turnId: string, seq: integer, event: agentq.TurnEvent}
function Chat:on_event(params)
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
  if event.kind == "turnStarted" then
    self.turn_id = params.turnId
    self.queued = math.max(0, self.queued - 1)
    events.fire("TurnStarted", { sessionId = params.sessionId, turnId = params.turnId, text = event.text })
  elseif event.kind == "toolCall" then
    self.running_tools[event.toolCallId] = event.state ~= "done" and event.state or nil
    events.fire(
      "ToolCall",
      { sessionId = params.sessionId, toolCallId = event.toolCallId, name = event.name, state = event.state }
    )
  elseif event.kind == "toolResult" then
    self.running_tools[event.toolCallId] = nil
  end
  self:reduce(event)
  self:refresh_status()
end

--- Events of a turn are numbered from 0 without gaps, so a loss is seen and said.
---@param params {turnId: string, seq: integer}
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

function Chat:refresh_status()
  local text = "AgentQ · " .. self:state()
  if self.queued > 0 then
    text = ("%s · %d queued"):format(text, self.queued)
  end
  if vim.b[self.bufnr].agentq_state ~= text then
    vim.b[self.bufnr].agentq_state = text
    vim.cmd.redrawstatus({ bang = true })
  end
end

--- The next prompt starts a new conversation; the transcript stays and says so.
function Chat:start_new()
  if self.turn_id then
    return self:note("warning", "A turn runs; :AgentQ cancel ends it, then a new conversation can start.")
  end
  self:forget_session(nil)
  self.transcript = transcript.new(config.get().chat.max_result_lines)
  self.writer.blocks = {}
  self:note("info", "A new conversation starts here.")
end

return M
