-- The window for a file that the person is sent to.
local M = {}

---@param bufnr integer
---@param window integer
---@return boolean
local function may_change(bufnr, window)
  local is_own = vim.startswith(vim.api.nvim_buf_get_name(bufnr), "agentq://")
  return vim.api.nvim_win_get_config(window).relative == "" and (vim.b[bufnr].agentq_preview or not is_own)
end

---@param bufnr integer
---@param window integer
---@return boolean
local function shows_file(bufnr, window)
  return may_change(bufnr, window) and (vim.b[bufnr].agentq_preview or vim.bo[bufnr].buftype == "")
end

--- A start screen, which any file takes the place of: nobody can write there, and what it shows goes with it. Unlike a
--- sidebar it has no size of its own.
---@param bufnr integer
---@param window integer
---@return boolean
local function is_start_screen(bufnr, window)
  local buffer, own = vim.bo[bufnr], vim.wo[window]
  return may_change(bufnr, window)
    and buffer.buftype == "nofile"
    and buffer.bufhidden == "wipe"
    and not (buffer.modifiable or own.winfixbuf or own.winfixwidth or own.winfixheight)
end

--- A window for a file: the one that shows a file and was used last, else that of a start screen, else a new split.
---@return integer window
function M.find()
  local person = require("agentq.person")
  local window = person.window(shows_file) or person.window(is_start_screen)
  if window then
    return window
  end
  vim.cmd(vim.o.columns < require("agentq.own_window").NARROW and "topleft new" or "topleft vnew")
  return vim.api.nvim_get_current_win()
end

return M
