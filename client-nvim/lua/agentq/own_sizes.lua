-- The sizes of windows: those of this plugin at the edge of the screen keep theirs, and the person's windows share what is
-- left in the proportions that the person gave them.
local M = {}

---@class agentq.KeptSize
---@field axis "width"|"height"
---@field wanted integer
---@field seen integer
---@field rest integer what others of ours need of the half of the screen

---@class agentq.Layout the windows of a tab page
---@field screen string
---@field windows string
---@field theirs integer[] the person's windows
---@field sizes table<integer, {width: integer, height: integer}> of those
---@field extent {width: integer, height: integer} from the first edge of those to the last

---@type table<integer, agentq.KeptSize> by window
local sizes = {}
---@type table<integer, {host: integer, axis: "width"|"height"}> windows that the person split off one of ours, each with
---that one and the size that the two share
local guests = {}
---@type table<integer, agentq.Layout> by tab page, as seen last while windows of ours were there
local layouts = {}
---@type table<integer, agentq.Layout> by tab page, as the person made them
local chosen = {}

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

--- Gives a window of ours a size. What becomes free goes to the window before this one: by itself it would go to the next,
--- which may be ours too.
---@param window integer
---@param axis "width"|"height"
---@param size integer
local function set_own_size(window, axis, size)
  local free = size_of(window, axis) - size
  local before = vim.api.nvim_win_call(window, function()
    return vim.fn.win_getid(vim.fn.winnr(axis == "width" and "h" or "k"))
  end)
  if free > 0 and before ~= window then
    local move = axis == "width" and vim.fn.win_move_separator or vim.fn.win_move_statusline
    move(before, free)
  else
    set_size(window, axis, size)
  end
end

---@param window integer
---@return boolean
local function is_guest(window)
  return guests[window] ~= nil and sizes[guests[window].host] ~= nil
end

