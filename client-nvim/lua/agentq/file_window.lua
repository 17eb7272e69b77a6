-- The window for a file that the person is sent to.
local M = {}

--- A window for a file: the current one unless it belongs to this plugin, then one that shows a file, here or in the tab
--- page that the person came from, else a new split.
---@return integer window
function M.find()
  local function shows_file(window)
    local bufnr = vim.api.nvim_win_get_buf(window)
    local own = vim.api.nvim_buf_get_name(bufnr):match("^agentq://") and not vim.b[bufnr].agentq_preview
    local kind = vim.bo[bufnr].buftype
    return vim.api.nvim_win_get_config(window).relative == ""
      and not own
      and (kind == "" or vim.b[bufnr].agentq_preview)
  end
  local windows = { vim.api.nvim_get_current_win(), vim.fn.win_getid(vim.fn.winnr("#")) }
  vim.list_extend(windows, vim.api.nvim_tabpage_list_wins(0))
  local last = require("agentq.own_window").last_tab()
  vim.list_extend(windows, last and vim.api.nvim_tabpage_list_wins(last) or {})
  for _, window in ipairs(windows) do
    if window ~= 0 and vim.api.nvim_win_is_valid(window) and shows_file(window) then
      return window
    end
  end
  vim.cmd("topleft vnew")
  return vim.api.nvim_get_current_win()
end

return M
