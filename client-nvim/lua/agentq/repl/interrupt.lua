-- :AgentQ interrupt stops the newest evaluation, or a named one, and reports what still runs.
local client = require("agentq.client")
local logs = require("agentq.repl.logs")

local M = {}

local PATIENCE_MS = 700

local say = require("agentq.say")

---@param connection vim.lsp.Client
---@param process? string
---@param use fun(items: agentq.HistoryItem[]) what an interrupt would end something of, newest first
local function with_stoppable(connection, process, use)
  local params = { process = process, only = "stoppable", limit = 100 }
  client.request(connection, "agentq/replHistory", params, function(err, page)
    if err then
      return say.error(err.message)
    end
    use(page.items)
  end)
end

---@param item agentq.HistoryItem
---@return string
local function name(item)
  local whose = item.by == "person" and "" or item.by == "agent" and "the agent's " or "the start-up script, "
  local code = require("agentq.repl.describe").short(item.code, 40)
  return ("%sform %s (%s)"):format(whose, item.evalId, code)
end

---@param items agentq.HistoryItem[]
---@return string
local function names(items)
  return table.concat(vim.tbl_map(name, items), ", ")
end

---@param items agentq.HistoryItem[]
---@return string "form 6 is", "forms 7, 6 are"
local function ids(items)
  local list = vim.tbl_map(function(item)
    return item.evalId
  end, items)
  return ("form%s %s %s"):format(#list == 1 and "" or "s", table.concat(list, ", "), #list == 1 and "is" or "are")
end

---@param items agentq.HistoryItem[]
---@return agentq.HistoryItem[] running, agentq.HistoryItem[] left
local function sort(items)
  local running, left = {}, {}
  for _, item in ipairs(items) do
    table.insert(item.outcome == "running" and running or left, item)
  end
  return running, left
end

--- The newest form of the person, else the newest of the agent.
---@param running agentq.HistoryItem[]
---@return agentq.HistoryItem
local function choose(running)
  for _, item in ipairs(running) do
    if item.by == "person" then
      return item
    end
  end
  return running[1]
end

---@param connection vim.lsp.Client
---@param which {id?: string, process?: string}
---@param done fun(result: {interrupted: boolean, ended?: string})
local function request(connection, which, done)
  local id, process = which.id, which.process
  client.request(connection, "agentq/interrupt", { process = process, evalId = id }, function(err, result)
    if err then
      return say.error(err.message)
    end
    if result.ended then
      local words = ("What form %s had left open was ended: %s"):format(id, result.ended)
      logs.of(connection.id):append({ words, "" }, { "AgentqNotice" }, nil, process)
      say.info(words)
    end
    done(result)
  end)
end

--- " in api", for a sentence about what runs.
---@param process? string
---@return string
local function place(process)
  return process and " in " .. process or ""
end

--- Interrupts where no form runs: tools that the person called, code that finished forms left on the main thread, and
--- forms that wait to begin.
---@param connection vim.lsp.Client
---@param process? string
---@param left agentq.HistoryItem[]
local function interrupt_nothing(connection, process, left)
  -- A form that waits for the person's consent to an open REPL is not in the history yet.
  local log = logs.of(connection.id)
  local had_waiting, had_tool = require("agentq.repl.running").busy_in(log, process), log.own_calls > 0
  -- Tools that the person calls run beside the REPL, wherever forms go.
  local is_tool_meant = had_tool and not had_waiting
  request(connection, { process = not is_tool_meant and process or nil }, function(result)
    local words = "nothing is being evaluated" .. place(process)
    if result.interrupted then
      words = had_waiting and "stopped before it began"
        or had_tool and "the tool that you called was stopped"
        or "what earlier forms had left running was stopped"
    end
    if #left == 0 then
      return say.info(words)
    end
    local lines = { words }
    for _, item in ipairs(left) do
      lines[#lines + 1] = ("%s left open: %s (:AgentQ interrupt %s ends that)"):format(
        name(item),
        item.left,
        item.evalId
      )
    end
    lines[#lines + 1] = ""
    log:append(lines, "AgentqNotice", nil, process)
    local one = left[1]
    say.info(
      #left > 1 and ("%s; %d forms left something open, see :AgentQ repl"):format(words, #left)
        or ("%s; form %s left open: %s; :AgentQ interrupt %s ends that"):format(words, one.evalId, one.left, one.evalId)
    )
  end)
end

--- Stops the newest evaluation and names those that still run.
---@param connection vim.lsp.Client
---@param process? string
local function interrupt_newest(connection, process)
  with_stoppable(connection, process, function(items)
    local running, left = sort(items)
    if #running == 0 then
      return interrupt_nothing(connection, process, left)
    end
    ---@type agentq.HistoryItem
    local chosen = choose(running)
    -- A form without an id has not begun yet.
    local id = chosen.evalId ~= "" and chosen.evalId or nil
    request(connection, { id = id, process = process }, function()
      with_stoppable(connection, process, function(now)
        -- The stopped form may still be on the list.
        local rest = vim.tbl_filter(function(item)
          return item.evalId ~= chosen.evalId
        end, (sort(now)))
        if #rest > 0 then
          logs.of(connection.id):append({
            ("%s was stopped; still running: %s"):format(name(chosen), names(rest)),
            ":AgentQ interrupt {id} stops one of them, :AgentQ interrupt all every one.",
            "",
          }, { "AgentqNotice", "AgentqHint" }, nil, process)
          say.info(
            ("form %s was stopped; %s still running: :AgentQ interrupt %s"):format(
              chosen.evalId,
              ids(rest),
              #rest == 1 and rest[1].evalId or "{id} or all"
            )
          )
        elseif chosen.by ~= "person" then
          say.info(("%s was stopped"):format(name(chosen)))
        end
      end)
    end)
  end)
end

--- Stops evaluations where the person's forms go.
---@param connection vim.lsp.Client
---@param which string an evaluation's id, "all", or "" for the newest
function M.interrupt(connection, which)
  local process = require("agentq.repl.process").of(connection.id)
  if which == "" then
    return interrupt_newest(connection, process)
  end
  local id = which ~= "all" and which or nil
  request(connection, { id = id, process = process }, function(result)
    if not result.interrupted then
      say.info(
        id and ("form %s does not run%s, and nothing that it left is open"):format(id, place(process))
          or "nothing is being evaluated" .. place(process)
      )
    end
  end)
end

--- Ids that `:AgentQ interrupt` can take, for the command line.
---@return string[]
function M.ids()
  local connection = client.current()
  if not connection or not connection.initialized then
    return {}
  end
  local found
  with_stoppable(connection, require("agentq.repl.process").of(connection.id), function(items)
    found = items
  end)
  vim.wait(PATIENCE_MS, function()
    return found ~= nil
  end, 5)
  local words = vim.tbl_map(function(item)
    return item.evalId
  end, found or {})
  table.insert(words, "all")
  return words
end

return M
