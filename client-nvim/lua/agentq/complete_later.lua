-- Completion by 'omnifunc' that does not wait. Neovim lets nobody change a text while an 'omnifunc' runs: an answer or
-- an output that came while a function waited there could not be written.
local M = {}

--- Asks, and shows the menu when the matches have come, unless the person has typed on.
---@param ask fun(show: fun(first: integer, matches: table[])) `first` is the 0-based byte that the matches begin at
---@return integer answer of an 'omnifunc' that is asked where the matches begin
function M.start(ask)
  local bufnr, cursor = vim.api.nvim_get_current_buf(), vim.api.nvim_win_get_cursor(0)
  ask(function(first, matches)
    local is_here = vim.api.nvim_get_current_buf() == bufnr
      and vim.startswith(vim.api.nvim_get_mode().mode, "i")
      and vim.deep_equal(vim.api.nvim_win_get_cursor(0), cursor)
    if is_here and #matches > 0 then
      vim.fn.complete(first + 1, matches)
    end
  end)
  return -2
end

return M
