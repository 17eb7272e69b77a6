-- The windows of a chat: the transcript and, below it, the input. Only the person opens or enters them, never an event.
local config = require("agentq.config")
local own_sizes = require("agentq.own_sizes")
local own_window = require("agentq.own_window")
local buffer = require("agentq.chat.buffer")

local M = {}

local MIN_HEIGHT = 5

--- Where the conversations open.
---@return "right"|"left"|"below"|"tab"
local function position()
  local chosen = config.get().chat.position
  if chosen == "auto" then
    return vim.o.columns < own_window.NARROW and "below" or "right"
  end
  ---@cast chosen "right"|"left"|"below"|"tab"
  return chosen
end

--- The windows that may show a conversation: those of this tab page, or all where conversations have one of their own.
---@return integer[]
local function candidates()
  return position() == "tab" and vim.api.nvim_list_wins() or vim.api.nvim_tabpage_list_wins(0)
end

---@param bufnr integer
---@return integer? window
function M.find(bufnr)
  for _, window in ipairs(candidates()) do
    if vim.api.nvim_win_get_buf(window) == bufnr then
      return window
    end
  end
end

--- A window that shows a conversation's part, whichever project's: one column serves all.
---@param filetype "agentq-chat"|"agentq-message"
---@return integer? window
local function find_kind(filetype)
  for _, window in ipairs(candidates()) do
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

--- Opens a window for a transcript; the cursor stays where it is. Below the files it leaves them at least half of the
--- screen.
---@param bufnr integer
---@return integer window
local function open_window(bufnr)
  local options, where = config.get().chat, position()
  if where == "tab" then
    local here = vim.api.nvim_get_current_win()
    vim.cmd("tab sbuffer " .. bufnr)
    local window = vim.api.nvim_get_current_win()
    vim.api.nvim_set_current_win(here)
    return window
  elseif where == "below" then
    local half = math.floor(vim.o.lines / 2) - options.input_height
    local height = math.max(MIN_HEIGHT, math.min(options.height, half))
    return own_sizes.open_at(bufnr, false, "below", height, options.input_height)
  end
  local width = math.min(options.width, math.floor(vim.o.columns / 2))
  return own_sizes.open_at(bufnr, false, where --[[@as "left"|"right"]], width)
end

---@param chat agentq.Chat
---@return integer window
local function show_transcript(chat)
  local window = find_kind("agentq-chat") or open_window(chat.bufnr)
  show(window, chat.bufnr, {
    breakindent = true,
    breakindentopt = "list:-1",
    -- Of a paragraph that is taller than the room that is left, the last rows show in place of empty ones.
    smoothscroll = true,
    conceallevel = 2,
    winbar = "%{get(b:, 'agentq_state', 'idle')}%<",
  })
  local view = vim.b[chat.bufnr].agentq_view
  if view then
    vim.api.nvim_win_call(window, function()
      vim.fn.winrestview(view)
    end)
  else
    vim.api.nvim_win_set_cursor(window, { vim.api.nvim_buf_line_count(chat.bufnr), 0 })
  end
  vim.api.nvim_create_autocmd("WinLeave", {
    group = vim.api.nvim_create_augroup(("agentq.view.%d"):format(chat.bufnr), { clear = true }),
    buffer = chat.bufnr,
    callback = function()
      -- Who reads further up finds that again; who reads the end, what came since.
      vim.b[chat.bufnr].agentq_view = not buffer.is_at_end(0) and vim.fn.winsaveview() or nil
    end,
  })
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
    winbar = "%{get(b:, 'agentq_keys', 'message · <C-s> sends · <C-x> stops · ? keys · <C-x><C-o> completes @ # $ /')}%<",
  })
  if not known then
    own_sizes.keep_size(window, "height", config.get().chat.input_height)
    if position() == "below" then
      own_sizes.share("height")
    end
    own_window.close_together({ below, window })
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

--- Closes the windows of the chat, unless they are all that there is; the conversation goes on.
---@return boolean were_open
function M.close()
  local window = find_kind("agentq-chat")
  if window and #vim.api.nvim_list_wins() > 2 then
    vim.api.nvim_win_close(window, true)
  end
  return window ~= nil
end

return M
