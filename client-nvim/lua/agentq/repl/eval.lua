-- :AgentQ eval — the person's own evaluation, in the REPL the agent uses.
local client = require("agentq.client")
local events = require("agentq.events")
local float = require("agentq.float")
local logs = require("agentq.repl.logs")
local places = require("agentq.repl.places")
local say = require("agentq.say").say

local M = {}

local SHOWN_ROWS = 10
--- What takes longer than that is said to be running.
local SOON_MS = 400

---@class agentq.RunningForm
---@field code string
---@field log agentq.Log
---@field client_id integer
---@field stop_view fun()

---@type agentq.RunningForm[] those that have not answered, oldest first
local running = {}

---@param log agentq.Log
---@return agentq.RunningForm[]
local function running_in(log)
  return vim.tbl_filter(function(form)
    return form.log == log
  end, running)
end

---@param log agentq.Log
---@return boolean
function M.busy(log)
  return #running_in(log) > 0
end

--- Whether what comes can only be of one form or one tool of the person's, whose heading stands above.
---@param log agentq.Log
---@return boolean
function M.is_alone(log)
  return #running_in(log) + log.own_calls == 1
end

--- For status lines.
---@param log? agentq.Log of all projects when absent
---@return string?
function M.running_words(log)
  local count = log and #running_in(log) or #running
  if count > 1 then
    return ("evaluating %d forms"):format(count)
  end
  return count == 1 and "evaluating" or nil
end

--- Takes forms off the list that wait for their answer; false for one that is off it.
---@param form agentq.RunningForm
---@return boolean
local function take(form)
  local before = #running
  running = vim.tbl_filter(function(other)
    return other ~= form
  end, running)
  return #running < before
end

--- What runs gets no answer any more: its server has ended.
---@param client_id integer
function M.forget(client_id)
  for _, form in ipairs(vim.list_slice(running)) do
    if form.client_id == client_id then
      take(form)
      form.stop_view()
      float.close()
      form.log:append({ ("%s: the server ended before it answered"):format(M.short(form.code)), "" }, { "AgentqError" })
    end
  end
end

--- A form on one line, for lists and headings.
---@param code string
---@param width? integer
---@return string
function M.short(code, width)
  local line = vim.trim(code:gsub("%s*\n%s*", " "))
  width = width or 60
  return vim.fn.strchars(line) > width and vim.fn.strcharpart(line, 0, width - 1) .. "…" or line
end

--- The text of a command's range: the exact selection when the range is the last visual one.
---@param args {line1: integer, line2: integer}
---@return string
---@return agentq.Origin? origin nil for a block and outside of files
function M.selected(args)
  local from, to = vim.fn.getpos("'<"), vim.fn.getpos("'>")
  local mode = vim.fn.visualmode()
  if from[2] == args.line1 and to[2] == args.line2 and mode ~= "" then
    local text = table.concat(vim.fn.getregion(from, to, { type = mode }), "\n")
    local column = mode == "v" and from[3] - 1 or 0
    return text, (mode == "v" or mode == "V") and places.origin(0, from[2] - 1, column) or nil
  end
  local text = table.concat(vim.api.nvim_buf_get_lines(0, args.line1 - 1, args.line2, false), "\n")
  return text, places.origin(0, args.line1 - 1, 0)
end

--- Whether the cursor still stands where it stood, with nothing else going on there.
---@return fun(): boolean
local function watch_place()
  local window, cursor = vim.api.nvim_get_current_win(), vim.api.nvim_win_get_cursor(0)
  return function()
    return vim.api.nvim_get_current_win() == window
      and vim.api.nvim_get_mode().mode == "n"
      and vim.deep_equal(vim.api.nvim_win_get_cursor(0), cursor)
  end
end

