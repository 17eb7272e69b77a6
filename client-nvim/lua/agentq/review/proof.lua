-- Asks the compiler, while a person decides, about what was accepted so far and about leaving out the hunk at the cursor.
-- No key waits for it: one question is under way at a time, and an answer that came too late is dropped.
local buffers = require("agentq.buffers")
local client = require("agentq.client")
local store = require("agentq.review.store")
local sync = require("agentq.sync")

local M = {}

local PAUSE_MS = 150
local METHOD_NOT_FOUND = -32601

---@class agentq.review.Proof
---@field signature string what the answers are about
---@field so_far? agentq.Check what was accepted so far; absent while that is nothing
---@field rest? agentq.Check all that waits goes in; absent while that is the whole proposal
---@field without table<string, agentq.Check> all that waits but one hunk goes in, by its id
---@field asking? string the hunk about which it is asked now
---@field failed? boolean the compiler has no answer

---@type table<string, agentq.review.Proof> by proposal
local proofs = {}
---@type table<integer, boolean> servers that do not know the question
local deaf = {}
local timer = assert(vim.uv.new_timer())

---@param entry agentq.review.Entry
---@param hunk agentq.Hunk
local function decision(entry, hunk)
  local own, over = require("agentq.review.proposed").edited_text({ entry = entry, hunk = hunk })
  return own and { id = hunk.id, decision = "edit", newText = own, currentText = over }
    or { id = hunk.id, decision = "accept" }
end

--- Changes with whatever the answers depend on.
---@param entry agentq.review.Entry
---@return string signature
---@return boolean is_whole nothing was decided or changed since the whole proposal was checked
local function signature(entry)
  local parts, is_whole = { entry.proposal.check.state }, true
  for _, hunk in ipairs(entry.proposal.hunks) do
    local own = store.is_open(hunk) and decision(entry, hunk).newText
    parts[#parts + 1] = ("%s %s %s"):format(hunk.id, hunk.state, own or "")
    is_whole = is_whole and hunk.state == "pending" and not own
  end
  for _, document in ipairs(entry.proposal.documents) do
    local bufnr = buffers.loaded(document.uri)
    parts[#parts + 1] = bufnr and tostring(vim.api.nvim_buf_get_changedtick(bufnr)) or "-"
    is_whole = is_whole and (not bufnr or buffers.version(bufnr) == document.version)
  end
  return table.concat(parts, "\n"), is_whole
end

---@param entry agentq.review.Entry
---@return agentq.review.Proof
---@return boolean is_whole
local function proof_of(entry)
  local now, is_whole = signature(entry)
  local id = entry.proposal.proposalId
  if not proofs[id] or proofs[id].signature ~= now then
    proofs[id] = { signature = now, without = {} }
  end
  return proofs[id], is_whole
end

---@class agentq.review.Question
---@field hunks agentq.HunkDecision[]
---@field put fun(check: agentq.Check)

--- What is still to be asked for a hunk, the most useful first.
---@param item agentq.review.Item
---@param proof agentq.review.Proof
---@param is_whole boolean
---@return agentq.review.Question?
local function question(item, proof, is_whole)
  local all, others, is_any_in = {}, {}, false
  for _, hunk in ipairs(item.entry.proposal.hunks) do
    if store.is_open(hunk) then
      all[#all + 1] = decision(item.entry, hunk)
      others[#others + 1] = hunk.id ~= item.hunk.id and all[#all] or nil
    end
    is_any_in = is_any_in or hunk.state == "accepted" or hunk.state == "edited"
  end
  if not proof.so_far and is_any_in then
    return {
      hunks = {},
      put = function(check)
        proof.so_far = check
      end,
    }
  elseif not proof.rest and not is_whole then
    return {
      hunks = all,
      put = function(check)
        proof.rest = check
      end,
    }
  elseif not proof.without[item.hunk.id] then
    return {
      hunks = others,
      put = function(check)
        proof.without[item.hunk.id] = check
      end,
    }
  end
end

---@param item agentq.review.Item
local function redraw(item)
  local bufnr = buffers.loaded(item.hunk.uri)
  if bufnr then
    require("agentq.review.review").refresh(bufnr)
  end
  require("agentq.review.proposed").redraw(item)
  require("agentq.review.review").refresh_window()
end

---@param item agentq.review.Item
local function ask(item)
  local connection = vim.lsp.get_client_by_id(item.entry.client_id)
  local proof, is_whole = proof_of(item.entry)
  local wanted = connection and not proof.failed and question(item, proof, is_whole)
  if not wanted or not connection then
    return
  end
  sync.flush_documents(connection, item.entry.proposal.documents)
  local before = proof.asking
  proof.asking = item.hunk.id
  local params = { proposalId = item.entry.proposal.proposalId, hunks = wanted.hunks }
  client.request(connection, "agentq/checkSubset", params, function(err, check)
    if proofs[item.entry.proposal.proposalId] ~= proof or proof.asking ~= item.hunk.id then
      return
    end
    proof.asking = nil
    if err then
      deaf[item.entry.client_id] = err.code == METHOD_NOT_FOUND or nil
      proof.failed = true
    elseif check.state == "done" then
      wanted.put(check)
      ask(item)
    else
      proof.failed = true
    end
    redraw(item)
  end)
  if before ~= item.hunk.id then
    redraw(item)
  end
end

--- Asks about the hunk at the cursor, once the person rests there.
function M.look()
  timer:start(
    PAUSE_MS,
    0,
    vim.schedule_wrap(function()
      local item = #store.pending() > 0 and require("agentq.review.navigate").current() or nil
      local is_checked = item and item.entry.proposal.check.state == "done"
      if not item or not is_checked or deaf[item.entry.client_id] or require("agentq.review.decide").in_flight() then
        return
      end
      if proof_of(item.entry).asking ~= item.hunk.id then
        ask(item)
      end
    end)
  )
end

---@class agentq.review.Known
---@field so_far? agentq.Check
---@field rest? agentq.Check
---@field without? agentq.Check
---@field is_asking boolean

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

--- What is known by now for a hunk.
---@param item agentq.review.Item
---@return agentq.review.Known?
function M.known(item)
  local proof = proofs[item.entry.proposal.proposalId]
  if not proof or proof.signature ~= signature_while_drawing(item.entry) then
    return nil
  end
  return {
    so_far = proof.so_far,
    rest = proof.rest or item.entry.proposal.check,
    without = proof.without[item.hunk.id],
    is_asking = proof.asking == item.hunk.id,
  }
end

client.on_exit(function(client_id)
  deaf[client_id] = nil
end)

return M
