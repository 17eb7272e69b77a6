-- The proposals this editor knows, oldest first, and where their hunks stand in buffers.
local M = {}

---@class agentq.review.Entry
---@field client_id integer
---@field proposal agentq.Proposal

---@type agentq.review.Entry[]
local entries = {}

---@param proposal_id string
---@return agentq.review.Entry?
function M.get(proposal_id)
  for _, entry in ipairs(entries) do
    if entry.proposal.proposalId == proposal_id then
      return entry
    end
  end
end

--- All proposals, decided ones among them.
---@return agentq.review.Entry[]
function M.all()
  return entries
end

--- Adds a proposal or takes over what changed of it.
---@param client_id integer
---@param proposal agentq.Proposal
---@return boolean is_new
function M.put(client_id, proposal)
  local entry = M.get(proposal.proposalId)
  if entry then
    entry.proposal = proposal
    return false
  end
  entries[#entries + 1] = { client_id = client_id, proposal = proposal }
  return true
end

---@param client_id integer
function M.forget_client(client_id)
  entries = vim.tbl_filter(function(entry)
    return entry.client_id ~= client_id
  end, entries)
end

--- Does the person still have to decide? A conflict is no end.
---@param hunk agentq.Hunk
function M.is_open(hunk)
  return hunk.state == "pending" or hunk.state == "conflict"
end

---@class agentq.review.Item
---@field entry agentq.review.Entry
---@field hunk agentq.Hunk
---@field number integer among the hunks of all proposals that wait, decided ones of those included
---@field total integer
---@field of_file integer among those of its file
---@field in_file integer how many of those hunks its file has
---@field conflicts integer how many of those hunks are in conflict

--- Hunks that wait for a decision, those in conflict among them, in the order of arrival and then of the proposal.
---@return agentq.review.Item[]
function M.pending()
  local items, total, conflicts, in_file = {}, 0, 0, {}
  for _, entry in ipairs(entries) do
    ---@type agentq.Proposal
    local proposal = entry.proposal
    for _, hunk in ipairs(proposal.state == "pending" and proposal.hunks or {}) do
      total = total + 1
      in_file[hunk.uri] = (in_file[hunk.uri] or 0) + 1
      conflicts = conflicts + (hunk.state == "conflict" and 1 or 0)
      if M.is_open(hunk) then
        items[#items + 1] = { entry = entry, hunk = hunk, number = total, of_file = in_file[hunk.uri] }
      end
    end
  end
  for _, item in ipairs(items) do
    item.total, item.in_file, item.conflicts = total, in_file[item.hunk.uri], conflicts
  end
  return items
end

--- How many hunks wait for a decision.
---@return integer
function M.count()
  local count = 0
  for _, entry in ipairs(entries) do
    for _, hunk in ipairs(entry.proposal.state == "pending" and entry.proposal.hunks or {}) do
      count = count + (M.is_open(hunk) and 1 or 0)
    end
  end
  return count
end

--- The hunks of one server that wait for a decision.
---@param client_id integer
---@return agentq.review.Item[]
function M.pending_of(client_id)
  return vim.tbl_filter(function(item)
    return item.entry.client_id == client_id
  end, M.pending())
end

---@param proposal_id string
---@param hunk_id string
---@return agentq.review.Item?
function M.item(proposal_id, hunk_id)
  for _, item in ipairs(M.pending()) do
    if item.entry.proposal.proposalId == proposal_id and item.hunk.id == hunk_id then
      return item
    end
  end
end

return M
