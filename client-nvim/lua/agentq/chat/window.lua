-- The windows of a chat: the transcript and, below it, the input. Only the person opens or enters them, never an event.
local config = require("agentq.config")
local own_window = require("agentq.own_window")

local M = {}

--- A screen with fewer columns has no room for a file and a conversation side by side.
local NARROW = 120
local MIN_HEIGHT = 5

---@param bufnr integer
---@return integer? window in the current tab page
function M.find(bufnr)
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.api.nvim_win_get_buf(window) == bufnr then
      return window
    end
  end
end

--- A window of this tab page that shows a conversation's part, whichever project's: one column serves all.
---@param filetype "agentq-chat"|"agentq-message"
---@return integer? window
local function find_kind(filetype)
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.bo[vim.api.nvim_win_get_buf(window)].filetype == filetype then
      return window
    end
  end
end

--- Shows a buffer in a window that then shows nothing else: a file or a picker opened there would cover it.
---@param window integer
---@param bufnr integer
---@param options table<string, any>
local function show(window, bufnr, options)
  vim.wo[window].winfixbuf = false
  vim.api.nvim_win_set_buf(window, bufnr)
  local own = { linebreak = true, fillchars = "eob: ", winfixbuf = true }
  own_window.set(window, vim.tbl_extend("force", own, options))
end

--- Where the transcript opens, and how large: below the files it leaves them at least half of the screen.
---@return vim.api.keyset.win_config
local function place()
  local options = config.get().chat
  local position = options.position
  if position == "auto" then
    position = vim.o.columns < NARROW and "below" or "right"
  end
  if position == "below" then
    local half = math.floor(vim.o.lines / 2) - options.input_height
    return { win = -1, split = "below", height = math.max(MIN_HEIGHT, math.min(options.height, half)) }
  end
  return { win = -1, split = position, width = math.min(options.width, math.floor(vim.o.columns / 2)) }
end

---@param chat agentq.Chat
---@return integer window
local function show_transcript(chat)
  local at = place()
  local window = find_kind("agentq-chat") or vim.api.nvim_open_win(chat.bufnr, false, at)
  show(window, chat.bufnr, {
    breakindent = true,
    breakindentopt = "list:-1",
    winfixwidth = at.split ~= "below",
    winfixheight = at.split == "below",
    winbar = "%{get(b:, 'agentq_state', 'idle')}%<",
  })
  vim.api.nvim_win_set_cursor(window, { vim.api.nvim_buf_line_count(chat.bufnr), 0 })
  return window
end

---@param chat agentq.Chat
---@param below integer the transcript's window
---@return integer window
local function show_input(chat, below)
  local bufnr = require("agentq.chat.input").buffer(chat)
  local known = find_kind("agentq-message")
  local window = known
    or vim.api.nvim_open_win(bufnr, false, { win = below, split = "below", height = config.get().chat.input_height })
  show(window, bufnr, {
    winfixheight = true,
    winbar = "%{get(b:, 'agentq_keys', 'message · <C-s> sends · <C-x> stops · ? keys · <C-x><C-o> completes @ # $ /')}%<",
  })
  if not known then
    M.close_together(below, window)
  end
  return window
end

--- Shows the transcript and the input. With `enter` the cursor goes to the input, else it stays where it is.
---@param chat agentq.Chat
---@param enter boolean
function M.open(chat, enter)
  local input = require("agentq.chat.input").known(chat)
  local window = M.find(chat.bufnr) or show_transcript(chat)
  local input_window = input and M.find(input) or show_input(chat, window)
  chat:refresh_status()
  if enter then
    vim.api.nvim_set_current_win(input_window)
    vim.cmd.startinsert({ bang = true })
  end
end

--- Closes the chat of this tab page; the conversation goes on.
function M.close()
  local window = find_kind("agentq-chat")
  if window and #vim.api.nvim_tabpage_list_wins(0) > 2 then
    vim.api.nvim_win_close(window, true)
  end
end

--- Closing the transcript closes the input with it, and the other way round.
---@param first integer
---@param second integer
function M.close_together(first, second)
  local group = vim.api.nvim_create_augroup(("agentq.windows.%d"):format(first), { clear = true })
  vim.api.nvim_create_autocmd("WinClosed", {
    group = group,
    pattern = { tostring(first), tostring(second) },
    callback = function(args)
      vim.api.nvim_del_augroup_by_id(group)
      local other = tonumber(args.match) == first and second or first
      vim.schedule(function()
        if vim.api.nvim_win_is_valid(other) and #vim.api.nvim_list_wins() > 1 then
          vim.api.nvim_win_close(other, true)
        end
      end)
    end,
  })
end

--- A window for a file: the current one unless it belongs to this plugin, then one that shows a file, else a new split.
---@return integer window
function M.for_files()
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
  for _, window in ipairs(windows) do
    if window ~= 0 and vim.api.nvim_win_is_valid(window) and shows_file(window) then
      return window
    end
  end
  vim.cmd("topleft vnew")
  return vim.api.nvim_get_current_win()
end

return M
