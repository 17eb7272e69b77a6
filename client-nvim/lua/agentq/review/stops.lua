-- Where the cursor goes for each hunk that waits, and which hunk it is on.
local anchors = require("agentq.review.anchors")
local buffers = require("agentq.buffers")
local diff_cursor = require("agentq.review.diff_cursor")
local hunks = require("agentq.review.hunks")
local own_text = require("agentq.review.own_text")
local review = require("agentq.review.review")
local store = require("agentq.review.store")
local window_page = require("agentq.review.window_page")

local M = {}

---@class agentq.review.Stop
---@field item agentq.review.Item
---@field bufnr? integer nil while the file is not loaded
---@field row integer 0-based

--- Where the last command went: several insertions may share a row.
---@type {key: string, bufnr: integer, row: integer}?
local visited

---@param item agentq.review.Item
---@param bufnr integer
---@param row integer
local function is_visited(item, bufnr, row)
  return visited ~= nil and visited.bufnr == bufnr and visited.row == row and visited.key == item.key
end

--- A command went to a hunk, and the cursor is there.
---@param item agentq.review.Item
function M.visit(item)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  visited = { key = item.key, bufnr = vim.api.nvim_get_current_buf(), row = row }
end

--- The hunks of a file that wait, with where the cursor would go, top to bottom.
---@param file agentq.review.File
---@param entry? agentq.review.Entry those of one proposal
---@return agentq.review.Stop[]
function M.of(file, entry)
  local bufnr = buffers.loaded(file.uri)
  local is_here = bufnr == vim.api.nvim_get_current_buf()
  local stops = {}
  for _, item in ipairs(file.items) do
    local inside = not hunks.is_apart(item.hunk) and bufnr or nil
    local row = item.hunk.range.start.line
    if inside and is_here then
      local place = anchors.place(inside, item)
      row = hunks.cursor_row(place.first, place.view)
    else
      row = inside and anchors.row(inside, item) or row
      row = item.hunk.oldText == "" and math.max(row - 1, 0) or row
    end
    if not entry or item.entry == entry then
      stops[#stops + 1] = { item = item, bufnr = inside, row = row }
    end
  end
  table.sort(stops, function(a, b)
    return a.row == b.row and a.item.number < b.item.number or a.row < b.row
  end)
  return stops
end

--- Every pending hunk with where the cursor would go, in order of arrival, then by file, then top to bottom.
---@return agentq.review.Stop[]
function M.all()
  local stops = {}
  for _, file in ipairs(store.files()) do
    vim.list_extend(stops, M.of(file))
  end
  return stops
end

--- Where a hunk that waits stands in its file.
---@param item agentq.review.Item
---@return agentq.review.Stop?
function M.find(item)
  for _, file in ipairs(store.files()) do
    for _, stop in ipairs(file.uri == item.hunk.uri and M.of(file) or {}) do
      if stop.item.key == item.key then
        return stop
      end
    end
  end
end

--- Which of the stops of the current file come before and after the cursor.
---@param stops agentq.review.Stop[]
---@return integer? before
---@return integer? after
local function around_cursor(stops)
  local bufnr = vim.api.nvim_get_current_buf()
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local here = own_text.item_in(bufnr)
  local before, after
  local is_on = false
  for index, stop in ipairs(stops) do
    local same_hunk = here and here.key == stop.item.key
    if same_hunk or is_visited(stop.item, bufnr, row) then
      return index - 1, index + 1
    elseif stop.bufnr == bufnr then
      if stop.row < row then
        before, after = index, index + 1
      elseif stop.row == row and not is_on then
        is_on = true
        before, after = before or index - 1, index + 1
      elseif after == nil then
        before, after = before or index - 1, index
      end
    end
  end
  return before, after
end

--- The next or previous hunk that waits, round the end. Only files on the way are looked into.
---@param step 1|-1
---@param entry? agentq.review.Entry among those of one proposal
---@return agentq.review.Stop?
function M.next(step, entry)
  local bufnr = vim.api.nvim_get_current_buf()
  local here = own_text.item_in(bufnr)
  local files, at = store.files(), nil
  for index, file in ipairs(files) do
    local is_here = here and here.hunk.uri == file.uri or not here and buffers.loaded(file.uri) == bufnr
    at = at or is_here and index or nil
  end
  if at then
    local stops = M.of(files[at], entry)
    local before, after = around_cursor(stops)
    local near = stops[step == 1 and after or before]
    if near then
      return near
    elseif after == nil then
      at = nil
    end
  end
  at = at or step == 1 and 0 or #files + 1
  -- The last file that is looked into is the current one, from its other end.
  for count = 1, #files do
    local stops = M.of(files[(at + step * count - 1) % #files + 1], entry)
    if #stops > 0 then
      return stops[step == 1 and 1 or #stops]
    end
  end
end

--- Is the cursor in the review window?
---@return boolean
function M.in_window()
  return vim.b.agentq_review == true
end

--- The hunk under the cursor.
---@return agentq.review.Item?
function M.current()
  if M.in_window() then
    return window_page.current()
  elseif vim.b.agentq_diff then
    return diff_cursor.current()
  end
  local bufnr = vim.api.nvim_get_current_buf()
  local item = own_text.item_in(bufnr)
  if item then
    return item
  end
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local found
  for _, place in ipairs(review.places(bufnr)) do
    if hunks.covers(row, place.first, place.view) then
      if is_visited(place.item, bufnr, row) then
        return place.item
      end
      -- An insertion next to a change shares its line; the change whose own line this is wins.
      if #place.view.old > 0 and (not found or found.is_insertion) then
        found = { item = place.item, is_insertion = false }
      end
      found = found or { item = place.item, is_insertion = true }
    end
  end
  return found and found.item
end

return M
