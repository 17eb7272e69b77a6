-- From hunk to hunk, across files. Only a person's command moves the cursor.
local anchors = require("agentq.review.anchors")
local buffers = require("agentq.buffers")
local hunks = require("agentq.review.hunks")
local keymaps = require("agentq.review.keymaps")
local proposed = require("agentq.review.proposed")
local review = require("agentq.review.review")
local store = require("agentq.review.store")

local M = {}

---@class agentq.review.Stop
---@field item agentq.review.Item
---@field bufnr? integer nil while the file is not loaded
---@field row integer 0-based

--- Every pending hunk with where the cursor would go, in order of arrival, then by file, then top to bottom.
---@return agentq.review.Stop[]
function M.stops()
  local stops, order = {}, {}
  for index, item in ipairs(store.pending()) do
    local bufnr = item.hunk.kind ~= "create" and buffers.loaded(item.hunk.uri) or nil
    local row = item.hunk.range.start.line
    if bufnr then
      local place = anchors.place(bufnr, item)
      row = hunks.cursor_row(place.first, place.view)
    elseif item.hunk.oldText == "" then
      row = math.max(row - 1, 0)
    end
    stops[index] = { item = item, bufnr = bufnr, row = row }
    order[item.hunk.uri] = order[item.hunk.uri] or index
  end
  table.sort(stops, function(a, b)
    if a.item.hunk.uri ~= b.item.hunk.uri then
      return order[a.item.hunk.uri] < order[b.item.hunk.uri]
    end
    return a.row == b.row and a.item.number < b.item.number or a.row < b.row
  end)
  return stops
end

---@param stop agentq.review.Stop
local function show(stop)
  local window = require("agentq.chat.window").for_files()
  local bufnr, err
  if stop.item.hunk.kind == "create" then
    bufnr = proposed.buffer(stop.item)
  else
    bufnr, err = buffers.load(stop.item.hunk.uri)
  end
  if not bufnr then
    vim.notify("AgentQ: " .. err, vim.log.levels.ERROR)
    return
  end
  vim.api.nvim_set_current_win(window)
  vim.cmd("normal! m'")
  if vim.api.nvim_win_get_buf(window) ~= bufnr then
    vim.api.nvim_win_set_buf(window, bufnr)
  end
  review.refresh(bufnr)
  local row, height = 0, 1
  if stop.item.hunk.kind ~= "create" then
    local place = anchors.place(bufnr, stop.item)
    row = hunks.cursor_row(place.first, place.view)
    height = #place.view.old + #place.view.new + 2
  end
  vim.api.nvim_win_set_cursor(window, { math.min(row + 1, vim.api.nvim_buf_line_count(bufnr)), 0 })
  vim.cmd("normal! zv")
  -- The new lines stand below the cursor's line and shall be seen without scrolling.
  local available = vim.api.nvim_win_get_height(window)
  if vim.fn.winline() + height > available then
    vim.cmd(height < available / 2 and "normal! zz" or "normal! zt")
  end
  local proposal = stop.item.entry.proposal
  local words = ("%d/%d %s: %s"):format(stop.item.number, stop.item.total, proposal.title, proposal.why)
  -- A longer message would ask for Enter.
  words = vim.fn.strcharpart(words:gsub("%s+", " "), 0, vim.o.columns - 16)
  vim.api.nvim_echo({ { words, "AgentqHunk" } }, false, {})
end

---@param stops agentq.review.Stop[]
---@param step 1|-1
---@return integer index of the stop to go to
local function target(stops, step)
  local bufnr = vim.api.nvim_get_current_buf()
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local here = proposed.item(bufnr)
  local before, after
  for index, stop in ipairs(stops) do
    local same_hunk = here and anchors.key(here) == anchors.key(stop.item)
    if same_hunk then
      before, after = index - 1, index + 1
      break
    elseif stop.bufnr == bufnr then
      if stop.row < row then
        before, after = index, index + 1
      elseif stop.row == row then
        before, after = before or index - 1, index + 1
      elseif after == nil then
        before, after = before or index - 1, index
      end
    end
  end
  if after == nil then
    return step == 1 and 1 or #stops
  end
  return ((step == 1 and after or before) - 1) % #stops + 1
end

---@return agentq.review.Stop[]
local function stops_or_message()
  local stops = M.stops()
  if #stops == 0 then
    keymaps.release_soon()
    vim.notify("AgentQ: no hunk waits for a decision", vim.log.levels.INFO)
  end
  return stops
end

--- Goes to the next or previous pending hunk, round the end.
---@param step 1|-1
function M.move(step)
  local stops = stops_or_message()
  if #stops > 0 then
    show(stops[target(stops, step)])
  end
end

--- Goes to the hunk under the cursor, so that all of it is seen, else to the next one.
function M.begin()
  local stops = stops_or_message()
  local here = #stops > 0 and M.current()
  for _, stop in ipairs(stops) do
    if here and anchors.key(here) == anchors.key(stop.item) then
      return show(stop)
    end
  end
  if #stops > 0 then
    show(stops[target(stops, 1)])
  end
end

--- The hunk under the cursor.
---@return agentq.review.Item?
function M.current()
  local bufnr = vim.api.nvim_get_current_buf()
  local item = proposed.item(bufnr)
  if item then
    return item
  end
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local found
  for _, place in ipairs(review.places(bufnr)) do
    if hunks.covers(row, place.first, place.view) then
      -- An insertion next to a change shares its line; the change whose own line this is wins.
      if #place.view.old > 0 then
        return place.item
      end
      found = found or place.item
    end
  end
  return found
end

return M
