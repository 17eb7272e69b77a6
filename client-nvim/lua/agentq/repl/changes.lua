-- Files that changed while an evaluation ran: :AgentQ changes keeps them or takes them back.
local client = require("agentq.client")
local events = require("agentq.events")
local logs = require("agentq.repl.logs")
local open_buffers = require("agentq.open_buffers")
local say = require("agentq.say")

local M = {}

---@class agentq.WaitingChanges
---@field client_id integer
---@field log agentq.Log
---@field id string of the evaluation
---@field changes agentq.EvaluationChange[] those that nobody decided about

---@type agentq.WaitingChanges[] oldest first
local waiting = {}

---@param log agentq.Log
---@param paths string[]
---@param words string
---@return string[]
local function say_of(log, paths, words)
  local names = vim.tbl_map(function(path)
    return log:file(path)
  end, paths)
  return #names > 0 and { ("%s: %s"):format(words, table.concat(names, ", ")) } or {}
end

---@param client_id integer
---@param params agentq.EvaluationChanges
function M.on_changes(client_id, params)
  local log = logs.of(client_id)
  waiting[#waiting + 1] = { client_id = client_id, log = log, id = params.evalId, changes = params.changes }
  -- The last sentence is meant for the agent.
  local message = params.message:gsub(" The person can keep or revert [^.]*%.$", "")
  log:append({ message, ":AgentQ changes keeps or reverts that." }, "AgentqNotice", params.evalId)
  if require("agentq.config").get().notify then
    say.warn(":AgentQ changes decides: " .. message)
  end
  open_buffers.follow(vim.tbl_map(function(change)
    return change.uri
  end, params.changes))
  events.fire("EvaluationChanges", params)
end

---@param client_id integer
local function forget(client_id)
  waiting = vim.tbl_filter(function(entry)
    return entry.client_id ~= client_id
  end, waiting)
end
client.on_exit(forget)

---@param entry agentq.WaitingChanges
---@param uris? string[] those that are decided now; all when absent
local function settle(entry, uris)
  entry.changes = uris
      and vim.tbl_filter(function(change)
        return not vim.list_contains(uris, change.uri)
      end, entry.changes)
    or {}
  if #entry.changes == 0 then
    waiting = vim.tbl_filter(function(other)
      return other ~= entry
    end, waiting)
  end
end

---@param entry agentq.WaitingChanges
---@param what "keep"|"revert"
---@param uris? string[] all that wait when absent
---@param done? fun()
local function decide(entry, what, uris, done)
  local connection = vim.lsp.get_client_by_id(entry.client_id)
  if not connection then
    return forget(entry.client_id)
  end
  local method = ("agentq/%sEvaluationChanges"):format(what)
  client.request(connection, method, { evalId = entry.id, uris = uris }, function(err, result)
    settle(entry, uris)
    if err then
      return say.error(err.message)
    end
    local lines = {
      ("%s: %d file%s"):format(what == "keep" and "kept" or "reverted", #result.done, #result.done == 1 and "" or "s"),
    }
    local gone, edited = open_buffers.follow(result.done)
    vim.list_extend(lines, say_of(entry.log, gone, "open in a buffer that has no file now, :w writes it again"))
    if what == "revert" then
      vim.list_extend(lines, say_of(entry.log, edited, "your unsaved changes stay in the buffer of"))
    end
    for _, failure in ipairs(result.failed) do
      local name = entry.log:file(vim.uri_to_fname(failure.uri))
      lines[#lines + 1] = ("%s was not reverted: %s"):format(name, failure.reason)
    end
    entry.log:append(lines, "AgentqNotice")
    local tell = #result.failed > 0 and say.warn or say.info
    tell(table.concat(lines, "\n"))
    events.fire("ChangesDecided", { what = what, result = result })
    if done then
      done()
    end
  end)
end

---@param entry agentq.WaitingChanges
---@param change agentq.EvaluationChange
local function words(entry, change)
  local name = entry.log:file(vim.uri_to_fname(change.uri))
  local why = change.canRevert and "" or (", cannot be reverted: %s"):format(change.reason or "no copy was kept")
  return ("%s (%s)%s"):format(name, change.kind, why)
end

--- Asks about one evaluation's changes, all of them or file by file, until nothing is left or the person leaves it.
---@param entry agentq.WaitingChanges
local function ask(entry)
  if #entry.changes == 1 then
    local prompt = ("While form %s ran, this changed: %s"):format(entry.id, words(entry, entry.changes[1]))
    return vim.ui.select({ "keep", "revert" }, { prompt = prompt }, function(choice)
      if choice then
        decide(entry, choice, { entry.changes[1].uri })
      end
    end)
  end
  local choices = vim.list_extend({ "keep", "revert" }, entry.changes)
  local prompt = ("While form %s ran, %d files changed. All of them, or one:"):format(entry.id, #entry.changes)
  vim.ui.select(choices, {
    prompt = prompt,
    format_item = function(item)
      return type(item) == "table" and words(entry, item) or item .. " all"
    end,
  }, function(choice)
    if type(choice) == "string" then
      return decide(entry, choice)
    elseif choice then
      vim.ui.select({ "keep", "revert" }, { prompt = words(entry, choice) }, function(what)
        if what then
          decide(entry, what, { choice.uri }, function()
            if #entry.changes > 0 then
              ask(entry)
            end
          end)
        end
      end)
    end
  end)
end

--- The change of a file that waits longest for a decision.
---@param file string as the person calls it, or any path to it
---@return agentq.WaitingChanges?, agentq.EvaluationChange?
local function find(file)
  local path = vim.fs.normalize(vim.fn.fnamemodify(file, ":p"))
  for _, entry in ipairs(client.ours_first(waiting)) do
    for _, change in ipairs(entry.changes) do
      local changed = vim.uri_to_fname(change.uri)
      if changed == path or entry.log:file(changed) == file then
        return entry, change
      end
    end
  end
end

--- Asks about the oldest evaluation of the current project whose changes wait, or decides about it, or about one file.
---@param answer? "keep"|"revert"
---@param file? string
function M.review(answer, file)
  local oldest = client.ours_first(waiting)[1]
  if not oldest then
    return say.info("no evaluation changed a file")
  elseif not answer then
    return ask(oldest)
  elseif answer ~= "keep" and answer ~= "revert" then
    return say.error(":AgentQ changes [keep|revert] [file]")
  elseif not file then
    return decide(oldest, answer)
  end
  local entry, change = find(file)
  if not entry or not change then
    return say.warn(("no evaluation changed %s, or it is decided"):format(file))
  end
  decide(entry, answer, { change.uri })
end

--- Files that wait for a decision, for the command line.
---@return string[]
function M.files()
  local files = {}
  for _, entry in ipairs(waiting) do
    for _, change in ipairs(entry.changes) do
      files[#files + 1] = entry.log:file(vim.uri_to_fname(change.uri))
    end
  end
  return files
end

return M