---@return agentq.Layout of this tab page, as it is now
---@return integer[] ours
local function look()
  local theirs, ours, measured = {}, {}, {}
  local low, high = { width = math.huge, height = math.huge }, { width = 0, height = 0 }
  local windows = vim.api.nvim_tabpage_list_wins(0)
  for _, window in ipairs(windows) do
    if sizes[window] then
      ours[#ours + 1] = window
    elseif not is_guest(window) and vim.api.nvim_win_get_config(window).relative == "" then
      theirs[#theirs + 1] = window
      measured[window] = {}
      local row, column = unpack(vim.api.nvim_win_get_position(window))
      for axis, first in pairs({ width = column, height = row }) do
        local size = size_of(window, axis)
        measured[window][axis] = size
        low[axis], high[axis] = math.min(low[axis], first), math.max(high[axis], first + size)
      end
    end
  end
  return {
    screen = ("%dx%d"):format(vim.o.columns, vim.o.lines),
    windows = table.concat(windows, " "),
    theirs = theirs,
    sizes = measured,
    extent = { width = high.width - low.width, height = high.height - low.height },
  },
    ours
end

--- A window that the person splits off one of ours, such as by `:split` in the message window, lives on its room: the
--- person's other windows keep theirs. Where there are no others it takes what it needs, as a file does.
---@param window integer
local function remember_guest(window)
  local from = vim.fn.win_getid(vim.fn.winnr("#"))
  local host = sizes[from] and from or guests[from] and guests[from].host
  if not host or not vim.api.nvim_win_is_valid(from) or vim.api.nvim_win_get_config(window).relative ~= "" then
    return
  end
  local place, beside = vim.api.nvim_win_get_position(window), vim.api.nvim_win_get_position(from)
  local is_below = place[2] == beside[2] and size_of(window, "width") == size_of(from, "width")
  local is_beside = place[1] == beside[1] and size_of(window, "height") == size_of(from, "height")
  if (is_below or is_beside) and #look().theirs > 1 then
    guests[window] = { host = host, axis = is_below and "height" or "width" }
  end
end

--- What a window leaves that has no other above or below goes to the command line: that keeps its height.
---@param change fun()
local function keep_command_line(change)
  local command_line = vim.o.cmdheight
  change()
  if vim.o.cmdheight ~= command_line then
    vim.o.cmdheight = command_line
  end
end

---@param window integer of ours
---@return boolean has_guest with which it shares the size that it keeps
local function has_guest(window)
  return vim.iter(vim.tbl_values(guests)):any(function(guest)
    return guest.host == window and guest.axis == sizes[window].axis
  end)
end

--- Gives windows of ours the sizes that are wanted, as far as the screen has room.
---@param windows integer[]
---@param is_other_screen boolean
local function resize(windows, is_other_screen)
  keep_command_line(function()
    for _, window in ipairs(windows) do
      local kept = sizes[window]
      local most = math.max(5, half_of_screen(kept.axis) - kept.rest, is_other_screen and 0 or kept.seen)
      if not has_guest(window) then
        set_own_size(window, kept.axis, math.min(kept.wanted, most))
      end
    end
  end)
end

--- Gives the person's windows of this tab page the parts that they had of one direction before ours came.
---@param axis "width"|"height"
---@param is_other_screen? boolean
function M.share(axis, is_other_screen)
  local wanted = chosen[vim.api.nvim_get_current_tabpage()]
  -- One window takes from the next, so sizes settle in the second round.
  for _ = 1, 2 do
    local now, ours = look()
    if not wanted or not vim.deep_equal(wanted.theirs, now.theirs) or #now.theirs < 2 then
      return
    end
    -- Each window has an edge to the next.
    local ratio = (now.extent[axis] + 1) / (wanted.extent[axis] + 1)
    keep_command_line(function()
      for _, window in ipairs(now.theirs) do
        local is_fixed = vim.wo[window]["winfix" .. axis]
        local size = wanted.sizes[window][axis]
        set_size(window, axis, is_fixed and size or math.max(1, math.floor((size + 1) * ratio - 0.5)))
      end
    end)
    resize(ours, is_other_screen or false)
  end
end

--- Gives the person's windows the same share, as Neovim does when one comes or goes, where that share was not yet theirs:
--- ours had it, or needed it back.
---@param before agentq.Layout as Neovim made it
local function make_room(before)
  local now = look()
  for axis, direction in pairs({ width = "horizontal", height = "vertical" }) do
    local is_crushed = vim.iter(now.theirs):any(function(window)
      return now.sizes[window][axis] < before.sizes[window][axis] / 2
    end)
    if is_crushed or vim.o.equalalways and now.extent[axis] ~= before.extent[axis] then
      vim.cmd(direction .. " wincmd =")
    end
  end
end

--- Neovim gives the room of a window that closes to any other, and takes room from any for one that opens: ours get their
--- sizes back, and the person's theirs. A size that changes while the windows and the screen stay the same was chosen by the
--- person.
local function follow()
  local tab = vim.api.nvim_get_current_tabpage()
  local now, ours = look()
  local before = layouts[tab]
  local is_other = before and (before.screen ~= now.screen or before.windows ~= now.windows)
  if not before then
    chosen[tab] = now
  elseif is_other then
    local is_other_screen = before.screen ~= now.screen
    resize(ours, is_other_screen)
    if vim.deep_equal(chosen[tab].theirs, now.theirs) then
      M.share("width", is_other_screen)
      M.share("height", is_other_screen)
    else
      make_room(now)
      chosen[tab] = look()
    end
  elseif not vim.deep_equal(before.sizes, now.sizes) then
    chosen[tab] = now
  end
  for _, window in ipairs(ours) do
    local kept = sizes[window]
    local size = size_of(window, kept.axis)
    kept.wanted = before and not is_other and size ~= kept.seen and size or kept.wanted
    kept.seen = size
  end
  layouts[tab] = #ours > 0 and look() or nil
end

--- A window has a size and keeps it while others come and go.
---@param window integer
---@param axis "width"|"height"
---@param size integer
---@param rest? integer what others of ours need of the half of the screen
function M.keep_size(window, axis, size, rest)
  -- Neovim 0.10 makes windows equal when one opens, whatever size was asked for.
  set_size(window, axis, size)
  guests[window] = nil
  sizes[window] = { axis = axis, wanted = size, seen = size_of(window, axis), rest = rest or 0 }
  vim.api.nvim_set_option_value("winfix" .. axis, true, { scope = "local", win = window })
  local group = vim.api.nvim_create_augroup("agentq.sizes", { clear = true })
  vim.api.nvim_create_autocmd("WinResized", { group = group, callback = follow })
  vim.api.nvim_create_autocmd("WinNew", {
    group = group,
    callback = function()
      remember_guest(vim.api.nvim_get_current_win())
    end,
  })
  vim.api.nvim_create_autocmd("WinClosed", {
    group = group,
    callback = function(args)
      guests[tonumber(args.match)] = nil
      if sizes[tonumber(args.match)] then
        sizes[tonumber(args.match)] = nil
        vim.schedule(follow)
      end
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
  follow()
  local window = vim.api.nvim_open_win(bufnr, enter, { win = -1, split = edge, [axis] = size })
  M.keep_size(window, axis, size, rest)
  M.share(axis)
  layouts[vim.api.nvim_get_current_tabpage()] = look()
  return window
end

return M
