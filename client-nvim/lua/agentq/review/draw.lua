-- Draws pending hunks into the buffer they would change: a header above, old lines highlighted, new lines as virtual
-- lines below. What a buffer shows already stays: a step costs what it changes.
local hunk_rows = require("agentq.review.hunk_rows")
local hunks = require("agentq.review.hunks")
local viewport = require("agentq.review.viewport")

local M = {}

local namespace = vim.api.nvim_create_namespace("agentq.hunks")

---@alias agentq.review.Rows [string, string][][]

--- Virtual lines that hang on one row.
---@class agentq.review.Hanging
---@field row integer
---@field above boolean
---@field parts agentq.review.Rows[] one for each of several hunks: editors draw several marks of a row in no certain order
---@field mark? integer

---@class agentq.review.Change
---@field place agentq.review.Place
---@field marks integer[]

---@class agentq.review.Picture
---@field hanging agentq.review.Hanging[]
---@field changes table<string, agentq.review.Change> by hunk key
---@field places agentq.review.Place[]
---@field focus table<string, true> the hunks that say what to press, by hunk key

---@type table<integer, agentq.review.Picture> by buffer
local pictures = {}

---@param bufnr integer
function M.clear(bufnr)
  pictures[bufnr] = nil
  hunk_rows.forget(bufnr)
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  viewport.forget(bufnr)
  viewport.show_above(bufnr, {})
end

---@param row integer
---@param above boolean
---@return integer
local function slot(row, above)
  return row * 2 + (above and 1 or 0)
end

