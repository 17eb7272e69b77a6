-- :AgentQ eval evaluates for the person, in the REPL that the agent uses too.
local client = require("agentq.client")
local describe = require("agentq.repl.describe")
local events = require("agentq.events")
local float = require("agentq.float")
local logs = require("agentq.repl.logs")
local places = require("agentq.repl.places")
local running = require("agentq.repl.running")
local say = require("agentq.say")

local M = {}

--- Adds a hint where the unknown name of an error is a name of the file: the person may have meant the file's scope.
---@param bufnr integer
---@param err agentq.ErrorInfo?
---@param shown agentq.Description
local function add_scope_hint(bufnr, err, shown)
  local name = err and err.name == "ReferenceError" and err.message:match("^([%w_$]+) is not defined")
  if not name or not vim.api.nvim_buf_is_valid(bufnr) then
    return
  end
  local text = "\n" .. table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), "\n") .. "\n"
  if text:find("[^%w_$]" .. vim.pesc(name) .. "[^%w_$]") then
    shown.lines[#shown.lines + 1] = ("This file names %s: :.AgentQ eval evaluates in the file's own scope."):format(
      name
    )
    shown.groups[#shown.lines] = "AgentqHint"
  end
end

---@param log agentq.Log
---@param code string
---@param module? string URI of the module in whose scope it runs
---@return string[]
local function prompt_lines(log, code, module)
  local lines = vim.split(vim.trim(code), "\n", { plain = true })
  local scope = module and log:file(vim.uri_to_fname(module)) .. " " or ""
  for index, line in ipairs(lines) do
    lines[index] = (index == 1 and scope .. "> " or "… ") .. line
  end
  return lines
end

--- Writes the outcome into the log, below the name of the form where other text came in between.
---@param form agentq.RunningForm
---@param begun integer
---@param shown agentq.Description
---@param id? string
local function write_outcome(form, begun, shown, id)
  form.log:name_form(begun, id or "?", describe.short(form.code), form.process)
  form.log:append(shown.lines, shown.groups, id, form.process)
  form.log:append({ "" }, nil, id, form.process)
end

---@param result agentq.EvalResult
---@param process? string
---@return string
local function title_of(result, process)
  local words = ("%s · %d ms · form %s"):format(result.outcome, math.floor(result.durationMs + 0.5), result.evalId)
  return process and ("%s · %s"):format(words, process) or words
end

--- Evaluates code where the person's forms go, and shows the outcome in a float and in the log.
---@param connection vim.lsp.Client
---@param code string
---@param module? string URI of the module in whose scope the code runs
---@param options? {install?: boolean, origin?: agentq.Origin, in_log?: boolean} install: the code is declarations that take the place of
---  the module's own; origin: the place in a file that it was taken from; in_log: the person looks at the log already
function M.evaluate(connection, code, module, options)
  local install, origin = options and options.install, options and options.origin
  require("agentq.highlights").define()
  float.close()
  local log = logs.of(connection.id)
  local process = log.process
  log:append(prompt_lines(log, code, module), "AgentqUser", nil, process)
  local begun = log:count()
  local bufnr = vim.api.nvim_get_current_buf()
  local is_beside = module == nil and require("agentq.here").module() ~= nil
  local form = running.add(code, log, connection.id, process)
  local tell_beside = require("agentq.repl.beside").place(origin, code)
  local timeout_ms = require("agentq.config").get().eval_timeout_ms
  client.request(
    connection,
    "agentq/evaluate",
    { process = process, code = code, module = module, install = install, timeoutMs = timeout_ms },
    function(err, result)
      if not running.take(form) then
        return
      end
      form.stop_view()
      if result then
        places.remember(log, places.key(result.evalId, process), origin)
        places.put(log, result.error, process)
      end
      local shown = err and { lines = vim.split(err.message, "\n", { plain = true }), groups = { "AgentqError" } }
        or describe.describe(result, log, { process = process })
      if is_beside then
        add_scope_hint(bufnr, result and result.error, shown)
      end
      write_outcome(form, begun, shown, result and result.evalId)
      tell_beside(shown)
      local title = err and "error" or title_of(result, process)
      -- A log that is in sight shows the same.
      if options and options.in_log or vim.fn.bufwinid(log.bufnr) ~= -1 then
        float.close()
        log:follow()
      elseif vim.api.nvim_get_current_buf() == bufnr and vim.api.nvim_get_mode().mode ~= "c" then
        float.show(shown.lines, { title = title, groups = shown.groups })
      else
        say.brief(describe.short(shown.lines[1] or title, vim.o.columns - 12), shown.groups[1])
      end
      vim.cmd.redrawstatus({ bang = true })
      events.fire("EvalDone", { code = code, result = result, error = err and err.message, process = process })
    end,
    bufnr
  )
end

return M
