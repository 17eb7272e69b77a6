-- Windows that show text of this plugin's own, without the columns and marks that a person has beside code. Those at the
-- edge of the screen keep their size, and the person's windows share what is left.
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

---@class agentq.KeptSize
---@field axis "width"|"height"
---@field wanted integer
---@field seen integer
---@field rest integer what others of ours need of the half of the screen

---@type table<integer, agentq.KeptSize> by window
local sizes = {}
---@type table<integer, {screen: string, windows: string}> which windows a tab page had on which screen
local layouts = {}

---@param axis "width"|"height"
---@return integer
local function half_of_screen(axis)
  return math.floor((axis == "width" and vim.o.columns or vim.o.lines) / 2)
end

---@param window integer
---@param axis "width"|"height"
---@return integer
local function size_of(window, axis)
  return axis == "width" and vim.api.nvim_win_get_width(window) or vim.api.nvim_win_get_height(window)
end

---@param window integer
---@param axis "width"|"height"
---@param size integer
local function set_size(window, axis, size)
  local set = axis == "width" and vim.api.nvim_win_set_width or vim.api.nvim_win_set_height
  set(window, size)
end

--- Gives the person's windows of this tab page the same share of one direction, as a split by hand does.
---@param axis "width"|"height"
function M.share(axis)
  vim.cmd((axis == "width" and "horizontal" or "vertical") .. " wincmd =")
end

--- Gives windows of ours the sizes that are wanted, as far as the screen has room.
---@param windows integer[]
---@param is_other_screen boolean
local function resize(windows, is_other_screen)
  local command_line = vim.o.cmdheight
  for _, window in ipairs(windows) do
    local kept = sizes[window]
    local most = math.max(5, half_of_screen(kept.axis) - kept.rest, is_other_screen and 0 or kept.seen)
    set_size(window, kept.axis, math.min(kept.wanted, most))
  end
  -- What a window leaves that has no other above or below goes to the command line.
  if vim.o.cmdheight ~= command_line then
    vim.o.cmdheight = command_line
  end
end

--- Neovim gives the room of a window that closes to any other, and takes room from any for one that opens: ours get their
--- sizes back. A size that changes while the windows and the screen stay the same was chosen by the person.
local function restore_sizes()
  local tab, windows = vim.api.nvim_get_current_tabpage(), vim.api.nvim_tabpage_list_wins(0)
  local layout = { screen = ("%dx%d"):format(vim.o.columns, vim.o.lines), windows = table.concat(windows, " ") }
  local before = layouts[tab]
  layouts[tab] = layout
  local ours = vim.tbl_filter(function(window)
    return sizes[window] ~= nil
  end, windows)
  local is_other = before ~= nil and not vim.deep_equal(before, layout)
  if is_other then
    local is_other_screen = before.screen ~= layout.screen
    resize(ours, is_other_screen)
    if is_other_screen then
      M.share("width")
      M.share("height")
    end
  end
  for _, window in ipairs(ours) do
    local kept = sizes[window]
    local now = size_of(window, kept.axis)
    kept.wanted = before and not is_other and now ~= kept.seen and now or kept.wanted
    kept.seen = now
  end
end

--- A window has a size and keeps it while others come and go.
---@param window integer
---@param axis "width"|"height"
---@param size integer
---@param rest? integer what others of ours need of the half of the screen
function M.keep_size(window, axis, size, rest)
  -- Neovim 0.10 makes windows equal when one opens, whatever size was asked for.
  set_size(window, axis, size)
  sizes[window] = { axis = axis, wanted = size, seen = size_of(window, axis), rest = rest or 0 }
  vim.api.nvim_set_option_value("winfix" .. axis, true, { scope = "local", win = window })
  local group = vim.api.nvim_create_augroup("agentq.sizes", { clear = true })
  vim.api.nvim_create_autocmd("WinResized", { group = group, callback = restore_sizes })
  vim.api.nvim_create_autocmd("WinClosed", {
    group = group,
    callback = function(args)
      sizes[tonumber(args.match)] = nil
    end,
  })
end

--- Opens a window of ours at an edge of the screen.
---@param bufnr integer
---@param enter boolean
---@param edge "right"|"left"|"below"
---@param size integer columns at the sides, rows below
---@param rest? integer see |keep_size|
---@return integer window
function M.open_at(bufnr, enter, edge, size, rest)
  local axis = edge == "below" and "height" or "width"
  local window = vim.api.nvim_open_win(bufnr, enter, { win = -1, split = edge, [axis] = size })
  M.keep_size(window, axis, size, rest)
  M.share(axis)
  return window
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
