-- An evaluation's outcome as lines, on plain tables.
local M = {}

---@param err agentq.ErrorInfo
---@param indent string
---@param lines string[]
local function add_error(err, indent, lines)
  local message = vim.split(("%s: %s"):format(err.name, err.message), "\n", { plain = true })
  for _, line in ipairs(message) do
    lines[#lines + 1] = indent .. line
  end
  if err.details then
    for _, line in ipairs(vim.split(err.details, "\n", { plain = true })) do
      lines[#lines + 1] = indent .. "  " .. line
    end
  end
  for _, frame in ipairs(err.frames or {}) do
    local where = vim.startswith(frame.uri, "file:") and vim.fn.fnamemodify(vim.uri_to_fname(frame.uri), ":~:.")
      or frame.uri
    lines[#lines + 1] = ("%s  at %s (%s:%d:%d)"):format(
      indent,
      frame["function"],
      where,
      frame.line + 1,
      frame.character + 1
    )
    if frame.code and frame.code ~= "" then
      lines[#lines + 1] = indent .. "     " .. vim.trim(frame.code)
    end
  end
  if err.cause then
    lines[#lines + 1] = indent .. "caused by"
    add_error(err.cause, indent .. "  ", lines)
  end
  for _, part in ipairs(err.errors or {}) do
    add_error(part, indent .. "  ", lines)
  end
  if err.moreErrors then
    lines[#lines + 1] = ("%s  … %d more"):format(indent, err.moreErrors)
  end
end

local outcome_words = {
  interrupted = "interrupted",
  timeout = "stopped: it took longer than it may",
  crashed = "the REPL process ended",
}

---@param result agentq.EvalResult
---@return string[] lines
---@return string group highlight group of the first line
function M.lines(result)
  local lines = {}
  local group = "AgentqValue"
  if result.outcome == "value" then
    local preview = vim.split(result.preview or "undefined", "\n", { plain = true })
    local name = result.valueId and result.valueId .. " = " or "= "
    for index, line in ipairs(preview) do
      lines[#lines + 1] = (index == 1 and name or "") .. line
    end
    if result.type then
      lines[#lines] = ("%s  : %s"):format(lines[#lines], result.type)
    end
  else
    group = result.outcome == "interrupted" and "AgentqWarning" or "AgentqError"
    if outcome_words[result.outcome] then
      lines[#lines + 1] = outcome_words[result.outcome]
    end
    if result.error then
      add_error(result.error, "", lines)
    end
  end
  if not result.stateKept then
    lines[#lines + 1] = "The REPL was started anew: earlier definitions and values are gone."
  end
  for _, note in ipairs(result.notes or {}) do
    lines[#lines + 1] = ("%s: %s"):format(note.severity, (note.message:gsub("\n", " ")))
  end
  if result.truncated then
    lines[#lines + 1] = "(output was cut)"
  end
  return lines, group
end

return M
