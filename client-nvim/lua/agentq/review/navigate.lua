-- From hunk to hunk, across files. Only a person's command moves the cursor.
local anchors = require("agentq.review.anchors")
local buffers = require("agentq.buffers")
local diff_cursor = require("agentq.review.diff_cursor")
local file_window = require("agentq.file_window")
local hunk_rows = require("agentq.review.hunk_rows")
local hunks = require("agentq.review.hunks")
local keymaps = require("agentq.review.keymaps")
local nothing = require("agentq.review.nothing")
local proposed = require("agentq.review.proposed")
local review = require("agentq.review.review")
local say = require("agentq.say")
local stops = require("agentq.review.stops")
local store = require("agentq.review.store")
local window_moves = require("agentq.review.window_moves")

local M = {}

--- What is proposed and why, on the command line.
---@param item agentq.review.Item
local function tell(item)
  say.brief(("%d/%d %s"):format(item.number, item.total, hunks.subject(item.entry.proposal)), "AgentqHunk")
end

--- Scrolls so that a hunk, whose first line the cursor is on, is seen with its new lines.
---@param bufnr integer
---@param place agentq.review.Place
---@return boolean all of it is on the screen
local function reveal(bufnr, place)
  local height, above, left = hunk_rows.height(bufnr, place)
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
  local kept_above = math.max(above, math.min(vim.o.scrolloff, math.floor((available - 1) / 2)))
  return left == 0 and kept_above + height <= available
end

---@param stop agentq.review.Stop
---@param in_file? boolean stay in the file, also where the window has no room for all of the hunk
local function show(stop, in_file)
  local window = file_window.find()
  local bufnr, err
  if hunks.is_apart(stop.item.hunk) then
    bufnr = proposed.buffer(stop.item)
  else
    bufnr, err = buffers.load(stop.item.hunk.uri)
  end
  if not bufnr then
    say.error(err --[[@as string]])
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
  stops.visit(stop.item)
  vim.cmd("normal! zv")
  if not reveal(bufnr, place) and not in_file then
    -- The review window has room for all of it, and has the keys that lead back here.
    vim.cmd("AgentQ reviewall")
  end
end

--- Goes to the place of a hunk in its file.
---@param item agentq.review.Item
function M.go_to(item)
  local stop = stops.find(item)
  if stop then
    show(stop, true)
  end
end

--- Whether a hunk waits; else the person hears that none does.
---@return boolean
local function has_any()
  if store.count() > 0 then
    return true
  end
  keymaps.release_soon()
  nothing.say()
  return false
end

--- Goes to the next or previous pending hunk, round the end.
---@param step 1|-1
function M.move(step)
  if stops.in_window() then
    return window_moves.move(step)
  elseif vim.b.agentq_diff then
    return diff_cursor.move(stops.all(), step)
  end
  local stop = has_any() and stops.next(step)
  if stop then
    show(stop)
    tell(stop.item)
  end
end

--- Goes to the next hunk of a proposal, else to one of another that waits.
---@param entry agentq.review.Entry
function M.go_on(entry)
  if stops.in_window() then
    return window_moves.go_on()
  elseif vim.b.agentq_diff then
    return diff_cursor.go_on(stops.all())
  end
  local bufnr = vim.api.nvim_get_current_buf()
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  for _, file in ipairs(store.files()) do
    for _, stop in ipairs(buffers.loaded(file.uri) == bufnr and stops.of(file, entry) or {}) do
      -- What was decided is gone, so the next one may have come to its row.
      if stop.bufnr == bufnr and stop.row == row then
        return show(stop)
      end
    end
  end
  local stop = stops.next(1, entry) or stops.next(1)
  if stop then
    show(stop)
  end
end

--- Goes to the hunk under the cursor, so that all of it is seen, else to the next one.
function M.begin()
  if has_any() then
    local here = stops.current()
    local stop = here and stops.find(here) or stops.next(1)
    if stop then
      show(stop)
      tell(stop.item)
    end
  end
end

return M
