-- The cursor in the review window, from hunk to hunk.
local nothing = require("agentq.review.nothing")
local page = require("agentq.review.page")
local window_page = require("agentq.review.window_page")
local say = require("agentq.say")
local store = require("agentq.review.store")

local M = {}

--- Goes to the head of a hunk, and scrolls only when not all of the hunk is in sight.
---@param rows agentq.review.PageRow[]
---@param row integer 1-based
local function go_to(rows, row)
  local last = row
  while rows[last + 1] and rows[last + 1].key == rows[row].key do
    last = last + 1
  end
  local is_seen = vim.fn.line("w0") <= row and vim.fn.line("w$") >= last
  vim.api.nvim_win_set_cursor(0, { row, 0 })
  if not is_seen then
    vim.cmd("normal! zt")
  end
end

--- Goes to the next or previous hunk that waits, round the end.
---@param step 1|-1
function M.move(step)
  local window = assert(window_page.opened())
  local row, heads, target = vim.api.nvim_win_get_cursor(0)[1], {}, nil
  for index, each in ipairs(window.rows) do
    if each.kind == "head" and window.shown[each.key].is_open then
      heads[#heads + 1] = index
    end
  end
  if #heads == 0 then
    return say.info(nothing.words() .. "; q closes the review")
  end
  local here = window.rows[row].kind ~= "file" and window.rows[row].key
  local own = here and page.head_row(window.rows, here) or row
  for _, head in ipairs(heads) do
    if step == 1 and head > own and not target then
      target = head
    elseif step == -1 and head < own then
      target = head
    end
  end
  go_to(window.rows, target or heads[step == 1 and 1 or #heads])
end

--- After a decision: the cursor goes to a hunk that waits, unless it is on one.
function M.go_on()
  if not window_page.current() and store.count() > 0 then
    M.move(1)
  end
end

--- Goes to a hunk, else to one that waits.
---@param key? string
function M.begin(key)
  local rows = assert(window_page.opened()).rows
  local row = key and page.head_row(rows, key)
  if row then
    go_to(rows, row)
  elseif not window_page.current() then
    M.move(1)
  end
end

return M
