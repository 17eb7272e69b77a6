-- What the tests of proposed text have said, in words.
local store = require("agentq.review.store")

local M = {}

---@class agentq.review.Tested
---@field label string
---@field verdict agentq.TestVerdict

---@class agentq.review.TestedEntry
---@field hunks string the hunks that were pending
---@field runs agentq.review.Tested[]

---@type table<string, agentq.review.TestedEntry> by proposal
local tested = {}
--- Names the hunks that a run of tests is about.
---@param entry agentq.review.Entry
---@return string
function M.pending_ids(entry)
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
function M.sentence(runs)
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
  local runs = known and known.hunks == M.pending_ids(entry) and known.runs or {}
  if #runs == 0 and entry.proposal.tests then
    runs = { { label = "all", verdict = entry.proposal.tests } }
  end
  if #runs == 0 then
    return nil, "AgentqHint"
  end
  local failed = vim.iter(runs):any(function(run)
    return run.verdict.failed > 0
  end)
  return "tests, " .. M.sentence(runs), failed and "AgentqConflict" or "AgentqHint"
end

---@param entry agentq.review.Entry
---@param hunks string those that were pending
---@param runs agentq.review.Tested[]
function M.put(entry, hunks, runs)
  tested[entry.proposal.proposalId] = { hunks = hunks, runs = runs }
end

return M
