-- The state of the server, for :AgentQ status, for status lines and for :checkhealth.
local say = require("agentq.say")

local M = {}

---@param client_id integer
---@param status agentq.Status
function M.changed(client_id, status)
  require("agentq.repl.state").changed(client_id, status.repl)
  require("agentq.events").fire("Status", { status = status })
end

--- What holds evaluations, tests and commands, and what to type where that is not the system's wall.
---@param wall agentq.WallStatus? absent from older servers
---@return string[]
local function wall_lines(wall)
  if not wall then
    return {}
  end
  local lines = { ("level       %s: %s"):format(wall.level, wall.detail) }
  if wall.missing then
    lines[2] = "            " .. wall.missing
  end
  return lines
end

---@param status agentq.Status
---@param chosen? string the running program that the person's forms go to
---@return string[]
function M.lines(status, chosen)
  local typescript, repl, model = status.typescript, status.repl, status.model
  local projects = vim.tbl_map(function(project)
    return ("%s (%d files)"):format(vim.fn.fnamemodify(project.name, ":~:."), project.files)
  end, typescript.projects)
  local function plain(state)
    return state == "notStarted" and "not started" or state
  end
  local function reason(text)
    return text and text ~= "" and " — " .. text or ""
  end
  local lines = {
    ("agentq %s on Node %s"):format(status.version, status.node),
    "workspace   " .. table.concat(status.workspaceFolders, ", "),
    ("typescript  %s %s%s"):format(typescript.version, plain(typescript.state), reason(typescript.reason)),
    "projects    " .. (#projects > 0 and table.concat(projects, ", ") or "none loaded yet"),
    ("repl        %s, %s%s%s"):format(
      plain(repl.state),
      repl.level or repl.confinement,
      repl.locked and ", locked for the agent" or "",
      reason(repl.reason)
    ),
    "            " .. repl.confinementDetail,
  }
  vim.list_extend(lines, { chosen and "forms       go to " .. chosen or nil })
  vim.list_extend(lines, wall_lines(status.wall))
  vim.list_extend(lines, {
    ("model       %s %s%s"):format(model.model, model.ready and "ready" or "not ready", reason(model.reason)),
    ("review      %d proposal%s pending"):format(status.pendingProposals, status.pendingProposals == 1 and "" or "s"),
  })
  for _, each in ipairs(status.background or {}) do
    table.insert(lines, ("background  %s: %s"):format(each.id, each.command))
  end
  for _, each in ipairs(status.mcp or {}) do
    table.insert(lines, "mcp         " .. require("agentq.mcp").words(each))
  end
  return lines
end

---@param connection vim.lsp.Client
function M.show(connection)
  require("agentq.client").request(connection, "agentq/status", {}, function(err, status)
    if err then
      say.error(err.message)
      return
    end
    local lines = vim.tbl_map(function(line)
      return (line:gsub("\n", " "))
    end, M.lines(status, require("agentq.repl.process").words(require("agentq.repl.logs").known(connection.id))))
    require("agentq.float").list_keys(lines, "AgentQ")
  end)
end

--- What a feature tells of itself, asked only where the feature is loaded: a status line loads nothing.
---@generic T
---@param name string of its module
---@param ask fun(feature: any): T
---@return T?
local function of_loaded(name, ask)
  local feature = package.loaded["agentq." .. name]
  return feature and ask(feature) or nil
end

--- How many decisions wait for the person: open hunks and dangerous calls.
---@return integer
local function waiting()
  local hunks = of_loaded("review.store", function(store)
    return store.count()
  end)
  local questions = of_loaded("chat.questions", function(asked)
    return asked.count()
  end)
  return (hunks or 0) + (questions or 0)
end

--- For status lines, as short as `AQ ⏸3`; nothing while there is nothing to say.
---@return string
function M.line()
  local parts = {}
  local repl = of_loaded("repl.state", function(state)
    return state.short()
  end)
  local is_dead = of_loaded("chat.chats", function(chats)
    return chats.has_dead()
  end)
  if is_dead or repl and vim.startswith(repl, "REPL dead") then
    parts[#parts + 1] = "!"
  end
  local decisions = waiting()
  if decisions > 0 then
    parts[#parts + 1] = ("⏸%d"):format(decisions)
  end
  local seconds = of_loaded("chat.chats", function(chats)
    return chats.working_seconds()
  end)
  if seconds then
    parts[#parts + 1] = ("◐%ds"):format(seconds)
  end
  local forms = of_loaded("repl.running", function(running)
    return running.count()
  end) or 0
  if forms > 0 then
    parts[#parts + 1] = forms == 1 and "▶" or ("▶%d"):format(forms)
  end
  if repl and not (forms > 0 and repl == "REPL busy") then
    parts[#parts + 1] = repl
  end
  parts[#parts + 1] = of_loaded("repl.process", function(process)
    return process.short()
  end)
  return #parts > 0 and "AQ " .. table.concat(parts, " ") or ""
end

return M
