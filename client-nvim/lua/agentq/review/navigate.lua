-- From hunk to hunk, across files. Only a person's command moves the cursor.
local anchors = require("agentq.review.anchors")
local buffers = require("agentq.buffers")
local draw = require("agentq.review.draw")
local hunks = require("agentq.review.hunks")
local keymaps = require("agentq.review.keymaps")
local proposed = require("agentq.review.proposed")
local review = require("agentq.review.review")
local say = require("agentq.say")
local store = require("agentq.review.store")
local visible = require("agentq.review.visible")

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
  local here = visited and visited.bufnr == bufnr and visited.row == row
  return here and visited.key == anchors.key(item) or false
end

--- Every pending hunk with where the cursor would go, in order of arrival, then by file, then top to bottom.
---@return agentq.review.Stop[]
function M.stops()
  local stops, order, bufnrs = {}, {}, {}
  local current = vim.api.nvim_get_current_buf()
  local lines = vim.api.nvim_buf_get_lines(current, 0, -1, true)
  for index, item in ipairs(store.pending()) do
    local uri, row = item.hunk.uri, item.hunk.range.start.line
    bufnrs[uri] = bufnrs[uri] or buffers.loaded(uri) or -1
    local bufnr = not hunks.is_apart(item.hunk) and bufnrs[uri] > 0 and bufnrs[uri] or nil
    if bufnr == current then
      local place = anchors.place(bufnr, item, lines)
      row = hunks.cursor_row(place.first, place.view)
    else
      row = bufnr and anchors.row(bufnr, item) or row
      row = item.hunk.oldText == "" and math.max(row - 1, 0) or row
    end
    stops[index] = { item = item, bufnr = bufnr, row = row }
    order[uri] = order[uri] or index
  end
  table.sort(stops, function(a, b)
    if a.item.hunk.uri ~= b.item.hunk.uri then
      return order[a.item.hunk.uri] < order[b.item.hunk.uri]
    end
    return a.row == b.row and a.item.number < b.item.number or a.row < b.row
  end)
  return stops
end

--- What is proposed and why, on the command line.
---@param item agentq.review.Item
local function tell(item)
  local proposal = item.entry.proposal
  local words = visible.text(("%s: %s"):format(proposal.title, proposal.why):gsub("%s+", " "))
  words = ("%d/%d %s"):format(item.number, item.total, words)
  -- A longer message would ask for Enter.
  if vim.fn.strdisplaywidth(words) > vim.v.echospace then
    words = vim.fn.strcharpart(words, 0, vim.v.echospace - 1) .. "…"
  end
  vim.api.nvim_echo({ { words, "AgentqHunk" } }, false, {})
end

--- Scrolls so that a hunk, whose first line the cursor is on, is seen with its new lines.
---@param bufnr integer
---@param place agentq.review.Place
---@return boolean all new lines are drawn
local function reveal(bufnr, place)
  local height, above, left = draw.height(bufnr, place)
  if #place.view.old > 0 then
    local last = math.min(place.first + #place.view.old, vim.api.nvim_buf_line_count(bufnr)) - 1
    local size = vim.api.nvim_win_text_height(0, { start_row = math.min(place.first, last), end_row = last })
    height = height + size.all - size.fill
  end
  local available, row = vim.api.nvim_win_get_height(0), vim.fn.winline()
  if row > above and row + height <= available then
    return left == 0
  end
  vim.cmd(above + height < available / 2 and "normal! zz" or "normal! zt")
  if vim.fn.line("w0") == vim.fn.line(".") then
    vim.fn.winrestview({ topfill = above })
  end
  return left == 0
end

--- Is the cursor in the review window?
local function in_window()
  return vim.b.agentq_review == true
end

---@param stop agentq.review.Stop
---@param in_file? boolean stay in the file, also where the window has no room for all of the hunk
local function show(stop, in_file)
  local window = require("agentq.chat.window").for_files()
  local bufnr, err
  if hunks.is_apart(stop.item.hunk) then
    bufnr = proposed.buffer(stop.item)
  else
    bufnr, err = buffers.load(stop.item.hunk.uri)
  end
  if not bufnr then
    say.error(err)
    return
  end
  vim.api.nvim_set_current_win(window)
  vim.cmd("normal! m'")
  if vim.api.nvim_win_get_buf(window) ~= bufnr then
    vim.api.nvim_win_set_buf(window, bufnr)
  end
  review.refresh(bufnr)
  if hunks.is_apart(stop.item.hunk) then
    return
  end
  local place = anchors.place(bufnr, stop.item)
  local row = hunks.cursor_row(place.first, place.view)
  vim.api.nvim_win_set_cursor(window, { math.min(row + 1, vim.api.nvim_buf_line_count(bufnr)), 0 })
  visited = { key = anchors.key(stop.item), bufnr = bufnr, row = vim.api.nvim_win_get_cursor(window)[1] - 1 }
  vim.cmd("normal! zv")
  if not reveal(bufnr, place) and not in_file then
    require("agentq.review.window").open(stop.item)
  end
end

--- Goes to the place of a hunk in its file.
---@param item agentq.review.Item
function M.go_to(item)
  for _, stop in ipairs(M.stops()) do
    if anchors.key(stop.item) == anchors.key(item) then
      return show(stop, true)
    end
  end
end

---@param stops agentq.review.Stop[]
---@param step 1|-1
---@return integer index of the stop to go to
local function target(stops, step)
  local bufnr = vim.api.nvim_get_current_buf()
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local here = proposed.item(bufnr)
  local before, after
  local is_on = false
  for index, stop in ipairs(stops) do
    local same_hunk = here and anchors.key(here) == anchors.key(stop.item)
    if same_hunk or is_visited(stop.item, bufnr, row) then
      before, after = index - 1, index + 1
      break
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
    say.info("no hunk waits for a decision")
  end
  return stops
end

--- Goes to the next or previous pending hunk, round the end.
---@param step 1|-1
function M.move(step)
  if in_window() then
    return require("agentq.review.window_moves").move(step)
  end
  local stops = stops_or_message()
  if #stops > 0 then
    local stop = stops[target(stops, step)]
    show(stop)
    tell(stop.item)
  end
end

--- Goes to the next hunk of a proposal, if any of it waits.
---@param entry agentq.review.Entry
function M.go_on(entry)
  if in_window() then
    return require("agentq.review.window_moves").go_on()
  end
  local stops = vim.tbl_filter(function(stop)
    return stop.item.entry == entry
  end, M.stops())
  local bufnr = vim.api.nvim_get_current_buf()
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  for _, stop in ipairs(stops) do
    -- What was decided is gone, so the next one may have come to its row.
    if stop.bufnr == bufnr and stop.row == row then
      return show(stop)
    end
  end
  if #stops > 0 then
    show(stops[target(stops, 1)])
  end
end

--- Goes to the hunk under the cursor, so that all of it is seen, else to the next one.
function M.begin()
  local stops = stops_or_message()
  local here = #stops > 0 and M.current()
  local chosen = #stops > 0 and stops[target(stops, 1)]
  for _, stop in ipairs(stops) do
    if here and anchors.key(here) == anchors.key(stop.item) then
      chosen = stop
    end
  end
  if chosen then
    show(chosen)
    tell(chosen.item)
  end
end

--- The hunk under the cursor.
---@return agentq.review.Item?
function M.current()
  if in_window() then
    return require("agentq.review.window").current()
  end
  local bufnr = vim.api.nvim_get_current_buf()
  local item = proposed.item(bufnr)
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
