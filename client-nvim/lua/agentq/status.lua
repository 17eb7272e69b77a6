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
---@return string[]
function M.lines(status)
  local typescript, repl, model = status.typescript, status.repl, status.model
  local projects = vim.tbl_map(function(project)
    return ("%s (%d files)"):format(vim.fn.fnamemodify(project.name, ":~:."), project.files)
  end, typescript.projects)
  local function reason(text)
    return text and text ~= "" and " — " .. text or ""
  end
  local lines = {
    ("agentq %s on Node %s"):format(status.version, status.node),
    "workspace   " .. table.concat(status.workspaceFolders, ", "),
    ("typescript  %s %s%s"):format(typescript.version, typescript.state, reason(typescript.reason)),
    "projects    " .. (#projects > 0 and table.concat(projects, ", ") or "none loaded yet"),
    ("repl        %s, %s%s%s"):format(
      repl.state,
      repl.level or repl.confinement,
      repl.locked and ", locked for the agent" or "",
      reason(repl.reason)
    ),
    "            " .. repl.confinementDetail,
    unpack(wall_lines(status.wall)),
  }
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
    end, M.lines(status))
    require("agentq.float").show(lines, { title = "AgentQ", groups = { "AgentqHunk" } })
  end)
end

--- For status lines: nothing while there is nothing to say.
---@return string
function M.line()
  local parts = {}
  local state = package.loaded["agentq.chat.chats"] and require("agentq.chat.chats").activity()
  if state then
    parts[#parts + 1] = state
  end
  local pending = package.loaded["agentq.review.store"] and #require("agentq.review.store").pending() or 0
  if pending > 0 then
    parts[#parts + 1] = ("%d hunk%s"):format(pending, pending == 1 and "" or "s")
  end
  local asked = package.loaded["agentq.chat.approvals"] and require("agentq.chat.approvals").count() or 0
  if asked > 0 then
    parts[#parts + 1] = ("%d to approve"):format(asked)
  end
  local evaluating = package.loaded["agentq.repl.running"] and require("agentq.repl.running").running_words()
  if evaluating then
    parts[#parts + 1] = evaluating
  end
  local repl = package.loaded["agentq.repl.state"] and require("agentq.repl.state").short()
  if repl and not (evaluating and repl == "REPL busy") then
    parts[#parts + 1] = repl
  end
  return #parts > 0 and "AgentQ: " .. table.concat(parts, ", ") or ""
end

return M