--- Highlights the lines that a hunk takes away.
---@param bufnr integer
---@param place agentq.review.Place
---@return integer[] marks
local function mark_lines(bufnr, place)
  local marks, first = {}, place.first
  local group = place.view.was and "AgentqCurrent" or "AgentqDelete"
  local function mark(row, column, options)
    options.strict = false
    marks[#marks + 1] = vim.api.nvim_buf_set_extmark(bufnr, namespace, row, column, options)
  end
  for row = first, place.intact and first + #place.view.old - 1 or -1 do
    -- Not the group of the whole line, whose background would cover what differs inside of it.
    mark(row, 0, { end_row = row + 1, end_col = 0, hl_group = group, hl_eol = true, priority = 150 })
    local from, to = hunks.difference_at(place.view, row - first + 1)
    if from and not place.view.was then
      mark(row, from, { end_col = to, hl_group = "AgentqDeleteText", priority = 160 })
    end
  end
  return marks
end

---@param bufnr integer
---@param marks integer[]
local function take_away(bufnr, marks)
  for _, mark in ipairs(marks) do
    vim.api.nvim_buf_del_extmark(bufnr, namespace, mark)
  end
end

--- Highlights the lines of all hunks, where they are not.
---@param bufnr integer
---@param places agentq.review.Place[]
---@param before? agentq.review.Picture
---@return table<string, agentq.review.Change>
local function draw_changes(bufnr, places, before)
  local left = before and before.changes or {}
  local changes = {}
  for _, place in ipairs(places) do
    local key = place.item.key
    -- A place is another one as soon as the text has changed: an edit may have moved the end of a highlight.
    if left[key] and left[key].place == place then
      changes[key], left[key] = left[key], nil
    elseif #place.view.old > 0 then
      changes[key] = { place = place, marks = mark_lines(bufnr, place) }
    end
  end
  for _, change in pairs(left) do
    take_away(bufnr, change.marks)
  end
  return changes
end

--- The virtual lines of all hunks by the rows on which they hang.
---@param bufnr integer
---@param places agentq.review.Place[]
---@param drawing agentq.review.Drawing
---@return agentq.review.Hanging[]
local function hang(bufnr, places, drawing)
  local all, by_slot, last_row = {}, {}, vim.api.nvim_buf_line_count(bufnr) - 1
  local function add(row, above, rows)
    local at = slot(row, above)
    if not by_slot[at] then
      by_slot[at] = { row = row, above = above, parts = {} }
      all[#all + 1] = by_slot[at]
    end
    table.insert(by_slot[at].parts, rows)
  end
  for _, place in ipairs(places) do
    local head, rows = hunk_rows.of(place, drawing)
    local first = math.min(place.first, last_row)
    if #place.view.old == 0 then
      local row, above = math.max(place.first - 1, 0), place.first == 0
      add(row, above, head)
      add(row, above, rows)
    else
      add(first, true, head)
      add(place.intact and first + #place.view.old - 1 or first, false, rows)
    end
  end
  return all
end

---@param one agentq.review.Rows[]
---@param other agentq.review.Rows[]
local function are_same(one, other)
  for index = 1, math.max(#one, #other) do
    if one[index] ~= other[index] then
      return false
    end
  end
  return true
end

--- Draws the virtual lines that are not there.
---@param bufnr integer
---@param all agentq.review.Hanging[]
---@param before? agentq.review.Picture
local function draw_hanging(bufnr, all, before)
  local rows, left = {}, {}
  for _, mark in ipairs(before and vim.api.nvim_buf_get_extmarks(bufnr, namespace, 0, -1, {}) or {}) do
    rows[mark[1]] = mark[2]
  end
  for _, hanging in ipairs(before and before.hanging or {}) do
    local row = rows[hanging.mark]
    local at = row and slot(row, hanging.above)
    if at and not left[at] then
      left[at] = hanging
    else
      take_away(bufnr, { hanging.mark })
    end
  end
  for _, hanging in ipairs(all) do
    local at = slot(hanging.row, hanging.above)
    local old = left[at]
    left[at] = nil
    hanging.mark = old and old.mark
    if not old or not are_same(old.parts, hanging.parts) then
      local lines = {}
      for _, part in ipairs(hanging.parts) do
        vim.list_extend(lines, part)
      end
      hanging.mark = vim.api.nvim_buf_set_extmark(bufnr, namespace, hanging.row, 0, {
        id = hanging.mark,
        virt_lines = lines,
        virt_lines_above = hanging.above,
        priority = 150,
      })
    end
  end
  for _, hanging in pairs(left) do
    take_away(bufnr, { hanging.mark })
  end
end

--- Draws a buffer that no window shows as soon as one does.
---@param bufnr integer
---@param redraw fun(bufnr: integer)
function M.later(bufnr, redraw)
  viewport.watch(bufnr, { width = 0, widest = 0, height = 0 }, redraw)
end

--- The hunks under the cursor, else the one above it or the first: the others do not repeat what to press.
---@param bufnr integer
---@param places agentq.review.Place[]
---@return table<string, true> by hunk key
local function focus(bufnr, places)
  local window = vim.api.nvim_get_current_buf() == bufnr and 0 or vim.fn.win_findbuf(bufnr)[1]
  local row = window and vim.api.nvim_win_get_cursor(window)[1] - 1 or 0
  local keys, near = {}, places[1]
  for _, place in ipairs(places) do
    keys[place.item.key] = hunks.covers(row, place.first, place.view) or nil
    near = place.first <= row and place or near
  end
  if next(keys) == nil and near then
    keys[near.item.key] = true
  end
  return keys
end

--- Whether other hunks are under the cursor than those that say what to press.
---@param bufnr integer
---@return boolean
function M.is_moved(bufnr)
  local picture = pictures[bufnr]
  return picture ~= nil and not vim.deep_equal(picture.focus, focus(bufnr, picture.places))
end

---@param bufnr integer
---@param places agentq.review.Place[]
---@param redraw fun(bufnr: integer) for another size of a window
function M.draw(bufnr, places, redraw)
  require("agentq.highlights").define()
  local before = pictures[bufnr]
  if not before then
    vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  end
  local drawing = hunk_rows.drawing(bufnr, focus(bufnr, places))
  local all = hang(bufnr, places, drawing)
  draw_hanging(bufnr, all, before)
  local changes = draw_changes(bufnr, places, before)
  pictures[bufnr] = { hanging = all, changes = changes, places = places, focus = drawing.focus }
  local above = {}
  for _, each in ipairs(all) do
    local count = 0
    for _, part in ipairs(each.above and each.parts or {}) do
      count = count + #part
    end
    above[each.row] = each.above and count or above[each.row]
  end
  viewport.show_above(bufnr, above)
  viewport.watch(bufnr, drawing.room, redraw)
end

vim.api.nvim_create_autocmd("BufUnload", {
  group = vim.api.nvim_create_augroup("agentq.draw", { clear = true }),
  callback = function(args)
    pictures[args.buf] = nil
    hunk_rows.forget(args.buf)
  end,
})

return M
