-- The proposals this editor knows, oldest first, and which of their hunks wait. What is asked for at every key is kept
-- ready until a proposal changes.
local M = {}

---@class agentq.review.Entry
---@field client_id integer
---@field proposal agentq.Proposal

---@class agentq.review.Named
---@field entry agentq.review.Entry
---@field hunk agentq.Hunk
---@field key string

---@class agentq.review.Item: agentq.review.Named
---@field number integer among the hunks of all proposals that wait, decided ones of those included
---@field total integer
---@field of_file integer among those of its file
---@field in_file integer how many of those hunks its file has
---@field conflicts integer how many of those hunks are in conflict

--- The hunks of a file that wait, in the order of arrival and then of the proposal.
---@class agentq.review.File
---@field uri string
---@field items agentq.review.Item[]

---@class agentq.review.Waiting
---@field items agentq.review.Item[] in the order of arrival and then of the proposal
---@field by_key table<string, agentq.review.Item>
---@field numbers table<string, integer> of all hunks of the proposals that wait, by hunk key
---@field files agentq.review.File[] in the order of their first hunks that wait
---@field of_client table<integer, agentq.review.Item[]>

---@type agentq.review.Entry[]
local entries = {}
---@type agentq.review.Waiting? nil while it has to be made anew
local waiting
local version = 0

local function change()
  waiting = nil
  version = version + 1
end

--- Another number after each change of any proposal.
---@return integer
function M.version()
  return version
end

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
function M.put(client_id, proposal)
  change()
  local entry = M.get(proposal.proposalId)
  if entry then
    entry.proposal = proposal
  else
    entries[#entries + 1] = { client_id = client_id, proposal = proposal }
  end
end

--- Takes over the hunks of a proposal that are not as they were.
---@param changed agentq.HunksChanged
---@return agentq.Proposal? proposal as it is now; nil for one that is not known
function M.merge(changed)
  local entry = M.get(changed.proposalId)
  if not entry then
    return nil
  end
  change()
  local now = {}
  for _, hunk in ipairs(changed.hunks) do
    now[hunk.id] = hunk
  end
  local hunks = vim.tbl_map(function(hunk)
    return now[hunk.id] or hunk
  end, entry.proposal.hunks)
  entry.proposal = vim.tbl_extend("force", entry.proposal, changed, { hunks = hunks })
  return entry.proposal
end

--- Takes over what became of a hunk before the server tells of the proposal.
---@param hunk agentq.Hunk
---@param state agentq.HunkState
function M.decided(hunk, state)
  change()
  hunk.state = state
end

---@param client_id integer
function M.forget_client(client_id)
  change()
  entries = vim.tbl_filter(function(entry)
    return entry.client_id ~= client_id
  end, entries)
end

--- The hunks of a proposal by their ids.
---@param entry agentq.review.Entry
---@return table<string, agentq.Hunk>
function M.hunks(entry)
  local hunks = {}
  for _, hunk in ipairs(entry.proposal.hunks) do
    hunks[hunk.id] = hunk
  end
  return hunks
end

--- Names a hunk among those of all proposals.
---@param entry agentq.review.Entry
---@param hunk agentq.Hunk
---@return string
function M.key(entry, hunk)
  return entry.proposal.proposalId .. "/" .. hunk.id
end

--- Does the person still have to decide? A conflict is no end.
---@param hunk agentq.Hunk
function M.is_open(hunk)
  return hunk.state == "pending" or hunk.state == "conflict"
end

---@param found agentq.review.Waiting
---@param files table<string, agentq.review.File> by URI
---@param item agentq.review.Item
local function add(found, files, item)
  local uri, client_id = item.hunk.uri, item.entry.client_id
  local file = files[uri]
  if not file then
    file = { uri = uri, items = {} }
    files[uri], found.files[#found.files + 1] = file, file
  end
  found.of_client[client_id] = found.of_client[client_id] or {}
  found.by_key[item.key] = item
  for _, list in ipairs({ found.items, file.items, found.of_client[client_id] }) do
    list[#list + 1] = item
  end
end

---@return agentq.review.Waiting
local function collect()
  local found, files = { items = {}, by_key = {}, numbers = {}, files = {}, of_client = {} }, {}
  local total, conflicts, in_file = 0, 0, {}
  for _, entry in ipairs(entries) do
    ---@type agentq.Proposal
    local proposal = entry.proposal
    for _, hunk in ipairs(proposal.state == "pending" and proposal.hunks or {}) do
      total = total + 1
      in_file[hunk.uri] = (in_file[hunk.uri] or 0) + 1
      conflicts = conflicts + (hunk.state == "conflict" and 1 or 0)
      local key = M.key(entry, hunk)
      found.numbers[key] = total
      if M.is_open(hunk) then
        local item = { entry = entry, hunk = hunk, key = key, number = total, of_file = in_file[hunk.uri] }
        add(found, files, item --[[@as agentq.review.Item]])
      end
    end
  end
  for _, item in ipairs(found.items) do
    item.total, item.in_file, item.conflicts = total, in_file[item.hunk.uri], conflicts
  end
  return found
end

---@return agentq.review.Waiting
local function present()
  waiting = waiting or collect()
  return waiting
end

--- Hunks that wait for a decision, those in conflict among them, in the order of arrival and then of the proposal. No
--- caller changes the list.
---@return agentq.review.Item[]
function M.pending()
  return present().items
end

--- How many hunks wait for a decision.
---@return integer
function M.count()
  return #present().items
end

--- The files of the hunks that wait.
---@return agentq.review.File[]
function M.files()
  return present().files
end

--- The hunks of one server that wait for a decision.
---@param client_id integer
---@return agentq.review.Item[]
function M.pending_of(client_id)
  return present().of_client[client_id] or {}
end

--- The number of a hunk among those of all proposals that wait, as the heads of hunks in files tell it.
---@param key string
---@return integer?
function M.number(key)
  return present().numbers[key]
end

--- A hunk that waits.
---@param key string
---@return agentq.review.Item?
function M.item(key)
  return present().by_key[key]
end

return M
