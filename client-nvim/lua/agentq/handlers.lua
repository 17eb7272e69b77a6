-- Hands each notification of the server to the feature that shows it, and each request to the one that answers it. Nothing here asks a question or moves the cursor.
local M = {}

--- Calls a feature with the conversation of a server, where there is one.
---@param client_id integer
---@param use fun(chat: agentq.Chat)
local function with_chat(client_id, use)
  local chat = require("agentq.chat.chats").find(client_id)
  if chat then
    use(chat)
  end
end

---@param client_id integer
---@param proposal agentq.Proposal
local function tell_chat(client_id, proposal)
  with_chat(client_id, function(chat)
    require("agentq.chat.turn_events").on_proposal(chat, proposal)
  end)
end

---@type table<string, fun(client_id: integer, params: any)>
local notifications = {
  ["agentq/event"] = function(client_id, params)
    require("agentq.chat.turn_events").on_event(require("agentq.chat.chats").of(client_id), params)
  end,
  ["agentq/delegated"] = function(client_id, params)
    require("agentq.chat.turn_events").on_delegated(require("agentq.chat.chats").of(client_id), params)
  end,
  ["agentq/queueChanged"] = function(client_id, params)
    with_chat(client_id, function(chat)
      require("agentq.chat.queue").on_changed(chat, params)
    end)
  end,
  ["agentq/sessionChanged"] = function(client_id, params)
    require("agentq.chat.chats").of(client_id):named(params)
  end,
  ["agentq/proposal"] = function(client_id, params)
    require("agentq.review.arrivals").on_proposal(client_id, params)
    tell_chat(client_id, params)
  end,
  ["agentq/proposalChanged"] = function(client_id, params)
    require("agentq.review.arrivals").on_changed(client_id, params)
    tell_chat(client_id, params)
  end,
  ["agentq/hunksChanged"] = function(client_id, params)
    local proposal = require("agentq.review.arrivals").on_hunks_changed(params)
    if proposal then
      tell_chat(client_id, proposal)
    end
  end,
  ["agentq/approval"] = function(client_id, params)
    require("agentq.chat.approvals").on_approval(client_id, params)
  end,
  ["agentq/approvalChanged"] = function(client_id, params)
    require("agentq.chat.approvals").on_changed(params)
    require("agentq.chat.chats").refresh(client_id)
  end,
  ["agentq/replOutput"] = function(client_id, params)
    require("agentq.repl.logs").of(client_id):output(params)
  end,
  ["agentq/agentEvaluation"] = function(client_id, params)
    require("agentq.repl.agent").on_evaluation(client_id, params)
  end,
  ["agentq/lateNotes"] = function(client_id, params)
    require("agentq.repl.logs").of(client_id):late_notes(params)
  end,
  ["agentq/replState"] = function(client_id, params)
    require("agentq.repl.state").on_state(client_id, params)
  end,
  ["agentq/processesChanged"] = function(client_id, params)
    require("agentq.repl.process").on_changed(client_id, params)
  end,
  ["agentq/evaluationChanges"] = function(client_id, params)
    require("agentq.repl.changes").on_changes(client_id, params)
  end,
  -- Neovim's own handler shows a message whole, and then waits for Enter where the message is longer than the screen.
  ["window/showMessage"] = function(client_id, params)
    local level = ({ "error", "warning" })[params.type] or "info"
    require("agentq.chat.chats").of(client_id):note(level, params.message)
    local say = require("agentq.say")
    local tell = { error = say.error, warning = say.warn, info = say.info }
    tell[level](params.message)
  end,
  ["agentq/statusChanged"] = function(client_id, params)
    require("agentq.status").changed(client_id, params)
  end,
}

--- Requests of the server, which are answered at once.
---@type table<string, fun(params: any): any>
local requests = {
  ["agentq/listBuffers"] = function()
    return require("agentq.open_buffers").list()
  end,
  ["agentq/readBuffer"] = function(params)
    return require("agentq.open_buffers").read(params)
  end,
  ["agentq/reloadBuffers"] = function(params)
    require("agentq.open_buffers").follow(params.uris)
    return { reloaded = true }
  end,
}

---@return table<string, lsp.Handler>
function M.table()
  local handlers = {}
  for method, handle in pairs(notifications) do
    handlers[method] = function(_, params, context)
      handle(context.client_id, require("agentq.wire").without_null(params))
    end
  end
  for method, answer in pairs(requests) do
    handlers[method] = function(_, params)
      local result = answer(params)
      if result == nil then
        return nil, { code = -32602, message = "there is no such buffer" }
      end
      return result
    end
  end
  return handlers
end

--- Commands that the server's code actions name. They are carried out here: the answer is for the chat of the project.
---@return table<string, fun(command: lsp.Command, context: {client_id: integer})>
function M.commands()
  return {
    ["agentq.ask"] = function(command, context)
      local asked = require("agentq.wire").without_null(command.arguments[1])
      local chat = require("agentq.chat.chats").of(context.client_id)
      chat:open(false)
      chat:prompt(asked.text, asked.context)
    end,
  }
end

---@param connection vim.lsp.Client
function M.on_start(connection)
  require("agentq.repl.state").on_start(connection)
  require("agentq.repl.process").on_start(connection)
  -- A conversation with the server before this one goes on, where there is any.
  local chats = package.loaded["agentq.chat.chats"]
  if chats then
    vim.schedule(function()
      chats.refresh(connection.id)
    end)
  end
end

---@param client_id integer
---@param code integer
---@param signal integer
function M.on_exit(client_id, code, signal)
  -- The chat goes first: it reports what is lost with the server, and then the features forget that.
  require("agentq.chat.chats").on_exit(client_id, code, signal)
  require("agentq.client").ended(client_id)
  require("agentq.chat.chats").refresh(client_id)
end

return M
