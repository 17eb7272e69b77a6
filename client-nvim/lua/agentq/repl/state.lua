-- The state of the REPL for the person: above the log, in status lines, and in a message when the process dies.
local describe = require("agentq.repl.describe")
local events = require("agentq.events")
local logs = require("agentq.repl.logs")
local running = require("agentq.repl.running")
local say = require("agentq.say")

local M = {}

---@type table<string, true> roots of the projects whose REPL the person has locked: a new server is told again
local locked_roots = {}

local consent_words = {
  needed = "asks before it runs open",
  asked = "waits for :AgentQ approve or :AgentQ deny",
  refused = "not allowed to run open; :AgentQ repl restart asks again",
}

--- Reports the death of the process. While a form runs, the outcome of the form says so instead.
---@param log agentq.Log
---@param state agentq.ReplStatus
local function tell_death(log, state)
  local has_agent_form = vim.iter(vim.tbl_values(log.agent_forms)):any(function(form)
    return form.process == nil
  end)
  if running.busy_in(log, nil) or has_agent_form then
    return
  end
  local lines = { ((state.reason or "The REPL's process is gone."):gsub("\n", " ")) }
  lines[2] = describe.replay_hint
  log:append(lines, { "AgentqError", "AgentqHint" })
  if require("agentq.config").get().notify then
    say.warn(lines[1])
  end
end

---@param client_id integer
---@param state agentq.ReplStatus
function M.changed(client_id, state)
  local log = logs.of(client_id)
  local before = log.state
  log.state = state
  -- A server that is about to end may report a REPL that is not started.
  log.has_process = state.pid ~= nil or log.has_process and state.state ~= "dead"
  if state.state == "dead" and before and before.state ~= "dead" then
    tell_death(log, state)
  end
  if before and before.pid ~= state.pid then
    require("agentq.repl.traced").stop_in(log, nil)
  end
  vim.cmd.redrawstatus({ bang = true })
end

---@param client_id integer
---@param state agentq.ReplStatus as `agentq/replState` tells it
function M.on_state(client_id, state)
  M.changed(client_id, state)
  events.fire("ReplState", { state = state })
end

--- Locks or unlocks the REPL. While the REPL is locked the agent can look at it and run nothing.
---@param connection vim.lsp.Client
---@param locked boolean
function M.lock(connection, locked)
  require("agentq.client").request(connection, "agentq/lockRepl", { locked = locked }, function(err)
    if not err then
      locked_roots[connection.config.root_dir] = locked or nil
    end
    local words = err and err.message
      or locked and "the REPL is locked: the agent runs nothing in it until :AgentQ repl unlock"
      or "the REPL is unlocked: the agent may run forms in it again"
    logs.of(connection.id):append({ words, "" }, { err and "AgentqError" or "AgentqNotice" })
    local tell = err and say.error or say.info
    tell(words)
  end)
end

--- Locks the REPL of a new server again where the person had locked the REPL of its project.
---@param connection vim.lsp.Client
function M.on_start(connection)
  if not locked_roots[connection.config.root_dir] then
    return
  end
  require("agentq.client").request(connection, "agentq/lockRepl", { locked = true }, function(err)
    local words = err and ("the lock of the REPL is gone with its server: %s"):format(err.message)
      or "the server is a new one: the REPL is locked again, as it was; :AgentQ repl unlock ends that"
    logs.of(connection.id):append({ words, "" }, { err and "AgentqError" or "AgentqNotice" })
    local tell = err and say.error or say.info
    tell(words)
  end)
end

-- Forms that ran on the ended server get no answer any more.
require("agentq.client").on_exit(function(client_id)
  running.forget(client_id)
  logs.forget_client(client_id)
  vim.cmd.redrawstatus({ bang = true })
end)

--- For status lines: what of the REPL is worth a word there.
---@return string?
function M.short()
  local connection = require("agentq.client").near(vim.api.nvim_get_current_buf())
  local log = connection and logs.known(connection.id)
  ---@type agentq.ReplStatus?
  local known = log and log.state
  if not known or known.state == "notStarted" then
    return nil
  end
  if known.consent == "refused" then
    return "REPL not allowed"
  end
  local level = known.level or known.confinement
  local weak = known.pid and (level == "open" or level == "limited") and level
  local locked = known.locked and ", locked" or ""
  if known.state == "idle" then
    return weak and "REPL " .. weak .. locked or known.locked and "REPL locked" or nil
  end
  return "REPL " .. known.state .. (weak and (" (%s)"):format(weak) or "") .. locked
end

--- What the line above the log says of the REPL's own process.
---@param known agentq.ReplStatus
---@return string[] parts
---@return string group
local function repl_parts(known)
  local is_refused = known.consent == "refused"
  local state = (known.state == "notStarted" or is_refused) and "not started" or known.state
  local level = known.level or known.confinement
  local parts = { "REPL " .. state, level }
  if known.consent and consent_words[known.consent] then
    parts[#parts + 1] = consent_words[known.consent]
  end
  if known.locked then
    parts[#parts + 1] = "locked for the agent"
  end
  -- Without consent the words about consent say why the REPL does not run.
  if known.reason and known.reason ~= "" and not is_refused then
    parts[#parts + 1] = vim.split(known.reason, "\n", { plain = true })[1]
  end
  local group = known.state == "dead" and not is_refused and "AgentqError"
    or (level == "open" or known.missing) and "AgentqWarning"
    or "AgentqDetail"
  return parts, group
end

--- The same while forms go to a running program, which nothing confines.
---@param log agentq.Log
---@return string[] parts
---@return string group
local function program_parts(log)
  local parts = { require("agentq.repl.process").words(log) }
  if log.state and log.state.locked then
    parts[2] = "locked for the agent"
  end
  return parts, log.pid and "AgentqWarning" or "AgentqError"
end

--- The line above the log.
---@return string with the codes of a status line
function M.bar()
  local window = vim.g.statusline_winid or 0
  window = vim.api.nvim_win_is_valid(window) and window or 0
  local log = logs.shown_in(vim.api.nvim_win_get_buf(window))
  local project = log and logs.project(log)
  if not log or not log.state and not log.process then
    return project and ("%s · REPL"):format((project:gsub("%%", "%%%%"))) or "REPL"
  end
  local parts, group
  if log.process then
    parts, group = program_parts(log)
  else
    parts, group = repl_parts(log.state)
  end
  if project then
    table.insert(parts, 1, project)
  end
  parts[#parts + 1] = running.running_words(log)
  -- Neovim cuts a line that is too long at its beginning.
  local width = vim.api.nvim_win_get_width(window) - 1
  local text = describe.short(table.concat(parts, " · "), width)
  return ("%%#%s#%s%%*"):format(group, (text:gsub("%%", "%%%%")))
end

return M
