-- Windows that show text of this plugin's own, without the columns and marks that a person has beside code.
local M = {}

--- A screen with fewer columns has no room for a file and a conversation side by side.
M.NARROW = 120

local plain = {
  wrap = true,
  number = false,
  relativenumber = false,
  signcolumn = "no",
  foldcolumn = "0",
  foldenable = false,
  spell = false,
  list = false,
}

--- Sets options of a window for the buffer that it shows, and for no other that comes there.
---@param window integer 0 for the current one
---@param options table<string, any> beside the plain ones, or in place of them
function M.set(window, options)
  for name, value in pairs(vim.tbl_extend("force", plain, options)) do
    vim.api.nvim_set_option_value(name, value, { scope = "local", win = window })
  end
end

--- For a key that closes: Neovim itself would go on to any window that does not keep its size.
M.CLOSE = "<Cmd>lua require('agentq.own_window').close()<CR>"

--- Closes the current window and goes back to the one that the person came from.
function M.close()
  local before = vim.fn.win_getid(vim.fn.winnr("#"))
  vim.cmd.close()
  if before ~= 0 and vim.api.nvim_win_is_valid(before) then
    vim.api.nvim_set_current_win(before)
  end
end

--- The tab page from which the person came to this one.
---@return integer?
local function last_tab()
  return vim.api.nvim_list_tabpages()[vim.fn.tabpagenr("#")]
end

--- Closes two windows together, whichever the person closes. Where their tab page goes with them, the person comes back
--- to the one that they came from.
---@param windows integer[] two
---@param alone? fun(window: integer) called with the other window when it is the last of all and has to stay
function M.close_together(windows, alone)
  local own = vim.api.nvim_win_get_tabpage(windows[1])
  local group = vim.api.nvim_create_augroup(("agentq.windows.%d"):format(windows[1]), { clear = true })
  vim.api.nvim_create_autocmd("WinClosed", {
    group = group,
    pattern = vim.tbl_map(tostring, windows),
    callback = function(args)
      vim.api.nvim_del_augroup_by_id(group)
      local tab = vim.api.nvim_get_current_tabpage() == own and last_tab()
      local other = tonumber(args.match) == windows[1] and windows[2] or windows[1]
      vim.schedule(function()
        if vim.api.nvim_win_is_valid(other) and #vim.api.nvim_list_wins() > 1 then
          vim.api.nvim_win_close(other, true)
        elseif vim.api.nvim_win_is_valid(other) and alone then
          alone(other)
        end
        if tab and not vim.api.nvim_tabpage_is_valid(own) and vim.api.nvim_tabpage_is_valid(tab) then
          vim.api.nvim_set_current_tabpage(tab)
        end
      end)
    end,
  })
end

return M
