-- What :AgentQ does in the REPL, or in the running program that the person's forms go to.
local here = require("agentq.here")
local optional = require("agentq.wire").optional
local say = require("agentq.say")
local start = require("agentq.start")

---@param what string
---@param tool string
---@return agentq.Subcommand
local function listing(what, tool)
  return {
    run = function(rest)
      require("agentq.found").list(what, tool, rest)
    end,
  }
end

--- The process that a value is looked up in: a handle in a line of the log is of the process that the line is of.
---@param connection vim.lsp.Client
---@param log? agentq.Log the log in which the value stands
---@param row integer
---@return string? process
local function process_of_value(connection, log, row)
  if log then
    return log:process_at(row)
  end
  return require("agentq.repl.process").of(connection.id)
end

--- Calls a tool where the person's forms go.
---@param tool string
---@param arguments table<string, any>
---@param heading string
local function call(tool, arguments, heading)
  start.with_client(function(connection)
    local process = require("agentq.repl.process").of(connection.id)
    local all = vim.tbl_extend("error", arguments, { process = process })
    require("agentq.repl.tools").call(connection, tool, all, heading)
  end)
end

---@type table<string, agentq.Subcommand>
return {
  callers = listing("callers", "who_calls"),
  references = listing("references", "who_references"),
  hierarchy = listing("hierarchy", "class_hierarchy"),
  implementations = listing("implementations", "find_implementations"),
  eval = {
    run = function(rest, args)
      local module = args.range > 0 and here.module() or nil
      if rest == "" and args.range > 0 then
        return start.with_client(function(connection)
          require("agentq.repl.selection").evaluate_selection(connection, args, module)
        end)
      elseif rest == "" and here.module() then
        return start.with_client(require("agentq.repl.selection").evaluate_form)
      end
      local code = rest ~= "" and rest or vim.api.nvim_get_current_line()
      if vim.trim(code) == "" then
        return say.warn("there is nothing to evaluate here")
      end
      start.with_client(function(connection)
        require("agentq.repl.eval").evaluate(connection, code, module)
      end)
    end,
  },
  interrupt = {
    run = function(rest)
      start.with_client(function(connection)
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
      local log = rest == "" and require("agentq.repl.logs").shown_in(vim.api.nvim_get_current_buf()) or nil
      local row = args.range > 0 and args.line1 or vim.fn.line(".")
      start.with_client(function(connection)
        local process = process_of_value(connection, log, row)
        require("agentq.repl.inspect").open(connection, value, { process = process, module = module })
      end)
    end,
  },
  process = {
    run = function(rest)
      start.with_client(function(connection)
        require("agentq.repl.process").choose(connection, rest)
      end)
    end,
  },
  repl = {
    run = function(rest)
      local word, which = rest:match("^(%S*)%s*(.-)$")
      if word == "restart" then
        local ids = which ~= "" and vim.split(which, "[%s,]+", { trimempty = true }) or nil
        return start.with_client(function(connection)
          require("agentq.repl.restart").restart(connection, ids)
        end)
      elseif word == "lock" or word == "unlock" then
        return start.with_client(function(connection)
          require("agentq.repl.state").lock(connection, word == "lock")
        end)
      elseif word == "history" then
        return start.with_client(require("agentq.repl.history").open)
      elseif word == "type" then
        local input, logs = require("agentq.repl.input"), require("agentq.repl.logs")
        local log = logs.shown_in(vim.api.nvim_get_current_buf())
        if log then
          return input.open(log)
        end
        return start.with_client(function(connection)
          input.open(logs.of(connection.id))
        end)
      elseif word ~= "" then
        return say.error(":AgentQ repl [type | history | restart | lock | unlock]")
      end
      require("agentq.repl.window").open(require("agentq.repl.logs").here())
    end,
  },
  trace = {
    run = function(rest)
      local name = rest ~= "" and rest or here.value()
      local arguments = name ~= "" and { symbol = name, path = rest == "" and here.file() or nil } or {}
      call("trace_function", arguments, "trace " .. name)
    end,
  },
  untrace = {
    run = function(rest)
      local arguments = rest ~= "" and { symbol = rest } or {}
      call("untrace_function", arguments, vim.trim("untrace " .. rest))
    end,
  },
  test = {
    run = function(rest)
      local file = rest == "%" and here.file() or optional(rest)
      start.with_client(function(connection)
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
}
