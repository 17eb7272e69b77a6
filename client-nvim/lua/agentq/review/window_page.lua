-- What the review window shows: all hunks of all files as real lines.
local page = require("agentq.review.page")
local paint = require("agentq.review.paint")
local shown = require("agentq.review.shown")

local M = {}

---@class agentq.review.Window
---@field bufnr integer
---@field tab integer? the tab page that the person came from
---@field proposals table<string, boolean> whose hunks are shown, also once they are decided
---@field reopened table<string, boolean> rejected hunks that wait again, by hunk key
---@field hidden table<string, boolean> proposals that only take a decision back
---@field rows agentq.review.PageRow[]
---@field shown table<string, agentq.review.Shown>

---@type agentq.review.Window?
local opened

---@return integer? the window that shows the review
function M.shown_in()
  return opened and vim.fn.win_findbuf(opened.bufnr)[1]
end

--- Writes the page anew; the cursor stays on its row of its hunk.
---@param window agentq.review.Window
local function write(window)
  local win = M.shown_in()
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

--- A buffer is the review window's from now on, until it is wiped out.
---@param bufnr integer
---@param tab integer the tab page that the person came from
function M.begin(bufnr, tab)
  opened = { bufnr = bufnr, tab = tab, proposals = {}, reopened = {}, hidden = {}, rows = {}, shown = {} }
  vim.api.nvim_create_autocmd("BufWipeout", {
    buffer = bufnr,
    callback = function()
      opened = nil
    end,
  })
end

---@return agentq.review.Window?
function M.opened()
  return opened
end

--- The hunk under the cursor of the review window, decided or not.
---@return agentq.review.Shown?
function M.here()
  local row = opened and opened.rows[vim.api.nvim_win_get_cursor(0)[1]]
  return opened and row and row.key and opened.shown[row.key] or nil
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
  local win = M.shown_in()
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

return M
