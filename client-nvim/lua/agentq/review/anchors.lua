-- Extmarks that follow the person's edits, so that a hunk is found where its old text moved to.
local hunks = require("agentq.review.hunks")
local own_text = require("agentq.review.own_text")

local M = {}

local namespace = vim.api.nvim_create_namespace("agentq.anchors")

---@class agentq.review.Mark
---@field id integer
---@field below boolean the place is the line after the mark: an insertion at the end of the buffer
---@field around agentq.review.Around the lines around the hunk when its old text was last seen
---@field place agentq.review.Place as it was found then
---@field tick integer of the buffer then

---@type table<integer, table<string, agentq.review.Mark>> by buffer, by hunk key
local marks = {}

---@class agentq.review.Place
---@field item agentq.review.Item
---@field view agentq.HunkView
---@field first integer 0-based row of the first old line, or of the line an insertion goes before
---@field intact boolean the old text still stands there
---@field own boolean the new text is the person's
---@field own_text? string the person's text
---@field state agentq.HunkState of the hunk then

--- Whether lines of another piece of the same hunk, which stand below those of this one, come to its very place.
---@param item agentq.review.Item
---@return boolean
local function stays_above(item)
  local hunk = item.hunk
  if hunk.oldText ~= "" or not hunk.id:find(".", 1, true) then
    return false
  end
  local is_below = false
  for _, other in ipairs(item.entry.proposal.hunks) do
    local here = other.uri == hunk.uri and vim.deep_equal(other.range.start, hunk.range.start)
    if is_below and here and other.oldText == "" and (other.state == "accepted" or other.state == "edited") then
      return true
    end
    is_below = is_below or other.id == hunk.id
  end
  return false
end

---@param bufnr integer
---@param item agentq.review.Item
---@param count integer of the buffer's lines
---@return integer?
local function marked_row(bufnr, item, count)
  local mark = (marks[bufnr] or {})[item.key]
  local position = mark and vim.api.nvim_buf_get_extmark_by_id(bufnr, namespace, mark.id, {})
  if not position or not position[1] then
    return nil
  elseif mark.below then
    -- No mark stands below the last line and moves on with what is appended.
    return stays_above(item) and position[1] + 1 or count
  end
  return position[1]
end

--- Whether a hunk takes away and brings what it did: the server tells of all hunks again whenever one of them changed.
---@param place agentq.review.Place
---@param hunk agentq.Hunk
---@param own? string the person's text
---@return boolean
local function is_same(place, hunk, own)
  local known = place.item.hunk
  if place.own_text ~= own or place.state ~= hunk.state then
    return false
  elseif known == hunk then
    return true
  end
  local from, to, now = known.range.start, known.range["end"], hunk.range
  return known.newText == hunk.newText
    and known.oldText == hunk.oldText
    and known.currentText == hunk.currentText
    and from.line == now.start.line
    and from.character == now.start.character
    and to.line == now["end"].line
    and to.character == now["end"].character
end

---@param item agentq.review.Item
---@param own? string the person's text
---@param known agentq.review.Mark?
---@param lines string[]
---@return agentq.HunkView
local function view_of(item, own, known, lines)
  local range = item.hunk.range
  local is_whole = range.start.character == 0 and range["end"].character == 0
  if known and is_whole and is_same(known.place, item.hunk, own) then
    return known.place.view
  end
  local client = vim.lsp.get_client_by_id(item.entry.client_id)
  local hunk = own and vim.tbl_extend("force", item.hunk, { newText = own }) or item.hunk
  return hunks.view(hunk, function(row)
    return lines[row + 1] or ""
  end, client and client.offset_encoding or "utf-16")
end

--- The place of a hunk where neither the buffer nor the hunk changed since the place was found.
---@param bufnr integer
---@param item agentq.review.Item
---@param own? string
---@return agentq.review.Place?
local function unchanged(bufnr, item, own)
  local known = (marks[bufnr] or {})[item.key]
  local is_piece = item.hunk.id:find(".", 1, true) ~= nil
  if not known or is_piece or known.tick ~= vim.api.nvim_buf_get_changedtick(bufnr) then
    return nil
  elseif not is_same(known.place, item.hunk, own) then
    return nil
  end
  known.place.item = item
  return known.place
end

--- Finds where a hunk stands in its buffer now, and marks the place.
---@param bufnr integer
---@param item agentq.review.Item
---@param lines? string[] the buffer's, when the caller has them
---@return agentq.review.Place
function M.place(bufnr, item, lines)
  local own = own_text.edited(item)
  local place = unchanged(bufnr, item, own)
  if place then
    return place
  end
  lines = lines or vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
  marks[bufnr] = marks[bufnr] or {}
  local known = marks[bufnr][item.key]
  local view = view_of(item, own, known, lines)
  local first, intact = hunks.locate(view, lines, marked_row(bufnr, item, #lines), known and known.around)
  local id = vim.api.nvim_buf_set_extmark(bufnr, namespace, math.min(first, #lines - 1), 0, {
    id = known and known.id,
    right_gravity = not stays_above(item),
  })
  local around = (intact or not known) and hunks.around(view, lines, first) or known.around
  place = {
    item = item,
    view = view,
    first = first,
    intact = intact,
    own = own ~= nil,
    own_text = own,
    state = item.hunk.state,
  }
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  marks[bufnr][item.key] = { id = id, below = first >= #lines, around = around, place = place, tick = tick }
  return place
end

--- Finds where hunks stand in their buffer now. The buffer is read once, if at all.
---@param bufnr integer
---@param items agentq.review.Item[]
---@return agentq.review.Place[]
function M.places(bufnr, items)
  local lines
  return vim.tbl_map(function(item)
    local place = unchanged(bufnr, item, own_text.edited(item))
    lines = lines or not place and vim.api.nvim_buf_get_lines(bufnr, 0, -1, true) or nil
    return place or M.place(bufnr, item, lines)
  end, items)
end

--- Marks the places of hunks that have none yet.
---@param bufnr integer
---@param items agentq.review.Item[]
function M.mark(bufnr, items)
  local known = marks[bufnr]
  M.places(bufnr, known and vim.tbl_filter(function(item)
    return not known[item.key]
  end, items) or items)
end

--- About where a hunk stands in a loaded buffer: where its mark is, whatever its lines have become.
---@param bufnr integer
---@param item agentq.review.Item
---@return integer row 0-based
function M.row(bufnr, item)
  return marked_row(bufnr, item, vim.api.nvim_buf_line_count(bufnr)) or item.hunk.range.start.line
end

--- The buffer's marks are gone with its text.
---@param bufnr integer
function M.forget(bufnr)
  marks[bufnr] = nil
end

return M
