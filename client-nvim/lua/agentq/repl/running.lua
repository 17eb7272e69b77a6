-- The person's evaluations that have no answer yet, and the live view of their output.
local describe = require("agentq.repl.describe")
local float = require("agentq.float")

local M = {}

local SHOWN_ROWS = 10
--- A form that takes longer than this is shown as running.
local SOON_MS = 400

---@class agentq.RunningForm
---@field code string
---@field log agentq.Log
---@field client_id integer
---@field process? string the program in which it runs
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

--- Whether a form of the person's runs in a process.
---@param log agentq.Log
---@param process? string a program; nil for the REPL's own process
---@return boolean
function M.busy_in(log, process)
  return vim.iter(running_in(log)):any(function(form)
    return form.process == process
  end)
end

--- Whether exactly one form or tool of the person's runs, and in this process: output of the process can then only come
--- from the one whose heading stands above.
---@param log agentq.Log
---@param process? string a program; nil for the REPL's own process
---@return boolean
function M.is_alone(log, process)
  local forms = running_in(log)
  return #forms + log.own_calls == 1 and (forms[1] and forms[1].process) == process
end

--- How many forms of the person's run, in all projects.
---@return integer
function M.count()
  return #running
end

--- For the line above the log.
---@param log agentq.Log
---@return string?
function M.running_words(log)
  local count = #running_in(log)
  if count > 1 then
    return ("evaluating %d forms"):format(count)
  end
  return count == 1 and "evaluating" or nil
end

--- Takes a form off the list of those that wait for an answer; false when the form is not on the list.
---@param form agentq.RunningForm
---@return boolean
function M.take(form)
  local before = #running
  running = vim.tbl_filter(function(other)
    return other ~= form
  end, running)
  return #running < before
end

--- Ends the forms of a server that has ended: they get no answer any more.
---@param client_id integer
function M.forget(client_id)
  for _, form in ipairs(vim.list_slice(running)) do
    if form.client_id == client_id then
      M.take(form)
      form.stop_view()
      float.close()
      form.log:append(
        { ("%s: the server ended before it answered"):format(describe.short(form.code)), "" },
        { "AgentqError" },
        nil,
        form.process
      )
    end
  end
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

--- Shows that a form runs, with the last lines of its output, until the outcome takes the place of this view.
---@param form {code: string, log: agentq.Log, process?: string}
---@return fun() stop
local function live_view(form)
  local tail, over = "", false
  local is_same_place = watch_place()
  local function show()
    -- A question that is on screen stays there, since the form waits for the answer.
    if over or require("agentq.chat.questions").count() > 0 or not is_same_place() then
      return
    end
    local text = tail ~= "" and require("agentq.repl.ansi").strip(tail) or describe.short(form.code)
    local lines = vim.split(vim.trim(text), "\n", { plain = true })
    float.show(vim.list_slice(lines, math.max(1, #lines - SHOWN_ROWS + 1)), {
      title = "running · :AgentQ interrupt stops it",
    })
  end
  local stop_listening = form.log:listen(function(params)
    if not M.is_alone(form.log, form.process) or params.process ~= form.process or params.late then
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

--- Puts a form on the list, and shows that it runs.
---@param code string
---@param log agentq.Log
---@param client_id integer
---@param process? string the program in which it runs
---@return agentq.RunningForm
function M.add(code, log, client_id, process)
  local form = { code = code, log = log, client_id = client_id, process = process }
  running[#running + 1] = form
  form.stop_view = live_view(form)
  return form
end

return M