--- Shows that a form runs, and the end of its live output, until the outcome takes the place.
---@param form {code: string, log: agentq.Log}
---@return fun() stop
local function live_view(form)
  local tail, over = "", false
  local is_same_place = watch_place()
  local function show()
    -- A question that is shown stays: the form waits for its answer.
    if over or require("agentq.chat.approvals").count() > 0 or not is_same_place() then
      return
    end
    local text = tail ~= "" and require("agentq.repl.ansi").strip(tail) or M.short(form.code)
    local lines = vim.split(vim.trim(text), "\n", { plain = true })
    float.show(vim.list_slice(lines, math.max(1, #lines - SHOWN_ROWS + 1)), {
      title = "running · :AgentQ interrupt stops it",
    })
  end
  local stop_listening = form.log:listen(function(params)
    if not M.is_alone(form.log) or params.late then
      return
    end
    tail = (tail .. params.text):sub(-4000)
    show()
  end)
  vim.defer_fn(function()
    if tail == "" then
      show()
    end
  end, SOON_MS)
  return function()
    over = true
    stop_listening()
  end
end

--- A name of the file that the REPL's own scope does not have: the person may have meant the file's.
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

--- Writes the outcome into the log; what was written since the form began is told apart by the form's name.
---@param form agentq.RunningForm
---@param begun integer
---@param shown agentq.Description
---@param id? string
local function write_outcome(form, begun, shown, id)
  form.log:name_form(begun, id or "?", M.short(form.code))
  form.log:append(shown.lines, shown.groups, id)
  form.log:append({ "" }, nil, id)
end

--- Evaluates code and shows the outcome in a float and in the log.
---@param connection vim.lsp.Client
---@param code string
---@param module? string URI of the module in whose scope the code runs
---@param options? {install?: boolean, origin?: agentq.Origin} install: the code is declarations that take the place of
---  the module's own; origin: the place in a file that it was taken from
function M.evaluate(connection, code, module, options)
  local install, origin = options and options.install, options and options.origin
  require("agentq.highlights").define()
  float.close()
  local log = logs.of(connection.id)
  log:append(prompt_lines(log, code, module), "AgentqUser")
  local begun = log:count()
  local bufnr = vim.api.nvim_get_current_buf()
  local is_beside = module == nil and require("agentq.here").module() ~= nil
  local form = { code = code, log = log, client_id = connection.id }
  running[#running + 1] = form
  form.stop_view = live_view(form)
  local timeout_ms = require("agentq.config").get().eval_timeout_ms
  client.request(
    connection,
    "agentq/evaluate",
    { code = code, module = module, install = install, timeoutMs = timeout_ms },
    function(err, result)
      if not take(form) then
        return
      end
      form.stop_view()
      if result then
        places.remember(log, result.evalId, origin)
        places.put(log, result.error)
      end
      local shown = err and { lines = vim.split(err.message, "\n", { plain = true }), groups = { "AgentqError" } }
        or require("agentq.repl.describe").describe(result, log)
      if is_beside then
        add_scope_hint(bufnr, result and result.error, shown)
      end
      write_outcome(form, begun, shown, result and result.evalId)
      local title = err and "error"
        or ("%s · %d ms · form %s"):format(result.outcome, math.floor(result.durationMs + 0.5), result.evalId)
      if vim.api.nvim_get_current_buf() == bufnr and vim.api.nvim_get_mode().mode ~= "c" then
        float.show(shown.lines, { title = title, groups = shown.groups })
      else
        vim.api.nvim_echo({ { M.short(shown.lines[1] or title, vim.o.columns - 12), shown.groups[1] } }, false, {})
      end
      vim.cmd.redrawstatus({ bang = true })
      events.fire("EvalDone", { code = code, result = result, error = err and err.message })
    end,
    bufnr
  )
end

--- Evaluates the top-level form around the cursor in its module's scope: a definition is redefined.
---@param connection vim.lsp.Client
function M.evaluate_form(connection)
  local bufnr = vim.api.nvim_get_current_buf()
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local line = vim.api.nvim_get_current_line()
  local uri = vim.uri_from_bufnr(bufnr)
  local character = places.units(line, column)
  local params = { uri = uri, position = { line = row - 1, character = character } }
  client.request(connection, "agentq/formAt", params, function(err, result)
    local range = not err and result.range
    if not range then
      local why = err and err.message or "the file does not parse, or has nothing to evaluate; select what you mean"
      return say(why, vim.log.levels.WARN)
    end
    local from, to = range.start, range["end"]
    local function byte(position)
      local text = vim.api.nvim_buf_get_lines(bufnr, position.line, position.line + 1, false)[1] or ""
      return vim.fn.byteidx(text, position.character, true)
    end
    local first, last = byte(from), byte(to)
    local code = vim.api.nvim_buf_get_text(bufnr, from.line, first, to.line, last, {})
    M.flash(bufnr, { from.line, first }, { to.line, last })
    local origin = { uri = uri, line = from.line, character = from.character }
    M.evaluate(connection, table.concat(code, "\n"), uri, { install = result.declares, origin = origin })
  end, bufnr)
end

---@param a lsp.Position
---@param b lsp.Position
local function is_before(a, b)
  return a.line < b.line or a.line == b.line and a.character < b.character
end

--- Where the next form can begin: behind blanks on the line, else on the next one.
---@param bufnr integer
---@param at lsp.Position
---@return lsp.Position
local function next_place(bufnr, at)
  local line = vim.api.nvim_buf_get_lines(bufnr, at.line, at.line + 1, false)[1] or ""
  local byte = vim.fn.byteidx(line, at.character, true)
  local code = line:find("[^%s;]", math.max(0, byte) + 1)
  if not code or line:find("^/[/*]", code) then
    return { line = at.line + 1, character = 0 }
  end
  return { line = at.line, character = places.units(line, code - 1) }
end

--- Whether a stretch of a file consists of whole definitions, which take the place of the module's own.
---@param connection vim.lsp.Client
---@param bufnr integer
---@param first lsp.Position
---@param last lsp.Position exclusive
---@param answer fun(declares: boolean)
local function ask_whether_declares(connection, bufnr, first, last, answer)
  local function look(at, found)
    if not is_before(at, last) then
      return answer(found)
    end
    local params = { uri = vim.uri_from_bufnr(bufnr), position = at }
    client.request(connection, "agentq/formAt", params, function(err, result)
      local range = not err and result.range
      if not range then
        answer(false)
      elseif not is_before(range.start, last) then
        answer(found)
      elseif not is_before(at, range["end"]) then
        look({ line = at.line + 1, character = 0 }, found)
      elseif not result.declares or is_before(range.start, first) or is_before(last, range["end"]) then
        answer(false)
      else
        look(next_place(bufnr, range["end"]), true)
      end
    end, bufnr)
  end
  look(first, false)
end

--- Evaluates a command's range. Whole definitions are redefined for all who import them, as the one under the cursor is;
--- anything else is evaluated as it stands.
---@param connection vim.lsp.Client
---@param args {line1: integer, line2: integer}
---@param module? string URI
function M.evaluate_selection(connection, args, module)
  local code, origin = M.selected(args)
  if vim.trim(code) == "" then
    return say("there is nothing to evaluate here", vim.log.levels.WARN)
  end
  local bufnr = vim.api.nvim_get_current_buf()
  local lines = vim.split(code, "\n", { plain = true })
  if not module or not origin then
    return M.evaluate(connection, code, module, { origin = origin })
  end
  local character = places.units(lines[#lines], #lines[#lines]) + (#lines == 1 and origin.character or 0)
  local first = { line = origin.line, character = origin.character }
  local last = { line = origin.line + #lines - 1, character = character }
  ask_whether_declares(connection, bufnr, first, last, function(declares)
    M.evaluate(connection, code, module, { install = declares or nil, origin = origin })
  end)
end

local flash_namespace = vim.api.nvim_create_namespace("agentq.flash")

--- Shows for a moment what is evaluated.
---@param bufnr integer
---@param from integer[] 0-based row and byte column
---@param to integer[]
function M.flash(bufnr, from, to)
  vim.api.nvim_buf_set_extmark(bufnr, flash_namespace, from[1], from[2], {
    end_row = to[1],
    end_col = to[2],
    hl_group = "IncSearch",
  })
  vim.defer_fn(function()
    if vim.api.nvim_buf_is_valid(bufnr) then
      vim.api.nvim_buf_clear_namespace(bufnr, flash_namespace, 0, -1)
    end
  end, 200)
end

--- A fresh process, in which these forms run again.
---@param connection vim.lsp.Client
---@param replay? string[] evaluation ids, or { "all" } for what the present state was built from
---@param done? fun()
function M.restart(connection, replay, done)
  client.request(connection, "agentq/restartRepl", { replay = replay }, function(err, result)
    local words = err and err.message or ("the REPL is %s"):format(result.state)
    if not err and result.replayed then
      local count = #result.replayed
      local failed = #vim.tbl_filter(function(item)
        return item.outcome ~= "value"
      end, result.replayed)
      words = ("%s, %d form%s run again%s"):format(
        words,
        count,
        count == 1 and "" or "s",
        failed > 0 and (", %d of them failed"):format(failed) or ""
      )
    end
    if not err and result.unknown then
      words = ("%s; no form that succeeded has the id %s"):format(words, table.concat(result.unknown, ", "))
    end
    logs.of(connection.id):append({ words, "" }, { err and "AgentqError" or "AgentqNotice" })
    say(words, err and vim.log.levels.ERROR or nil)
    if done then
      done()
    end
  end)
end

return M
