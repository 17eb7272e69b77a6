-- Files that changed while an evaluation ran: :AgentQ changes keeps them or takes them back.
local client = require("agentq.client")
local events = require("agentq.events")
local log = require("agentq.repl.log")

local M = {}

---@type {client_id: integer, params: agentq.EvaluationChanges}[] oldest first
local waiting = {}

--- Buffers without edits of the person follow their files: the next form would run with the old text.
---@param changes agentq.EvaluationChange[]
local function reload(changes)
  for _, change in ipairs(changes) do
    local bufnr = vim.fn.bufnr(vim.fn.fnameescape(vim.uri_to_fname(change.uri)))
    if bufnr > 0 and vim.api.nvim_buf_is_loaded(bufnr) and not vim.bo[bufnr].modified then
      vim.cmd(("silent! checktime %d"):format(bufnr))
    end
  end
end

---@param client_id integer
---@param params agentq.EvaluationChanges
function M.on_changes(client_id, params)
  waiting[#waiting + 1] = { client_id = client_id, params = params }
  -- The last sentence is meant for the agent.
  local message = params.message:gsub(" The person can keep or revert [^.]*%.$", "")
  log.append({ message, ":AgentQ changes keeps or reverts that." }, "AgentqNotice", params.evalId)
  if require("agentq.config").get().notify then
    require("agentq.say").say(":AgentQ changes decides: " .. message, vim.log.levels.WARN)
  end
  reload(params.changes)
  events.fire("EvaluationChanges", params)
end

---@param client_id integer
function M.forget_client(client_id)
  waiting = vim.tbl_filter(function(entry)
    return entry.client_id ~= client_id
  end, waiting)
end

---@param change agentq.EvaluationChange
local function words(change)
  local name = vim.fn.fnamemodify(vim.uri_to_fname(change.uri), ":~:.")
  return ("%s (%s)%s"):format(name, change.kind, change.canRevert and "" or ", cannot be reverted")
end

---@param entry {client_id: integer, params: agentq.EvaluationChanges}
---@param what "keep"|"revert"
local function decide(entry, what)
  local connection = vim.lsp.get_client_by_id(entry.client_id)
  if not connection then
    return M.forget_client(entry.client_id)
  end
  local method = ("agentq/%sEvaluationChanges"):format(what)
  client.request(connection, method, { evalId = entry.params.evalId }, function(err, result)
    waiting = vim.tbl_filter(function(other)
      return other ~= entry
    end, waiting)
    if err then
      return vim.notify("AgentQ: " .. err.message, vim.log.levels.ERROR)
    end
    log.append({
      ("%s: %d file%s"):format(what == "keep" and "kept" or "reverted", #result.done, #result.done == 1 and "" or "s"),
    }, "AgentqNotice")
    -- Where the person has unsaved edits Neovim asks.
    vim.cmd("checktime")
    for _, failure in ipairs(result.failed) do
      local name = vim.fn.fnamemodify(vim.uri_to_fname(failure.uri), ":~:.")
      vim.notify(("AgentQ: %s was not reverted: %s"):format(name, failure.reason), vim.log.levels.WARN)
    end
    events.fire("ChangesDecided", { what = what, result = result })
  end)
end

--- Asks about the oldest evaluation whose changes wait.
---@param answer? "keep"|"revert"
function M.review(answer)
  local entry = waiting[1]
  if not entry then
    return vim.notify("AgentQ: no evaluation changed a file", vim.log.levels.INFO)
  end
  if answer == "keep" or answer == "revert" then
    return decide(entry, answer)
  end
  local lines = vim.tbl_map(words, entry.params.changes)
  local prompt = ("While form %s ran, this changed:\n  %s\n"):format(entry.params.evalId, table.concat(lines, "\n  "))
  vim.ui.select({ "keep", "revert" }, { prompt = prompt }, function(choice)
    if choice then
      decide(entry, choice)
    end
  end)
end

return M
