-- The tests of proposed text, before anybody accepts it: with all hunks of a proposal, and with some of them.
local client = require("agentq.client")
local events = require("agentq.events")
local say = require("agentq.say")
local store = require("agentq.review.store")

local M = {}

---@class agentq.review.TestPlan
---@field label string which hunks go in, for people
---@field hunks agentq.HunkDecision[]

---@class agentq.review.Tested
---@field label string
---@field verdict agentq.TestVerdict

---@class agentq.review.TestedEntry
---@field hunks string the hunks that were pending
---@field runs agentq.review.Tested[]

---@type table<string, agentq.review.TestedEntry> by proposal
local tested = {}
---@type table<string, integer> by proposal, which call was the last one
local calls = {}

---@param entry agentq.review.Entry
---@return string
local function pending_ids(entry)
  local ids = {}
  for _, hunk in ipairs(entry.proposal.hunks) do
    if store.is_open(hunk) then
      ids[#ids + 1] = hunk.id
    end
  end
  return table.concat(ids, " ")
end

--- A verdict in a few words: `16 of 16 pass`, `1 of 16 fails`.
---@param verdict agentq.TestVerdict
---@return string
function M.words(verdict)
  if verdict.state == "running" then
    return "running…"
  elseif verdict.state ~= "done" then
    return "none was run: " .. (verdict.reason or "nobody knows why")
  end
  local total = verdict.passed + verdict.failed
  local words = verdict.failed == 0 and ("%d of %d pass"):format(verdict.passed, total)
    or ("%d of %d %s"):format(verdict.failed, total, verdict.failed == 1 and "fails" or "fail")
  return verdict.reason and ("%s (%s)"):format(words, (verdict.reason:gsub("%.$", ""))) or words
end

---@param runs agentq.review.Tested[]
---@return string
local function sentence(runs)
  return table.concat(
    vim.tbl_map(function(run)
      return ("%s: %s"):format(run.label, M.words(run.verdict))
    end, runs),
    "; "
  )
end

--- What tests say of a proposal in one sentence, nil when none ran. What was found for other pending hunks is old.
---@param entry agentq.review.Entry
---@return string?
---@return string group
function M.told(entry)
  local known = tested[entry.proposal.proposalId]
  local runs = known and known.hunks == pending_ids(entry) and known.runs or {}
  if #runs == 0 and entry.proposal.tests then
    runs = { { label = "all", verdict = entry.proposal.tests } }
  end
  if #runs == 0 then
    return nil, "AgentqHint"
  end
  local failed = vim.iter(runs):any(function(run)
    return run.verdict.failed > 0
  end)
  return "tests, " .. sentence(runs), failed and "AgentqConflict" or "AgentqHint"
end

---@param runs agentq.review.Tested[]
local function list_failures(runs)
  local failures = {}
  for _, run in ipairs(runs) do
    for _, failure in ipairs(run.verdict.failures) do
      local message = vim.split(failure.message, "\n", { plain = true })[1]
      local text = ("%s: %s: %s"):format(run.label, failure.name, message)
      failures[#failures + 1] = { uri = failure.uri, range = failure.range, text = text }
    end
  end
  if #failures > 0 then
    local items = require("agentq.found").items(failures, "E")
    vim.fn.setqflist({}, " ", { title = "AgentQ tests", items = items })
  end
  return #failures
end

---@param entry agentq.review.Entry
---@param hunks string
---@param runs agentq.review.Tested[]
local function finish(entry, hunks, runs)
  tested[entry.proposal.proposalId] = { hunks = hunks, runs = runs }
  require("agentq.review.review").refresh_all()
  local listed = list_failures(runs)
  say.info("tests, " .. sentence(runs) .. (listed > 0 and " (:copen)" or ""))
  events.fire("Tested", { proposalId = entry.proposal.proposalId, runs = runs })
end

--- Runs the plans one after the other, for the server lets a newer question about a proposal end an older one.
---@param entry agentq.review.Entry
---@param plans agentq.review.TestPlan[]
function M.run(entry, plans)
  local id = entry.proposal.proposalId
  local connection = vim.lsp.get_client_by_id(entry.client_id)
  if not connection then
    return say.error("the AgentQ server is not running")
  end
  local call = (calls[id] or 0) + 1
  calls[id] = call
  local hunks, runs = pending_ids(entry), {}
  say.info("testing the proposal…")
  local function run(index)
    local plan = plans[index]
    if not plan then
      return finish(entry, hunks, runs)
    end
    local params = { proposalId = id, hunks = plan.hunks }
    client.request(connection, "agentq/testSubset", params, function(err, result)
      if calls[id] ~= call then
        return
      elseif err then
        return say.error(err.message)
      end
      runs[index] = { label = plan.label, verdict = result }
      run(index + 1)
    end)
  end
  run(1)
end

return M
