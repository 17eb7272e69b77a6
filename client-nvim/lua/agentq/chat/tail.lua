-- The end of a transcript in the windows that show it.
local M = {}

--- Whether a window follows what is written: its cursor stands on the last line.
---@param window integer
---@return boolean
function M.is_shown(window)
  local last = vim.api.nvim_buf_line_count(vim.api.nvim_win_get_buf(window))
  return vim.api.nvim_win_get_cursor(window)[1] >= last
end

--- Goes to the end of the last line and has it at the bottom: a paragraph may have more rows than the window.
---@param window integer
function M.show(window)
  local last = vim.api.nvim_buf_line_count(vim.api.nvim_win_get_buf(window))
  vim.api.nvim_win_set_cursor(window, { last, vim.v.maxcol })
  vim.api.nvim_win_call(window, function()
    local top = vim.fn.line("w0")
    local rows = { start_row = top - 1, start_vcol = vim.fn.winsaveview().skipcol, end_row = last - 1 }
    local is_full = vim.api.nvim_win_text_height(window, rows).all >= vim.fn.getwininfo(window)[1].height
    -- Where lines became shorter, Neovim keeps the first one of the window, and rows below the last one stay empty.
    if top > 1 and not is_full then
      vim.cmd.normal({ "zb", bang = true })
    end
  end)
end

return M
