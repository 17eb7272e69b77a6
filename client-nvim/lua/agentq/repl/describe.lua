-- An evaluation's outcome as lines.
local visible = require("agentq.review.visible")

local M = {}

M.replay_hint = "The next evaluation starts a new one; :AgentQ repl restart all runs again what built its state."

---@class agentq.Description
---@field lines string[]
---@field groups table<integer, string> highlight groups by 1-based line

local outcome_words = {
  interrupted = "interrupted",
  timeout = "stopped: it took longer than it may",
  crashed = "the REPL's process is gone",
}

local severities = {
  error = { "error: ", "AgentqError" },
  warning = { "warning: ", "AgentqWarning" },
  information = { "", "AgentqNotice" },
  hint = { "", "AgentqHint" },
}

--- The name that the log has for a file or a form.
---@param log agentq.Log
---@param uri string
---@return string
function M.place(log, uri)
  return vim.startswith(uri, "file:") and log:file(vim.uri_to_fname(uri)) or uri
end

---@param text string
---@return string[]
local function split(text)
  return vim.split(text, "\n", { plain = true })
end

---@param err agentq.ErrorInfo
---@param log agentq.Log
---@param indent string
---@param add fun(line: string, group?: string)
---@param group string
local function add_error(err, log, indent, add, group)
  for _, line in ipairs(split(("%s: %s"):format(err.name, err.message))) do
    add(indent .. line, group)
  end
  if err.details then
    for _, line in ipairs(split(err.details)) do
      add(indent .. "  " .. line)
    end
  end
  for _, frame in ipairs(err.frames or {}) do
    local where = ("%s:%d:%d"):format(M.place(log, frame.uri), frame.line + 1, frame.character + 1)
    local name = frame["function"]
    add(("%s  at %s"):format(indent, name ~= "" and ("%s (%s)"):format(name, where) or where), "AgentqDetail")
    if frame.code and frame.code ~= "" then
      add(indent .. "     " .. vim.trim(frame.code))
    end
  end
  if err.cause then
    add(indent .. "caused by", group)
    add_error(err.cause, log, indent .. "  ", add, group)
  end
  for _, part in ipairs(err.errors or {}) do
    add_error(part, log, indent .. "  ", add, group)
  end
  if err.moreErrors then
    add(("%s  … %d more"):format(indent, err.moreErrors))
  end
end

--- A note on one line. Its place in the form is left out where that is the beginning of the form.
---@param note agentq.DiagnosticLine
---@return string line
---@return string group
function M.note(note)
  local severity = severities[note.severity] or severities.information
  local start = note.range and vim.startswith(note.uri or "", "repl:") and note.range.start or nil
  local where = ""
  if start and (start.line > 0 or start.character > 0) then
    where = ("%d:%d "):format(start.line + 1, start.character + 1)
  end
  return severity[1] .. where .. note.message:gsub("\n", " "), severity[2]
end

--- A note says that no module could be loaded: it stands above the error, which would pass for one of the form.
---@param result agentq.EvalResult
---@param add fun(line: string, group?: string)
local function add_not_loaded(result, add)
  for _, note in ipairs(result.notes or {}) do
    if note.code == "notLoaded" then
      add(M.note(note), "AgentqError")
    end
  end
end

---@param result agentq.EvalResult
---@param add fun(line: string, group?: string)
---@param can_stop boolean `:AgentQ interrupt` means the process of the form
local function add_notes(result, add, can_stop)
  for _, note in ipairs(result.notes or {}) do
    -- The error stands above already, and `agentq/evaluationChanges` reported the changed files.
    local is_told = note.code == "notLoaded"
      or result.error and note.message == result.error.message
      or result.changes and #result.changes > 0 and note.code == "filesChanged"
    if not is_told then
      local line, group = M.note(note)
      if note.code == "leftOpen" and can_stop then
        line = ("%s (:AgentQ interrupt %s)"):format(line, result.evalId)
      end
      add(line, group)
    end
  end
end

---@param result agentq.EvalResult
---@return string[]
local function value_lines(result)
  local lines = split(result.preview or "undefined")
  lines[1] = (result.valueId and result.valueId .. " = " or "") .. lines[1]
  if result.type and result.type ~= result.preview then
    lines[#lines] = ("%s : %s"):format(lines[#lines], result.type)
  end
  return lines
end

--- A form on one line, for lists and headings.
---@param code string
---@param width? integer
---@return string
function M.short(code, width)
  return visible.short(code, width or 60)
end

---@class agentq.Described
---@field is_tool? boolean the form is a tool's own words, whose value says nothing
---@field process? string the program that it ran in

---@param result agentq.EvalResult
---@param log agentq.Log
---@param form agentq.Described
---@return agentq.Description
function M.describe(result, log, form)
  local process = form.process
  local lines, groups = {}, {}
  local function add(line, group)
    lines[#lines + 1] = line
    groups[#lines] = group
  end
  if result.installed then
    for _, line in ipairs(split(result.installed)) do
      add(line, "AgentqValue")
    end
  elseif result.outcome == "value" then
    for _, line in ipairs(form.is_tool and {} or value_lines(result)) do
      add(line, "AgentqValue")
    end
  elseif result.error then
    add_not_loaded(result, add)
    add_error(result.error, log, "", add, result.outcome == "interrupted" and "AgentqWarning" or "AgentqError")
  elseif process and result.outcome == "crashed" then
    add(process .. " has ended", "AgentqError")
  else
    add(outcome_words[result.outcome] or result.outcome, "AgentqError")
  end
  if not result.stateKept then
    add("Definitions and values are gone with it.", "AgentqWarning")
    -- Only the person starts a program anew.
    if not process then
      add(M.replay_hint, "AgentqHint")
    end
  end
  add_notes(result, add, process == log.process)
  return { lines = lines, groups = groups }
end

return M
