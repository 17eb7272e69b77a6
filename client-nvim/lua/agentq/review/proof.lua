-- What the compiler has said of some of the hunks of a proposal, as long as the hunks and their files stay as they were.
local buffers = require("agentq.buffers")
local own_text = require("agentq.review.own_text")
local store = require("agentq.review.store")

local M = {}

---@class agentq.review.Proof
---@field signature string what the answers are about
---@field so_far? agentq.Check what was accepted so far; absent while that is nothing
---@field rest? agentq.Check all that waits goes in; absent while that is the whole proposal
---@field without table<string, agentq.Check> all that waits but one hunk goes in, by its id
---@field asking? string the hunk about which it is asked now
---@field failed? boolean the compiler has no answer

---@type table<string, agentq.review.Proof> by proposal
local proofs = {}

--- What a hunk that waits is asked about with: the text of the person's, where there is one.
---@param entry agentq.review.Entry
---@param hunk agentq.Hunk
---@return agentq.HunkDecision
function M.decision(entry, hunk)
  local own, over = own_text.edited({ entry = entry, hunk = hunk, key = store.key(entry, hunk) })
  return own and { id = hunk.id, decision = "edit", newText = own, currentText = over }
    or { id = hunk.id, decision = "accept" }
end

---@type table<agentq.Proposal, {of: integer, states: string, is_whole: boolean}> what was decided, by proposal
local decided = setmetatable({}, { __mode = "k" })

--- What was decided about the hunks of a proposal.
---@param proposal agentq.Proposal
---@return string states
---@return boolean is_whole nothing was
local function states_of(proposal)
  local known = decided[proposal]
  if not known or known.of ~= store.version() then
    local states, is_whole = {}, true
    for index, hunk in ipairs(proposal.hunks) do
      -- A hunk may be split into others.
      states[index] = hunk.id .. " " .. hunk.state
      is_whole = is_whole and hunk.state == "pending"
    end
    known = { of = store.version(), states = table.concat(states, "\n"), is_whole = is_whole }
    decided[proposal] = known
  end
  return known.states, known.is_whole
end

--- Changes with whatever the answers depend on.
---@param entry agentq.review.Entry
---@return string signature
---@return boolean is_whole nothing was decided or changed since the whole proposal was checked
local function signature(entry)
  local states, is_whole = states_of(entry.proposal)
  local parts = { entry.proposal.check.state, states }
  for key in pairs(own_text.all()) do
    local item = store.item(key)
    local own = item and item.entry == entry and own_text.edited(item)
    parts[#parts + 1] = own and key .. " " .. own or nil
    is_whole = is_whole and not own
  end
  for _, document in ipairs(entry.proposal.documents) do
    local bufnr = buffers.loaded(document.uri)
    parts[#parts + 1] = bufnr and tostring(vim.api.nvim_buf_get_changedtick(bufnr)) or "-"
    is_whole = is_whole and (not bufnr or buffers.version(bufnr) == document.version)
  end
  return table.concat(parts, "\n"), is_whole
end

--- The answers about a proposal as it is now, which come in one after the other.
---@param entry agentq.review.Entry
---@return agentq.review.Proof
---@return boolean is_whole
function M.of(entry)
  local now, is_whole = signature(entry)
  local id = entry.proposal.proposalId
  if not proofs[id] or proofs[id].signature ~= now then
    proofs[id] = { signature = now, without = {} }
  end
  return proofs[id], is_whole
end

--- Whether answers are still the ones that a proposal has.
---@param entry agentq.review.Entry
---@param proof agentq.review.Proof
---@return boolean
function M.is_present(entry, proof)
  return proofs[entry.proposal.proposalId] == proof
end

---@class agentq.review.Known
---@field so_far? agentq.Check
---@field rest? agentq.Check
---@field without? agentq.Check

---@type table<agentq.Proposal, string>? signatures while one picture is drawn: many hunks ask for the same
local drawn

---@param entry agentq.review.Entry
local function signature_while_drawing(entry)
  if not drawn then
    drawn = {}
    vim.schedule(function()
      drawn = nil
    end)
  end
  drawn[entry.proposal] = drawn[entry.proposal] or signature(entry)
  return drawn[entry.proposal]
end

--- What is known by now of a proposal, whatever the hunk.
---@param entry agentq.review.Entry
---@return agentq.review.Known?
function M.known_of(entry)
  local proof = proofs[entry.proposal.proposalId]
  if not proof or proof.signature ~= signature_while_drawing(entry) then
    return nil
  end
  return { so_far = proof.so_far, rest = proof.rest or entry.proposal.check }
end

--- What is known by now for a hunk.
---@param item agentq.review.Item
---@return agentq.review.Known?
function M.known(item)
  local known = M.known_of(item.entry)
  local proof = proofs[item.entry.proposal.proposalId]
  if known and proof then
    known.without = proof.without[item.hunk.id]
  end
  return known
end

return M
