-- Asks the compiler, while a person decides, about what was accepted so far and about leaving out the hunk at the cursor.
-- No key waits for it: one question is under way at a time, and an answer that came too late is dropped.
local client = require("agentq.client")
local decide = require("agentq.review.decide")
local hunks = require("agentq.review.hunks")
local own_text = require("agentq.review.own_text")
local proof = require("agentq.review.proof")
local proposed = require("agentq.review.proposed")
local review = require("agentq.review.review")
local stops = require("agentq.review.stops")
local store = require("agentq.review.store")
local sync = require("agentq.sync")

local M = {}

local PAUSE_MS = 150
local METHOD_NOT_FOUND = -32601

---@type table<integer, boolean> servers that do not know the question
local deaf = {}
local timer = assert(vim.uv.new_timer())

---@class agentq.review.Question
---@field hunks agentq.HunkDecision[]
---@field put fun(check: agentq.Check)

--- What is still to be asked for a hunk, the most useful first.
---@param item agentq.review.Item
---@param known agentq.review.Proof
---@param is_whole boolean
---@return agentq.review.Question?
local function question(item, known, is_whole)
  local all, others, is_any_in = {}, {}, false
  for _, hunk in ipairs(item.entry.proposal.hunks) do
    if store.is_open(hunk) then
      all[#all + 1] = proof.decision(item.entry, hunk)
      others[#others + 1] = hunk.id ~= item.hunk.id and all[#all] or nil
    end
    is_any_in = is_any_in or hunks.is_in(hunk)
  end
  if not known.so_far and is_any_in then
    return {
      hunks = {},
      put = function(check)
        known.so_far = check
      end,
    }
  elseif not known.rest and not is_whole then
    return {
      hunks = all,
      put = function(check)
        known.rest = check
      end,
    }
  elseif not known.without[item.hunk.id] then
    return {
      hunks = others,
      put = function(check)
        known.without[item.hunk.id] = check
      end,
    }
  end
end

---@param item agentq.review.Item
local function redraw(item)
  review.refresh_item(item)
  proposed.redraw(item)
  review.refresh_window()
end

---@param item agentq.review.Item
local function ask(item)
  local connection = vim.lsp.get_client_by_id(item.entry.client_id)
  local known, is_whole = proof.of(item.entry)
  local wanted = connection and not known.failed and question(item, known, is_whole)
  if not wanted or not connection then
    return
  end
  sync.flush_documents(connection, item.entry.proposal.documents)
  known.asking = item.hunk.id
  local params = { proposalId = item.entry.proposal.proposalId, hunks = wanted.hunks }
  client.request(connection, "agentq/checkSubset", params, function(err, check)
    if not proof.is_present(item.entry, known) or known.asking ~= item.hunk.id then
      return
    end
    known.asking = nil
    if err then
      deaf[item.entry.client_id] = err.code == METHOD_NOT_FOUND or nil
      known.failed = true
    elseif check.state == "done" then
      wanted.put(check)
      ask(item)
    else
      known.failed = true
    end
    redraw(item)
  end)
end

--- Asks about the hunk at the cursor, once the person rests there.
function M.look()
  timer:start(
    PAUSE_MS,
    0,
    vim.schedule_wrap(function()
      local item = store.count() > 0 and stops.current() or nil
      local is_checked = item and item.entry.proposal.check.state == "done"
      if not item or not is_checked or deaf[item.entry.client_id] or decide.in_flight() then
        return
      end
      if proof.of(item.entry).asking ~= item.hunk.id then
        ask(item)
      end
    end)
  )
end

own_text.on_change(M.look)
review.on_shown(M.look)

client.on_exit(function(client_id)
  deaf[client_id] = nil
end)

return M
