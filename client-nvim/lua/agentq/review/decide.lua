-- The way of a decision: send it to the server, apply the edit that the server composes, report the resulting text.
local apply = require("agentq.review.apply")
local buffers = require("agentq.buffers")
local client = require("agentq.client")
local events = require("agentq.events")
local redraw = require("agentq.review.redraw")
local review = require("agentq.review.review")
local say = require("agentq.say")
local store = require("agentq.review.store")
local sync = require("agentq.sync")
local visible = require("agentq.review.visible")

local M = {}

local WAIT_MS = 1000
local pending_requests = 0

---@return boolean
function M.in_flight()
  return pending_requests > 0
end

---@param err lsp.ResponseError|string
local function complain(err)
  say.error(type(err) == "table" and err.message or err --[[@as string]])
end

--- Hunks that must go in together with the chosen ones.
---@param entry agentq.review.Entry
---@param chosen agentq.HunkDecision[]
---@return agentq.HunkDecision[]
---@return string[] taken the titles of those that came along
local function with_required(entry, chosen)
  local by_id, hunks, taken = {}, store.hunks(entry), {}
  for _, decision in ipairs(chosen) do
    by_id[decision.id] = true
  end
  for _, decision in ipairs(chosen) do
    for _, id in ipairs(decision.decision ~= "reject" and hunks[decision.id].requires or {}) do
      if not by_id[id] and hunks[id] and hunks[id].state == "pending" then
        by_id[id] = true
        taken[#taken + 1] = hunks[id].title
        -- Appending while iterating is wanted: what a required hunk requires comes along too.
        chosen[#chosen + 1] = { id = id, decision = "accept" }
      end
    end
  end
  return chosen, taken
end

---@param entry agentq.review.Entry
---@param targets {uri: string, bufnr?: integer}[]
---@param connection vim.lsp.Client
---@param done fun(err: lsp.ResponseError?, result: {verified: boolean, mismatched: string[]})
local function report(entry, targets, connection, done)
  local documents = vim.tbl_map(function(target)
    local bufnr = target.bufnr
    return {
      uri = target.uri,
      version = bufnr and buffers.version(bufnr),
      sha256 = bufnr and buffers.sha256(buffers.text(bufnr)),
    }
  end, targets)
  local params = { proposalId = entry.proposal.proposalId, documents = documents }
  client.request(connection, "agentq/didApply", params, function(err, result)
    events.fire("Applied", {
      proposalId = entry.proposal.proposalId,
      documents = documents,
      verified = not err and result.verified or false,
    })
    done(err, result)
  end, targets[1] and targets[1].bufnr)
end

--- One short line: what was decided, and what still waits.
---@param decisions agentq.HunkDecision[]
---@param taken string[]
---@param done? string what was done, where the decisions do not tell
local function confirm(decisions, taken, done)
  local words = { accept = "accepted", edit = "accepted with your text", reject = "rejected" }
  local chosen = #decisions - #taken
  local what = done or chosen == 1 and words[decisions[1].decision] or ("%d hunks decided"):format(chosen)
  if chosen == 1 and decisions[1].lines then
    what = "the selected lines accepted"
  end
  if #taken > 0 then
    what = ("%s, and what it needs: %s"):format(what, visible.text(table.concat(taken, ", ")))
  end
  local left = store.count()
  local text = ("AgentQ: %s, %s"):format(what, left == 0 and "nothing left to decide" or left .. " left")
  say.brief(text, "AgentqHunk")
end

---@param entry agentq.review.Entry
---@param decisions agentq.HunkDecision[]
---@param conflicts string[]
local function record(entry, decisions, conflicts)
  local states = { accept = "accepted", edit = "edited", reject = "rejected" }
  local reason
  local hunks = store.hunks(entry)
  for _, decision in ipairs(decisions) do
    local conflicted = vim.list_contains(conflicts, decision.id)
    local hunk = hunks[decision.id]
    if hunk then
      store.decided(hunk, conflicted and "conflict" or states[decision.decision])
      reason = reason or (conflicted and hunk.conflict)
    end
    events.fire("HunkDecided", {
      proposalId = entry.proposal.proposalId,
      hunkId = decision.id,
      decision = decision.decision,
      reason = decision.reason,
      conflict = conflicted,
    })
  end
  if #conflicts > 0 then
    local why = reason or "the lines they change are no longer there; merge them, or reject"
    complain(("%d hunk%s not applied: %s"):format(#conflicts, #conflicts == 1 and " was" or "s were", why))
  end
end

--- Applies the edit that the server composed. When the edit does not fit, nothing is written and the server gets the
--- text as it is, so that the model does not hear that the edit was applied.
---@param entry agentq.review.Entry
---@param edit lsp.WorkspaceEdit
---@param connection vim.lsp.Client
---@param done fun(succeeded: boolean)
local function carry_out(entry, edit, connection, done)
  local targets, failure = apply.apply(connection, edit)
  local some = targets ~= nil
  if not targets then
    targets = {}
    for _, change in ipairs(edit.documentChanges or {}) do
      local bufnr = change.textDocument and buffers.loaded(change.textDocument.uri)
      if bufnr then
        targets[#targets + 1] = { uri = change.textDocument.uri, bufnr = bufnr }
      end
    end
  end
  report(entry, targets, connection, function(err, result)
    if failure then
      complain((some and "not all was applied: " or "nothing was applied: ") .. failure)
    elseif err then
      complain(err)
    elseif not result.verified then
      complain("the text differs from what you approved in " .. table.concat(result.mismatched, ", "))
    end
    done(not failure and not err and result.verified)
  end)
end

--- What the server itself put in its place may be on screen.
---@param entry agentq.review.Entry
---@param decisions agentq.HunkDecision[]
local function look_at_entries(entry, decisions)
  local hunks = store.hunks(entry)
  for _, decision in ipairs(decisions) do
    local hunk = decision.decision == "accept" and hunks[decision.id]
    local bufnr = hunk and hunk.kind == "entry" and buffers.loaded(hunk.uri)
    if bufnr then
      vim.cmd.checktime(bufnr)
    end
  end
end

--- Answers a function that ends a decision, whether the edit was applied or not; only its first call counts.
---@param decisions agentq.HunkDecision[]
---@param taken string[]
---@param options agentq.review.DecideOptions
---@return fun(succeeded: boolean)
local function finisher(decisions, taken, options)
  local finished, complaints = false, say.complaints
  return function(succeeded)
    if finished then
      return
    end
    finished = true
    pending_requests = pending_requests - 1
    redraw.all()
    if succeeded then
      if options.after then
        options.after()
      end
      -- A complaint about what was carried out stays to be read.
      if say.complaints == complaints then
        confirm(decisions, taken, options.done)
      end
    end
  end
end

---@class agentq.review.DecideOptions
---@field stop? boolean end the turn as well
---@field message? string
---@field after? fun() called when all of it was carried out
---@field done? string what was done, for the message that confirms it; else the decisions tell

--- Sends decisions about hunks of one proposal and carries out the answer.
---@param entry agentq.review.Entry
---@param chosen agentq.HunkDecision[]
---@param options? agentq.review.DecideOptions
function M.decide(entry, chosen, options)
  options = options or {}
  local connection = vim.lsp.get_client_by_id(entry.client_id)
  if not connection then
    return complain("the server of this proposal is gone")
  end
  local decisions, taken = with_required(entry, chosen)
  -- The server composes the edit against the text on screen.
  sync.flush_documents(connection, entry.proposal.documents)
  local answered, finish = false, finisher(decisions, taken, options)
  pending_requests = pending_requests + 1
  client.request(connection, "agentq/decide", {
    proposalId = entry.proposal.proposalId,
    hunks = decisions,
    message = options.message,
    ["then"] = options.stop and "stop" or "continue",
  }, function(err, result)
    answered = true
    if err then
      complain(err)
      return finish(false)
    end
    record(entry, decisions, result.conflicts)
    local succeeded = #result.conflicts == 0
    look_at_entries(entry, decisions)
    if result.edit then
      review.mark_places()
      carry_out(entry, result.edit, connection, function(applied)
        finish(succeeded and applied)
      end)
      review.refresh_all()
    else
      finish(succeeded)
    end
  end)
  -- While Neovim waits here, typed keys stay in the typeahead: no text changes before the edit is written.
  vim.wait(WAIT_MS, function()
    return answered
  end, 2)
end

return M
