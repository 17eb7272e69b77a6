-- Where the person's forms go: the REPL's own process, or a running program that was started with `agentq run`.
local client = require("agentq.client")
local events = require("agentq.events")
local logs = require("agentq.repl.logs")
local say = require("agentq.say")
local traced = require("agentq.repl.traced")
local visible = require("agentq.review.visible")

local M = {}

local PATIENCE_MS = 700
local METHOD_NOT_FOUND = -32601
local HOW_TO_START = "`agentq run --name api -- COMMAND` in a terminal starts one"
--- The word for the REPL's own process, where no program has it as its name.
local REPL = "repl"

---@type table<string, true> roots of the projects where the person has chosen a program: a new server is asked for it
local chosen_roots = {}

--- The program that forms of the person go to; nil for the REPL's own process.
---@param client_id integer
---@return string? id
function M.of(client_id)
  return logs.of(client_id).process
end

--- The chosen program as it is shown: `api (process 4711)`.
---@param log? agentq.Log
---@return string?
function M.words(log)
  if not log or not log.process then
    return nil
  end
  return log.pid and ("%s (process %d)"):format(log.process, log.pid) or ("%s (not running)"):format(log.process)
end

---@param programs agentq.RunningProcess[]
---@param id string
---@return agentq.RunningProcess?
local function find(programs, id)
  for _, program in ipairs(programs) do
    if program.id == id then
      return program
    end
  end
end

---@param connection vim.lsp.Client
---@param use fun(programs: agentq.RunningProcess[])
---@param refuse fun(why: string)
local function list(connection, use, refuse)
  client.request(connection, "agentq/listProcesses", {}, function(err, result)
    if err and err.code == METHOD_NOT_FOUND then
      refuse("the server is older than this plugin and knows no running programs; :checkhealth agentq says more")
    elseif err then
      refuse(err.message)
    else
      use(result.processes)
    end
  end)
end

--- Forms go to the program from now on, or to the REPL.
---@param connection vim.lsp.Client
---@param program? agentq.RunningProcess
local function take(connection, program)
  local log = logs.of(connection.id)
  log.process, log.pid = program and program.id, program and program.pid
  chosen_roots[connection.config.root_dir] = program and true or nil
  local lines = { ("forms go to %s from now on"):format(M.words(log) or "the REPL") }
  if program and program.level == "globals" then
    local why = program.why or "forms run among its globals, and not inside of modules"
    lines[2] = ("%s: %s"):format(program.id, visible.text(why))
  end
  say.info(table.concat(lines, "; "))
  lines[#lines + 1] = ""
  log:append(lines, { "AgentqNotice", "AgentqWarning" })
  vim.cmd.redrawstatus({ bang = true })
end

---@param programs agentq.RunningProcess[]
---@return string
local function names(programs)
  local ids = vim.tbl_map(function(program)
    return program.id
  end, programs)
  return #ids > 0 and "running: " .. table.concat(ids, ", ") or "none runs; " .. HOW_TO_START
end

--- The person chooses among the REPL and the programs.
---@param connection vim.lsp.Client
---@param programs agentq.RunningProcess[]
local function choose_listed(connection, programs)
  local now = M.of(connection.id)
  if #programs == 0 and not now then
    return say.info("no program runs here; " .. HOW_TO_START)
  end
  ---@type (agentq.RunningProcess|{id: nil})[]
  local items = vim.list_extend({ {} }, programs)
  vim.ui.select(items, {
    prompt = "Where do forms go?",
    format_item = function(item)
      local mark = item.id == now and " · now" or ""
      local words = item.id and ("%s (process %d): node %s"):format(item.id, item.pid, item.command) or "the REPL"
      return visible.text(words .. mark)
    end,
  }, function(item)
    if item then
      take(connection, item.id and item or nil)
    end
  end)
end

---@param connection vim.lsp.Client
---@param word string the id of a program, "repl", or "" to choose from the list
function M.choose(connection, word)
  list(connection, function(programs)
    local program = find(programs, word)
    if word == "" then
      choose_listed(connection, programs)
    elseif program or word == REPL then
      take(connection, program)
    else
      say.error(("there is no program %s; %s"):format(word, names(programs)))
    end
  end, say.error)
end

--- What runs now, of which the chosen program may have ended, or be another process than before.
---@param log agentq.Log
---@param programs agentq.RunningProcess[]
local function told(log, programs)
  local now = log.process and find(programs, log.process)
  local pid = now and now.pid
  if not log.process or pid == log.pid then
    return
  end
  if log.pid then
    traced.stop_in(log, log.process)
    log:append(
      { ("%s has ended, or was detached: what was defined in it is gone."):format(log.process) },
      "AgentqWarning"
    )
  end
  log.pid = pid
  if pid then
    log:append({ ("%s runs again (process %d)."):format(log.process, pid) }, "AgentqNotice")
  end
  vim.cmd.redrawstatus({ bang = true })
end

---@type table<integer, true> clients that were asked what runs: what they tell before they answer may be a part of it
local asked = {}
client.on_exit(function(client_id)
  asked[client_id] = nil
end)

---@param client_id integer
---@param params agentq.RunningProcesses
function M.on_changed(client_id, params)
  if not asked[client_id] then
    told(logs.of(client_id), params.processes)
  end
  events.fire("Processes", { processes = params.processes })
end

--- Looks for the chosen program again when the server is a new one.
---@param connection vim.lsp.Client
function M.on_start(connection)
  if not chosen_roots[connection.config.root_dir] then
    return
  end
  asked[connection.id] = true
  list(connection, function(programs)
    asked[connection.id] = nil
    told(logs.of(connection.id), programs)
  end, function(why)
    asked[connection.id] = nil
    logs.of(connection.id):append({ why }, "AgentqError")
  end)
end

--- What `:AgentQ process` can take, for the command line.
---@return string[]
function M.ids()
  local connection = client.current()
  if not connection or not connection.initialized then
    return {}
  end
  local words
  list(connection, function(programs)
    words = { REPL }
    for _, program in ipairs(programs) do
      words[#words + 1] = program.id ~= REPL and program.id or nil
    end
  end, function()
    words = {}
  end)
  vim.wait(PATIENCE_MS, function()
    return words ~= nil
  end, 5)
  return words or {}
end

--- For status lines: `→ api`.
---@return string?
function M.short()
  local connection = client.near(vim.api.nvim_get_current_buf())
  local log = connection and logs.known(connection.id)
  return log and log.process and ("→ %s%s"):format(log.process, log.pid and "" or " (not running)") or nil
end

return M
