-- The chat's windows: the transcript and, below it, the input. Opening is a person's act; events never open or enter.
local config = require("agentq.config")

local M = {}

---@param bufnr integer
---@return integer? window in the current tab page
function M.find(bufnr)
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.api.nvim_win_get_buf(window) == bufnr then
      return window
    end
  end
end

---@param window integer
---@param options table<string, any>
local function set_local(window, options)
  for name, value in pairs(options) do
    vim.api.nvim_set_option_value(name, value, { scope = "local", win = window })
  end
end

---@param chat agentq.Chat
---@return integer window
local function open_transcript(chat)
  local options = config.get().chat
  local window = vim.api.nvim_open_win(chat.bufnr, false, {
    win = -1,
    split = options.position,
    width = options.position ~= "below" and math.min(options.width, math.floor(vim.o.columns / 2)) or nil,
    height = options.position == "below" and options.height or nil,
  })
  set_local(window, {
    wrap = true,
    linebreak = true,
    breakindent = true,
    number = false,
    relativenumber = false,
    signcolumn = "no",
    foldcolumn = "0",
    spell = false,
    list = false,
    winfixwidth = options.position ~= "below",
    foldmethod = "expr",
    foldexpr = "v:lua.require'agentq.chat.folds'.level(v:lnum)",
    foldtext = "",
    fillchars = "fold: ",
    foldlevel = 0,
    foldenable = true,
    winbar = "%{get(b:, 'agentq_state', 'AgentQ · idle')}",
  })
  vim.api.nvim_win_set_cursor(window, { vim.api.nvim_buf_line_count(chat.bufnr), 0 })
  return window
end

--- Shows the transcript and the input. With `enter` the cursor goes to the input, else it stays where it is.
---@param chat agentq.Chat
---@param enter boolean
function M.open(chat, enter)
  local window = M.find(chat.bufnr) or open_transcript(chat)
  local input = require("agentq.chat.input").buffer(chat)
  local input_window = M.find(input)
  if not input_window then
    input_window = vim.api.nvim_open_win(input, false, {
      win = window,
      split = "below",
      height = config.get().chat.input_height,
    })
    set_local(input_window, {
      wrap = true,
      linebreak = true,
      number = false,
      relativenumber = false,
      signcolumn = "no",
      foldcolumn = "0",
      winfixheight = true,
      winbar = "message · <C-s> sends · <C-c> cancels the turn",
    })
    M.close_together(window, input_window)
  end
  if enter then
    vim.api.nvim_set_current_win(input_window)
    vim.cmd.startinsert({ bang = true })
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
