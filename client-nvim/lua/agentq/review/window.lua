-- The review window: all hunks of all files as real lines, in a tab page of its own. Only a person's command opens it.
local anchors = require("agentq.review.anchors")
local own_window = require("agentq.own_window")
local page = require("agentq.review.page")
local paint = require("agentq.review.paint")
local say = require("agentq.say")
local shown = require("agentq.review.shown")
local store = require("agentq.review.store")

local M = {}

local WINBAR = "a accept  r reject  e edit  u undo  A all  R none  ]c [c  <CR> file  q later  ? keys%<"

---@class agentq.review.Window
---@field bufnr integer
---@field tab integer? the tab page that the person came from
---@field proposals table<string, boolean> whose hunks are shown, also once they are decided
---@field undone table<string, boolean> by hunk key
---@field hidden table<string, boolean> proposals that only take a decision back
---@field rows agentq.review.PageRow[]
---@field shown table<string, agentq.review.Shown>

---@type agentq.review.Window?
local opened

---@return integer? the window that shows the review
local function shown_in()
  return opened and vim.fn.win_findbuf(opened.bufnr)[1]
end

--- Writes the page anew; the cursor stays on its row of its hunk.
---@param window agentq.review.Window
local function write(window)
  local win = shown_in()
  local row = win and vim.api.nvim_win_get_cursor(win)[1] or 1
  local at = window.rows[row]
  local before = at and at.key and at.kind ~= "file" and page.head_row(window.rows, at.key)
  local all = shown.collect(window)
  window.rows, window.shown = page.rows(all), {}
  for _, each in ipairs(all) do
    window.shown[each.key] = each
  end
  vim.bo[window.bufnr].modifiable = true
  local lines = vim.tbl_map(function(each)
    return each.text
  end, window.rows)
  vim.api.nvim_buf_set_lines(window.bufnr, 0, -1, true, lines)
  vim.bo[window.bufnr].modifiable = false
  vim.bo[window.bufnr].modified = false
  paint.paint(window, win)
  local now = before and page.head_row(window.rows, at.key)
  if win and now then
    local is_open = window.shown[at.key].is_open
    vim.api.nvim_win_set_cursor(win, { math.min(is_open and now + row - before or now, #lines), 0 })
  end
end

--- Draws the review window again, where there is one.
function M.refresh()
  if opened and vim.api.nvim_buf_is_valid(opened.bufnr) then
    write(opened)
  end
end

---@return agentq.review.Window?
function M.opened()
  return opened
end

--- The hunk under the cursor of the review window, decided or not.
---@return agentq.review.Shown?
function M.here()
  local row = opened and opened.rows[vim.api.nvim_win_get_cursor(0)[1]]
  return row and row.key and opened.shown[row.key]
end

--- The hunk under the cursor of the review window, while it waits.
---@return agentq.review.Item?
function M.current()
  local here = M.here()
  return here and here.item
end

--- Goes back to where the person came from; what waits goes on waiting.
function M.close()
  local window = opened
  local win = shown_in()
  if not window or not win then
    return
  end
  if #vim.api.nvim_list_tabpages() > 1 then
    vim.api.nvim_set_current_win(win)
    vim.cmd("tabclose")
    if window.tab and vim.api.nvim_tabpage_is_valid(window.tab) then
      vim.api.nvim_set_current_tabpage(window.tab)
    end
  else
    vim.cmd("enew")
  end
end

---@return integer bufnr
local function new_buffer()
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(bufnr, "agentq://review")
  vim.bo[bufnr].bufhidden = "wipe"
  vim.bo[bufnr].filetype = "agentq-review"
  vim.b[bufnr].agentq_review = true
  require("agentq.review.window_keys").set(bufnr)
  vim.api.nvim_create_autocmd("BufWipeout", {
    buffer = bufnr,
    callback = function()
      opened = nil
    end,
  })
  return bufnr
end

--- Opens the review window, with the cursor on a hunk.
---@param item? agentq.review.Item
function M.open(item)
  if #store.pending() == 0 then
    return say.info("no hunk waits for a decision")
  end
  require("agentq.highlights").define()
  local win = shown_in()
  if win then
    vim.api.nvim_set_current_win(win)
  else
    local tab = vim.api.nvim_get_current_tabpage()
    local bufnr = new_buffer()
    opened = { bufnr = bufnr, tab = tab, proposals = {}, undone = {}, hidden = {}, rows = {}, shown = {} }
    vim.cmd("tab sbuffer " .. bufnr)
    vim.w.agentq_own = true
    own_window.set(0, { breakindent = true, winbar = WINBAR })
  end
  M.refresh()
  require("agentq.review.window_moves").begin(item and anchors.key(item))
end

return M
