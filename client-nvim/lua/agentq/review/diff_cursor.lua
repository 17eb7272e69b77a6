-- Where the cursor is in a diff, and where it goes: the hunks stand in other rows on either side.
local buffers = require("agentq.buffers")
local diff = require("agentq.review.diff")

local M = {}

---@return agentq.review.Segment[]
local function segments()
  local opened = diff.opened()
  return opened and opened.segments or {}
end

---@param bufnr integer
---@return boolean
local function is_left(bufnr)
  local opened = diff.opened()
  return opened ~= nil and bufnr == opened.left
end

--- The rows of a hunk on the side that a buffer is.
---@param segment agentq.review.Segment
---@param bufnr integer
---@return integer first 0-based
---@return integer last exclusive
local function rows_of(segment, bufnr)
  if is_left(bufnr) then
    return segment.old_first, segment.old_last
  end
  return segment.first, segment.last
end

--- The file whose rows a buffer's are: of the left side.
---@param bufnr integer
---@return integer? bufnr
function M.file_of(bufnr)
  return is_left(bufnr) and buffers.loaded(assert(diff.opened()).uri) or nil
end

--- The hunk under the cursor of either side.
---@return agentq.review.Item?
function M.item()
  local bufnr, row = vim.api.nvim_get_current_buf(), vim.api.nvim_win_get_cursor(0)[1] - 1
  local near
  for _, segment in ipairs(segments()) do
    local first, last = rows_of(segment, bufnr)
    if row >= first and row < last then
      return segment.place.item
    elseif first == last and (row == first or row == first - 1) then
      near = near or segment.place.item
    end
  end
  return near
end

--- The hunk under the cursor, for a decision: with what the person changed of it.
---@return agentq.review.Item?
function M.current()
  diff.take()
  return M.item()
end

--- Goes to a hunk of the file that is shown.
---@param item agentq.review.Item
function M.go_to(item)
  local bufnr = vim.api.nvim_get_current_buf()
  for _, segment in ipairs(segments()) do
    if segment.place.item.key == item.key then
      local first, last = rows_of(segment, bufnr)
      local row = first == last and math.max(first - 1, 0) or first
      vim.api.nvim_win_set_cursor(0, { math.min(row + 1, vim.api.nvim_buf_line_count(bufnr)), 0 })
      vim.cmd("normal! zv")
      return
    end
  end
end

--- Goes to the right side, to change the text of a hunk there.
---@param item agentq.review.Item
function M.edit(item)
  local opened = diff.opened()
  local window = opened and vim.fn.bufwinid(opened.right) or -1
  if window ~= -1 then
    vim.api.nvim_set_current_win(window)
    M.go_to(item)
  end
end

--- Goes to the next or previous hunk that waits, round the end and across files.
---@param stops agentq.review.Stop[]
---@param step 1|-1
function M.move(stops, step)
  local here, items = M.current(), {}
  for _, stop in ipairs(stops) do
    if diff.has_text(stop.item) then
      items[#items + 1] = stop.item
    end
  end
  local at = step == 1 and 0 or #items + 1
  for index, item in ipairs(items) do
    if here and here.key == item.key then
      at = index
    end
  end
  local item = items[(at + step - 1) % math.max(#items, 1) + 1]
  if item and diff.show(item) then
    M.go_to(item)
  end
end

--- After a decision: the cursor goes to a hunk that waits, unless it is on one.
---@param stops agentq.review.Stop[]
function M.go_on(stops)
  if not M.current() then
    M.move(stops, 1)
  end
end

return M
