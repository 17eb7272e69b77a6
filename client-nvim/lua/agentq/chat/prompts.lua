-- What a person sends: a prompt, with what goes along, and the wish to stop.
local client = require("agentq.client")
local context_words = require("agentq.chat.context")
local queue = require("agentq.chat.queue")
local say = require("agentq.say")
local start = require("agentq.start")
local sync = require("agentq.sync")

local M = {}

--- Error codes of a server that does not know the conversation.
local NOT_KEPT = { [-33002] = true, [-33009] = true }

--- The transcript stays; what the model knows of it does not.
---@param chat agentq.Chat
local function forget_session(chat)
  chat.session_id = nil
  if chat.is_known then
    chat.is_known = false
    chat:note("warning", "The model knows nothing of what stands above: the server has not kept it.")
  end
end

---@param chat agentq.Chat
---@param connection vim.lsp.Client
---@param prompt {text: string, context?: agentq.ContextRef[]}
---@param refuse fun(message: string)
local function send(chat, connection, prompt, refuse)
  for bufnr in pairs(connection.attached_buffers) do
    sync.flush(connection, bufnr)
  end
  local active = context_words.active(chat.root)
  local params = { text = prompt.text, context = prompt.context, sessionId = chat.session_id, active = active }
  client.request(connection, "agentq/prompt", params, function(err, result)
    if err and NOT_KEPT[err.code] and params.sessionId then
      forget_session(chat)
      return send(chat, connection, prompt, refuse)
    elseif err then
      return refuse(err.message)
    end
    chat.session_id = result.sessionId
    chat.attached[result.promptId or result.turnId] = context_words.names(prompt.context, chat.root)
    if result.queued then
      say.info("taken up as soon as the turn allows; :AgentQ queue edits it or takes it back")
    end
  end)
end

--- Sends a prompt. While a turn runs the server queues it; it never waits here.
---@param chat agentq.Chat
---@param text string
---@param context? agentq.ContextRef[]
---@param on_refused? fun() called when the server did not take it
function M.send(chat, text, context, on_refused)
  local back = chat.context_back
  chat.context_back = {}
  local function refuse(message)
    chat.context_back = back
    chat:note("error", message)
    if on_refused then
      on_refused()
    end
  end
  chat.writer:follow()
  if chat:state() == "starting" then
    say.brief("AgentQ: sent as soon as the server has started")
  end
  start.with_root(chat.root, function(connection)
    chat:speak_to(connection.id)
    local all = vim.list_extend(vim.list_extend({}, back), context or {})
    send(chat, connection, { text = text, context = #all > 0 and all or nil }, refuse)
  end, refuse)
end

--- Ends the turn; what was queued comes back into the message window.
---@param chat agentq.Chat
---@param callback? fun(cancelled: boolean)
function M.cancel(chat, callback)
  local connection = vim.lsp.get_client_by_id(chat.client_id)
  if not connection or not chat.session_id then
    return callback and callback(false)
  end
  client.request(connection, "agentq/cancel", { sessionId = chat.session_id }, function(err, result)
    if err then
      chat:note("error", err.message)
    elseif result.queued then
      local ids = vim.tbl_map(function(prompt)
        return prompt.promptId
      end, result.queued)
      queue.take_back(chat, ids)
    end
    if callback then
      callback(not err and result.cancelled or false)
    end
  end)
end

--- The person's key: what waits for them is not taken away before they were asked. Neovim goes on meanwhile, and so
--- does the turn.
---@param chat agentq.Chat
function M.stop(chat)
  if not chat.turn_id then
    return say.info("nothing is running")
  end
  local loss = require("agentq.chat.waiting").loss(chat.client_id, function(call)
    return chat.running_tools[call] ~= nil
  end)
  if not loss then
    return chat:cancel()
  end
  local question = ("%s waiting for your decision: stop the turn and withdraw that?"):format(loss)
  local close = require("agentq.float").confirm(question, function()
    chat:cancel()
  end)
  vim.api.nvim_create_autocmd("User", {
    group = vim.api.nvim_create_augroup(("agentq.stop.%d"):format(chat.bufnr), { clear = true }),
    pattern = "AgentQTurnEnded",
    once = true,
    callback = function()
      if close() then
        say.info("the turn has ended by itself")
      end
    end,
  })
end

return M
