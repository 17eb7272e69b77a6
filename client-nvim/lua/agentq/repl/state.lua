-- The state of the REPL where the person looks: above the log, in status lines, and a word when its process dies.
local events = require("agentq.events")

local M = {}

---@type agentq.ReplStatus?
local known

local consent_words = {
  needed = "asks before it runs open",
  asked = "waits for :AgentQ approve or :AgentQ deny",
  refused = "not allowed to run open; :AgentQ repl restart asks again",
}

---@return agentq.ReplStatus?
function M.get()
  return known
end

--- A process that dies while a form runs is told with the outcome of that form.
---@param state agentq.ReplStatus
local function tell_death(state)
  if require("agentq.repl.eval").busy() or require("agentq.repl.agent").busy() then
    return
  end
  local lines = { ((state.reason or "The REPL's process is gone."):gsub("\n", " ")) }
  lines[2] = M.replay_hint
  require("agentq.repl.log").append(lines, { "AgentqError", "AgentqHint" })
  if require("agentq.config").get().notify then
    require("agentq.say").say(lines[1], vim.log.levels.WARN)
  end
end

M.replay_hint = "The next evaluation starts a new one; :AgentQ repl restart all runs again what built its state."

---@param state agentq.ReplStatus
function M.changed(state)
  local before = known
  known = state
  if state.state == "dead" and before and before.state ~= "dead" then
    tell_death(state)
  end
  vim.cmd.redrawstatus({ bang = true })
end

---@param state agentq.ReplStatus as `agentq/replState` tells it
function M.on_state(state)
  M.changed(state)
  events.fire("ReplState", { state = state })
end

--- While it is locked, the agent looks and runs nothing in it.
---@param connection vim.lsp.Client
---@param locked boolean
function M.lock(connection, locked)
  require("agentq.client").request(connection, "agentq/lockRepl", { locked = locked }, function(err)
    local words = err and err.message
      or locked and "the REPL is locked: the agent runs nothing in it until :AgentQ repl unlock"
      or "the REPL is unlocked: the agent may run forms in it again"
    require("agentq.repl.log").append({ words, "" }, { err and "AgentqError" or "AgentqNotice" })
    require("agentq.say").say(words, err and vim.log.levels.ERROR or nil)
  end)
end

function M.forget()
  known = nil
end

--- For status lines: what of the REPL is worth a word there.
---@return string?
function M.short()
  if not known or known.state == "notStarted" then
    return nil
  end
  if known.consent == "refused" then
    return "REPL not allowed"
  end
  local open = known.confinement == "open" and known.pid and " (open)" or ""
  local locked = known.locked and ", locked" or ""
  if known.state == "idle" then
    return open ~= "" and "REPL open" .. locked or known.locked and "REPL locked" or nil
  end
  return "REPL " .. known.state .. open .. locked
end

--- The line above the log.
---@return string with the codes of a status line
function M.bar()
  if not known then
    return "REPL"
  end
  local is_refused = known.consent == "refused"
  local state = (known.state == "notStarted" or is_refused) and "not started" or known.state
  local parts = { "REPL " .. state, known.confinement }
  if known.consent and consent_words[known.consent] then
    parts[#parts + 1] = consent_words[known.consent]
  end
  if known.locked then
    parts[#parts + 1] = "locked for the agent"
  end
  -- Why it does not run without consent is said by the words for that.
  if known.reason and known.reason ~= "" and not is_refused then
    parts[#parts + 1] = vim.split(known.reason, "\n", { plain = true })[1]
  end
  local forms = require("agentq.repl.eval").running_words()
  if forms then
    parts[#parts + 1] = forms
  end
  local group = known.state == "dead" and not is_refused and "AgentqError"
    or known.confinement == "open" and "AgentqWarning"
    or "AgentqDetail"
  -- A line that is too long would be cut at its beginning.
  local window = vim.g.statusline_winid or 0
  local width = vim.api.nvim_win_is_valid(window) and vim.api.nvim_win_get_width(window) - 1 or vim.o.columns
  local text = require("agentq.repl.eval").short(table.concat(parts, " · "), width)
  return ("%%#%s#%s%%*"):format(group, (text:gsub("%%", "%%%%")))
end

return M
