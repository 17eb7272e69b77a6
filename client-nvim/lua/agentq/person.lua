-- Where the person is: whatever asks for their window, their buffer or their file asks here.
local M = {}

--- The windows, from the one that the person is in to the one that they left first; those of this tab page come before the
--- others, and of floating ones there is the current one at most.
---@return integer[]
function M.windows()
  local tab, here = vim.api.nvim_get_current_tabpage(), vim.api.nvim_get_current_win()
  local previous = vim.fn.win_getid(vim.fn.winnr("#"))
  ---@type table<integer, number[]>
  local ranks = {}
  local windows = vim.tbl_filter(function(window)
    return window == here or vim.api.nvim_win_get_config(window).relative == ""
  end, vim.api.nvim_list_wins())
  for index, window in ipairs(windows) do
    ranks[window] = {
      window == here and 1 or 0,
      vim.api.nvim_win_get_tabpage(window) == tab and 1 or 0,
      -- A window that nobody entered since this plugin was loaded has no number.
      vim.w[window].agentq_entered or window == previous and 0.5 or 0,
      vim.fn.getbufinfo(vim.api.nvim_win_get_buf(window))[1].lastused,
      -index,
    }
  end
  table.sort(windows, function(one, other)
    for place, rank in ipairs(ranks[one]) do
      if rank ~= ranks[other][place] then
        return rank > ranks[other][place]
      end
    end
    return false
  end)
  return windows
end

--- The window that the person was in last, of those that show what is wanted.
---@param is_wanted fun(bufnr: integer, window: integer): boolean?
---@return integer?
function M.window(is_wanted)
  return vim.iter(M.windows()):find(function(window)
    return is_wanted(vim.api.nvim_win_get_buf(window), window)
  end)
end

return M
