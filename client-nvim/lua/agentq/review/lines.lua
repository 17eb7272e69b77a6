-- Parts of hunks: the lines that a person selects, and the smaller hunks of a split. Lines that a hunk takes away are
-- selected in the file, lines that a hunk brings in the buffer of the proposed text.
local client = require("agentq.client")
local diff_cursor = require("agentq.review.diff_cursor")
local header = require("agentq.review.header")
local own_text = require("agentq.review.own_text")
local review = require("agentq.review.review")
local say = require("agentq.say")
local visible = require("agentq.review.visible")

local M = {}

---@param first integer
---@param last integer inclusive
---@return integer[]
local function numbers(first, last)
  local found = {}
  for number = first, last do
    found[#found + 1] = number
  end
  return found
end

--- What a range of the proposed text of a hunk means.
---@param item agentq.review.Item
---@param bufnr integer
---@param first integer
---@param last integer inclusive
---@return agentq.HunkDecision?
---@return string? problem
local function of_proposed(item, bufnr, first, last)
  local count = vim.api.nvim_buf_line_count(bufnr)
  if first == 0 and last >= count - 1 then
    return own_text.acceptance(item)
  elseif item.hunk.state == "conflict" then
    return nil, "a hunk in conflict is taken whole"
  elseif item.hunk.kind == "entry" then
    return nil, ("to %s is one decision"):format(visible.text(item.hunk.title))
  elseif item.hunk.kind == "create" then
    return nil, "a new file is taken whole; what you delete here is left out"
  elseif own_text.edited(item) then
    return nil, "you changed this text, and it is taken whole"
  end
  return { id = item.hunk.id, decision = "accept", lines = { new = numbers(first, math.min(last, count - 1)) } }
end

--- What a range of a file means for one hunk, nil where the range has nothing of the hunk.
---@param place agentq.review.Place
---@param first integer
---@param last integer inclusive
---@return agentq.HunkDecision?
---@return string? problem
local function of_place(place, first, last)
  local hunk, count = place.item.hunk, #place.view.old
  if hunk.kind == "rename" then
    return nil
  elseif count == 0 then
    local is_inside = first < place.first and place.first <= last
    return is_inside and own_text.acceptance(place.item) or nil
  end
  local from, to = math.max(first - place.first, 0), math.min(last - place.first, count - 1)
  if from > to then
    return nil
  elseif from == 0 and to == count - 1 then
    return own_text.acceptance(place.item)
  elseif hunk.kind == "delete" then
    return nil, ("to %s is one decision"):format(visible.text(hunk.title))
  elseif hunk.state == "conflict" or not place.intact then
    return nil, "these lines changed since, so the hunk is taken whole or merged"
  elseif place.own then
    return nil, "your text of this hunk is taken whole"
  end
  return { id = hunk.id, decision = "accept", lines = { old = numbers(from, to) } }
end

--- Why a range has no line of any hunk.
---@param bufnr integer
---@param row integer
---@return string
local function nothing_at(bufnr, row)
  for _, place in ipairs(review.places(bufnr)) do
    if #place.view.old == 0 and (row == place.first or row == place.first - 1) then
      local words = "lines that a hunk brings are selected in its text: %s opens it, %s takes all of them"
      return words:format(header.how(bufnr, "edit"), header.how(bufnr, "accept"))
    end
  end
  return "no line of a hunk in this range"
end

--- The decisions that accept what a range of lines of a buffer shows of hunks. They are about one proposal, the one of the
--- topmost hunk; the person hears why there are none.
---@param bufnr integer
---@param first integer 0-based
---@param last integer inclusive
---@return agentq.review.Entry?
---@return agentq.HunkDecision[]
function M.decisions(bufnr, first, last)
  local entry, decisions = nil, {}
  local function add(item, decision, problem)
    if problem then
      say.warn(problem)
      return false
    elseif decision and (not entry or entry == item.entry) then
      entry = item.entry
      decisions[#decisions + 1] = decision
    end
    return true
  end
  local item = own_text.item_in(bufnr)
  if item then
    add(item, of_proposed(item, bufnr, first, last))
    return entry, decisions
  end
  -- The left side of a diff has the rows of its file.
  bufnr = vim.b[bufnr].agentq_diff and diff_cursor.file_of(bufnr) or bufnr
  for _, place in ipairs(review.places(bufnr)) do
    if not add(place.item, of_place(place, first, last)) then
      return nil, {}
    end
  end
  if not entry then
    say.info(nothing_at(bufnr, last))
  end
  return entry, decisions
end

--- Puts smaller hunks in the place of one.
---@param item agentq.review.Item
function M.split(item)
  local connection = vim.lsp.get_client_by_id(item.entry.client_id)
  if not connection then
    return say.error("the server of this proposal is gone")
  elseif own_text.edited(item) then
    return say.warn("your text of this hunk is taken whole")
  end
  local params = { proposalId = item.entry.proposal.proposalId, hunkId = item.hunk.id }
  client.request(connection, "agentq/splitHunk", params, function(err, result)
    if err and err.code == vim.lsp.protocol.ErrorCodes.InvalidParams then
      return say.warn("this hunk stays whole: it has one changed line, is in conflict, or is a whole file")
    elseif err then
      return say.error(err.message)
    end
    say.info(("%d hunks in the place of one"):format(#result.hunkIds))
  end)
end

return M
