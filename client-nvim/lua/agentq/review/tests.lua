-- The tests of proposed text, before anybody accepts it: with all hunks of a proposal, and with some of them.
local client = require("agentq.client")
local events = require("agentq.events")
local found = require("agentq.found")
local review = require("agentq.review.review")
local say = require("agentq.say")
local tested = require("agentq.review.tested")

local M = {}

---@class agentq.review.TestPlan
---@field label string which hunks go in, for people
---@field hunks agentq.HunkDecision[]

---@type table<string, integer> by proposal, which call was the last one
local calls = {}

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
    local items = found.items(failures, "E")
    vim.fn.setqflist({}, " ", { title = "AgentQ tests", items = items })
  end
  return #failures
end

---@param entry agentq.review.Entry
---@param hunks string
---@param runs agentq.review.Tested[]
local function finish(entry, hunks, runs)
  tested.put(entry, hunks, runs)
  review.refresh_all()
  local listed = list_failures(runs)
  say.info("tests, " .. tested.sentence(runs) .. (listed > 0 and " (:copen)" or ""))
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
  local hunks, runs = tested.pending_ids(entry), {}
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
