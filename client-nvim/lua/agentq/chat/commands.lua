-- What :AgentQ does with conversations, messages and questions.
local optional = require("agentq.wire").optional
local say = require("agentq.say")
local start = require("agentq.start")

--- Calls `use` with the conversation of the current buffer's project, at once: what is typed next is for the message
--- window, also while the server starts.
---@param use fun(chat: agentq.Chat)
local function with_chat(use)
  local connection = start.client()
  if connection then
    use(require("agentq.chat.chats").of(connection.id))
  end
end

---@param use fun(chat: agentq.Chat, connection: vim.lsp.Client)
local function with_server(use)
  start.with_client(function(connection)
    use(require("agentq.chat.chats").of(connection.id), connection)
  end)
end

---@type table<string, agentq.Subcommand>
return {
  chat = {
    run = function()
      with_chat(function(chat)
        chat:open(true)
      end)
    end,
  },
  toggle = {
    run = function()
      if not require("agentq.chat.window").close() then
        with_chat(function(chat)
          chat:open(true)
        end)
      end
    end,
  },
  close = {
    run = function()
      require("agentq.chat.window").close()
    end,
  },
  prompt = {
    takes = "text",
    run = function(rest, args)
      local context = require("agentq.chat.context").of(args)
      with_chat(function(chat)
        chat:open(false)
        chat:prompt(rest, context)
      end)
    end,
  },
  ask = {
    run = function(rest, args)
      require("agentq.chat.ask").ask(rest, args)
    end,
  },
  new = {
    run = function()
      with_chat(function(chat)
        chat:start_new()
      end)
    end,
  },
  sessions = {
    run = function()
      with_server(require("agentq.chat.sessions").choose)
    end,
  },
  resume = {
    run = function()
      with_chat(function(chat)
        chat:open(true)
      end)
      with_server(require("agentq.chat.sessions").resume_last)
    end,
  },
  rename = {
    run = function(rest)
      start.with_client(function(connection)
        require("agentq.chat.stored").rename(connection, rest)
      end)
    end,
  },
  delete = {
    run = function()
      start.with_client(require("agentq.chat.stored").delete)
    end,
  },
  search = {
    run = function(rest)
      start.with_client(function(connection)
        require("agentq.chat.stored").search(connection, rest)
      end)
    end,
  },
  export = {
    run = function(rest)
      start.with_client(function(connection)
        require("agentq.chat.stored").export(connection, rest)
      end)
    end,
  },
  fork = {
    run = function()
      start.with_client(require("agentq.chat.stored").fork)
    end,
  },
  queue = {
    run = function()
      with_chat(function(chat)
        require("agentq.chat.queue").choose(chat)
      end)
    end,
  },
  model = {
    run = function(rest)
      start.with_client(function(connection)
        require("agentq.chat.models").choose(connection, rest)
      end)
    end,
  },
  thinking = {
    run = function(rest)
      start.with_client(function(connection)
        require("agentq.chat.models").think(connection, rest)
      end)
    end,
  },
  cancel = {
    run = function()
      with_chat(function(chat)
        chat:cancel(function(cancelled)
          if not cancelled then
            say.info("nothing is running")
          end
        end)
      end)
    end,
  },
  approve = {
    run = function(rest)
      if rest ~= "" and rest ~= "session" and rest ~= "workspace" then
        return say.error(":AgentQ approve [session | workspace]")
      end
      require("agentq.chat.approvals").answer("approved", nil, false, optional(rest))
    end,
  },
  question = {
    run = function()
      require("agentq.chat.approvals").open()
    end,
  },
  deny = {
    run = function(rest, args)
      require("agentq.chat.approvals").answer("denied", optional(rest), args.bang)
    end,
  },
}
