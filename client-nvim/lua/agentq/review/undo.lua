-- Takes one decision back: the server proposes the way back, and the person's key is the decision about that proposal.
local client = require("agentq.client")
local decide = require("agentq.review.decide")
local hunks = require("agentq.review.hunks")
local say = require("agentq.say")
local store = require("agentq.review.store")

local M = {}

---@class agentq.review.UndoOptions
---@field began fun(proposal_id: string) the proposal that takes the decision back is there
---@field reopened fun(proposal_id: string) the hunk waits again, in this proposal

--- What was accepted leaves the file again; what was rejected or taken back waits again, as a proposal of its own.
---@param entry agentq.review.Entry
---@param hunk agentq.Hunk
---@param options agentq.review.UndoOptions
function M.take_back(entry, hunk, options)
  local connection = vim.lsp.get_client_by_id(entry.client_id)
  if not connection then
    return say.error("the server of this proposal is gone")
  end
  local is_out = not hunks.is_in(hunk)
  local method = is_out and "agentq/reopenProposal" or "agentq/undoProposal"
  local params = { proposalId = entry.proposal.proposalId, hunkIds = { hunk.id } }
  require("agentq.sync").flush_documents(connection, entry.proposal.documents)
  client.request(connection, method, params, function(err, result)
    if err then
      return say.error(err.message)
    end
    for _, each in ipairs(result.left) do
      say.warn("not taken back: " .. each.why)
    end
    local id = result.proposalId
    local way_back = id and store.get(id)
    if not way_back then
      if #result.left == 0 then
        say.info("nothing of that hunk is there any more")
      end
      return
    elseif is_out then
      -- The hunk waits again; the person decides about it anew.
      return options.reopened(id)
    end
    options.began(id)
    local decisions = vim.tbl_map(function(each)
      return { id = each.id, decision = "accept" }
    end, way_back.proposal.hunks)
    decide.decide(way_back, decisions, { done = "taken back" })
  end)
end

return M
