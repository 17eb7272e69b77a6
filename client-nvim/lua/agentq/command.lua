-- :AgentQ {subcommand}
local client = require("agentq.client")
local here = require("agentq.here")
local say = require("agentq.say")

local M = {}

---@class agentq.Subcommand
---@field run fun(rest: string, args: table)
---@field takes? string what follows, for messages

---@param use fun(chat: agentq.Chat, connection: vim.lsp.Client)
local function with_chat(use)
  client.with_client(function(connection)
    use(require("agentq.chat.chats").of(connection.id), connection)
  end)
end

local function optional(text)
  return text ~= "" and text or nil
end

---@type table<string, agentq.Subcommand>
local subcommands = {
  chat = {
    run = function()
      with_chat(function(chat)
        require("agentq.chat.window").open(chat, true)
      end)
    end,
  },
  prompt = {
    takes = "text",
    run = function(rest, args)
      local context = require("agentq.chat.context").of(args)
      with_chat(function(chat)
        require("agentq.chat.window").open(chat, false)
        chat:prompt(rest, context)
      end)
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
      client.with_client(require("agentq.chat.sessions").choose)
    end,
  },
  resume = {
    run = function()
      client.with_client(require("agentq.chat.sessions").resume_last)
    end,
  },
  rename = {
    run = function(rest)
      client.with_client(function(connection)
        require("agentq.chat.stored").rename(connection, rest)
      end)
    end,
  },
  delete = {
    run = function()
      client.with_client(require("agentq.chat.stored").delete)
    end,
  },
  search = {
    run = function(rest)
      client.with_client(function(connection)
        require("agentq.chat.stored").search(connection, rest)
      end)
    end,
  },
  export = {
    run = function(rest)
      client.with_client(function(connection)
        require("agentq.chat.stored").export(connection, rest)
      end)
    end,
  },
  fork = {
    run = function()
      client.with_client(require("agentq.chat.stored").fork)
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
      client.with_client(function(connection)
        require("agentq.chat.models").choose(connection, rest)
      end)
    end,
  },
  thinking = {
    run = function(rest)
      client.with_client(function(connection)
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
  eval = {
    run = function(rest, args)
      local module = args.range > 0 and here.module() or nil
      if rest == "" and args.range > 0 then
        return client.with_client(function(connection)
          require("agentq.repl.selection").evaluate_selection(connection, args, module)
        end)
      elseif rest == "" and here.module() then
        return client.with_client(require("agentq.repl.selection").evaluate_form)
      end
      local code = rest ~= "" and rest or vim.api.nvim_get_current_line()
      if vim.trim(code) == "" then
        return say.warn("there is nothing to evaluate here")
      end
      client.with_client(function(connection)
        require("agentq.repl.eval").evaluate(connection, code, module)
      end)
    end,
  },
  interrupt = {
    run = function(rest)
      client.with_client(function(connection)
        require("agentq.repl.interrupt").interrupt(connection, rest)
      end)
    end,
  },
  inspect = {
    run = function(rest, args)
      local value = rest
      if value == "" and args.range > 0 then
        value = (require("agentq.repl.selection").selected(args))
      elseif value == "" then
        value = here.value()
      end
      if vim.trim(value) == "" then
        return say.warn("name a value: :AgentQ inspect $7")
      end
      -- What is named in a file is the module's own; what is typed without a range is the session's.
      local module = (rest == "" or args.range > 0) and vim.bo.buftype == "" and vim.uri_from_bufnr(0) or nil
      client.with_client(function(connection)
        require("agentq.repl.inspect").open(connection, value, module)
      end)
    end,
  },
  repl = {
    run = function(rest)
      local word, which = rest:match("^(%S*)%s*(.-)$")
      if word == "restart" then
        local ids = which ~= "" and vim.split(which, "[%s,]+", { trimempty = true }) or nil
        return client.with_client(function(connection)
          require("agentq.repl.restart").restart(connection, ids)
        end)
      elseif word == "lock" or word == "unlock" then
        return client.with_client(function(connection)
          require("agentq.repl.state").lock(connection, word == "lock")
        end)
      elseif word == "history" then
        return client.with_client(require("agentq.repl.history").open)
      elseif word ~= "" then
        return say.error(":AgentQ repl [history | restart | lock | unlock]")
      end
      require("agentq.repl.logs").here():open()
    end,
  },
  trace = {
    run = function(rest)
      local name = rest ~= "" and rest or here.value()
      local arguments = name ~= "" and { symbol = name, path = rest == "" and here.file() or nil } or {}
      client.with_client(function(connection)
        require("agentq.repl.tools").call(connection, "trace_function", arguments, "trace " .. name)
      end)
    end,
  },
  untrace = {
    run = function(rest)
      local arguments = rest ~= "" and { symbol = rest } or {}
      client.with_client(function(connection)
        require("agentq.repl.tools").call(connection, "untrace_function", arguments, vim.trim("untrace " .. rest))
      end)
    end,
  },
  test = {
    run = function(rest)
      local file = rest == "%" and here.file() or optional(rest)
      client.with_client(function(connection)
        require("agentq.repl.tools").call(connection, "run_tests", { path = file }, vim.trim("test " .. (file or "")))
      end)
    end,
  },
  changes = {
    run = function(rest)
      local answer, file = rest:match("^(%S*)%s*(.-)$")
      require("agentq.repl.changes").review(optional(answer), optional(vim.fn.expandcmd(file)))
    end,
  },
  review = {
    run = function()
      require("agentq.review.quickfix").fill()
      require("agentq.review.navigate").begin()
    end,
  },
  reviewall = {
    run = function()
      local current = require("agentq.review.navigate").current()
      require("agentq.review.window").open(current)
    end,
  },
  hunks = {
    run = function()
      if require("agentq.review.quickfix").fill() > 0 then
        vim.cmd("botright copen")
      else
        say.info("no hunk waits for a decision")
      end
    end,
  },
  next = {
    run = function()
      require("agentq.review.navigate").move(1)
    end,
  },
  prev = {
    run = function()
      require("agentq.review.navigate").move(-1)
    end,
  },
  accept = {
    run = function(_, args)
      local actions = require("agentq.review.actions")
      if args.range > 0 then
        actions.accept_lines(args.line1 - 1, args.line2 - 1)
      else
        actions.accept()
      end
    end,
  },
  split = {
    run = function()
      require("agentq.review.actions").split()
    end,
  },
  reject = {
    run = function(rest, args)
      require("agentq.review.actions").reject(optional(rest), args.bang)
    end,
  },
  edit = {
    run = function()
      require("agentq.review.actions").edit()
    end,
  },
  acceptall = {
    run = function()
      require("agentq.review.actions").accept_all()
    end,
  },
  rejectall = {
    run = function(rest, args)
      require("agentq.review.actions").reject_all(optional(rest), args.bang)
    end,
  },
  testhunks = {
    run = function(_, args)
      require("agentq.review.actions").test(args.bang)
    end,
  },
  undo = {
    run = function()
      require("agentq.review.later").undo()
    end,
  },
  reopen = {
    run = function()
      require("agentq.review.later").reopen()
    end,
  },
  rewind = {
    run = function()
      require("agentq.review.later").rewind()
    end,
  },
  patch = {
    run = function()
      require("agentq.review.later").patch()
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
  remembered = {
    run = function()
      client.with_client(require("agentq.records").remembered)
    end,
  },
  tools = {
    run = function()
      client.with_client(require("agentq.records").tools)
    end,
  },
  metrics = {
    run = function()
      client.with_client(require("agentq.records").metrics)
    end,
  },
  mcp = {
    run = function(rest)
      local word, name = rest:match("^(%S*)%s*(.-)$")
      if word ~= "restart" then
        return say.error(":AgentQ mcp restart [name]")
      end
      client.with_client(function(connection)
        require("agentq.mcp").restart(connection, optional(name))
      end)
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
  status = {
    run = function()
      client.with_client(require("agentq.status").show)
    end,
  },
  restart = {
    run = function()
      local connection = client.current()
      if connection then
        client.restart(connection)
      else
        client.with_client(function() end)
      end
    end,
  },
}

---@return string[]
function M.names()
  local names = vim.tbl_keys(subcommands)
  table.sort(names)
  return names
end

---@param args {args: string, range: integer, line1: integer, line2: integer, bang: boolean}
function M.run(args)
  local name, rest = args.args:match("^%s*(%S*)%s*(.-)%s*$")
  name = name == "" and "chat" or name
  local subcommand = subcommands[name]
  if not subcommand then
    say.error(("there is no %q; try one of %s"):format(name, table.concat(M.names(), ", ")))
  elseif subcommand.takes and rest == "" then
    say.error((":AgentQ %s {%s}"):format(name, subcommand.takes))
  else
    subcommand.run(rest, args)
  end
end

--- The module in whose scope a command line's code will run: that of the current file where the line begins with a
--- range.
---@param line string
---@return string?
local function module_of(line)
  local range = vim.trim(line:match("^%s*:?(.-)AgentQ") or "")
  return range:find("[%d.$%%'<>]$") and here.module() or nil
end

--- Completes subcommands; what follows them is free text.
---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local before = line:match("^.*AgentQ!?%s+(.*)$") or ""
  local words = before:match("^repl%s+%S*$") and { "history", "lock", "restart", "unlock" }
    or before:match("^export%s+%S*$") and { "json", "markdown" }
    or before:match("^mcp%s+%S*$") and { "restart" }
    or before:match("^repl%s+restart%s+%S*$") and { "all" }
    or before:match("^changes%s+%S*$") and { "keep", "revert" }
    or before:match("^changes%s+%S+%s+%S*$") and require("agentq.repl.changes").files()
    or before:match("^approve%s+%S*$") and { "session", "workspace" }
    or before:match("^interrupt%s+%S*$") and require("agentq.repl.interrupt").ids()
  if words then
    return vim.tbl_filter(function(word)
      return vim.startswith(word, lead)
    end, words)
  end
  local code = before:match("^eval%s+(.*)$") or before:match("^inspect%s+(.*)$")
  if code then
    return require("agentq.repl.complete").complete(code, lead, module_of(line))
  end
  if before:find("%s") then
    return {}
  end
  return vim.tbl_filter(function(name)
    return vim.startswith(name, lead)
  end, M.names())
end

return M
