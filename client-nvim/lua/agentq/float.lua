-- Windows over the others: a small one beside the cursor, which closes when the cursor moves on, unless the person
-- enters it, and one in the middle of the screen for what the person asked to read.
local M = {}

local FOOTER = " %d of %d rows · <C-w>w enters, q closes "

local namespace = vim.api.nvim_create_namespace("agentq.float")

---@type integer?
local open_window
---@type string?
local shown_subject

---@param subject? string closes only what was shown about it
function M.close(subject)
  if subject and subject ~= shown_subject then
    return
  end
  if open_window and vim.api.nvim_win_is_valid(open_window) then
    vim.api.nvim_win_close(open_window, true)
  end
  open_window, shown_subject = nil, nil
end

--- Where there is room: below the cursor's line, else above it. The line itself is never covered.
---@return "NW"|"SW" anchor
---@return integer rows
local function room()
  local at = vim.fn.screenpos(0, unpack(vim.api.nvim_win_get_cursor(0))).row
  local border = 2
  local above = at - 1 - border
  local below = vim.o.lines - vim.o.cmdheight - at - border
  if below >= math.min(above, math.floor(vim.o.lines / 2)) then
    return "NW", below
  end
  return "SW", above
end

--- Closes the small window when the cursor moves on, or when the person leaves the window that they entered.
---@param window integer
---@param bufnr integer
local function close_later(window, bufnr)
  local group = vim.api.nvim_create_augroup("agentq.float", { clear = true })
  vim.api.nvim_create_autocmd({ "CursorMoved", "CursorMovedI", "InsertEnter", "BufLeave" }, {
    group = group,
    callback = function()
      vim.schedule(function()
        if open_window == window and vim.api.nvim_get_current_win() ~= window then
          vim.api.nvim_clear_autocmds({ group = group })
          M.close()
        end
      end)
    end,
  })
  vim.keymap.set("n", "q", M.close, { buffer = bufnr, nowait = true, desc = "AgentQ: close" })
end

--- Shows lines, in place of what an earlier call shows.
---@param lines string[]
---@param options {title: string, groups?: table<integer, string>, subject?: string} highlight groups by 1-based line
function M.show(lines, options)
  M.close()
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden = "wipe"
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, lines)
  vim.bo[bufnr].modifiable = false
  for row, group in pairs(options.groups or {}) do
    vim.api.nvim_buf_set_extmark(bufnr, namespace, row - 1, 0, {
      line_hl_group = group,
    })
  end
  local anchor, free = room()
  local limit = math.min(free, math.floor(vim.o.lines / 2))
  -- What says how much is out of sight is not to be cut.
  local footer = #lines > limit and FOOTER:format(limit, #lines) or ""
  local width = math.max(vim.fn.strdisplaywidth(options.title) + 2, vim.fn.strdisplaywidth(footer))
  for _, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line))
  end
  width = math.max(1, math.min(width, vim.o.columns - 4))
  local rows = 0
  for _, line in ipairs(lines) do
    rows = rows + math.max(1, math.ceil(vim.fn.strdisplaywidth(line) / width))
  end
  shown_subject = options.subject
  open_window = vim.api.nvim_open_win(bufnr, false, {
    relative = "cursor",
    anchor = anchor,
    row = anchor == "NW" and 1 or 0,
    col = 0,
    width = width,
    height = math.max(1, math.min(rows, limit)),
    style = "minimal",
    border = "rounded",
    title = " " .. options.title .. " ",
    focusable = true,
    noautocmd = true,
  })
  vim.wo[open_window].wrap = true
  vim.wo[open_window].linebreak = true
  -- What breaks at words may need more rows than its width says.
  local needed = vim.api.nvim_win_text_height(open_window, {}).all
  vim.api.nvim_win_set_height(open_window, math.max(1, math.min(needed, limit)))
  if needed > limit then
    vim.api.nvim_win_set_config(open_window, { footer = FOOTER:format(limit, needed), footer_pos = "right" })
  end
  close_later(open_window, bufnr)
end

--- A window in the middle of the screen, entered: it is opened by the person alone.
---@param lines string[]
---@param options {title: string, footer: string, groups?: table<integer, string>} highlight groups by 1-based line
---@return integer bufnr
---@return integer window
function M.enter(lines, options)
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden = "wipe"
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, lines)
  vim.bo[bufnr].modifiable = false
  local groups = options.groups or {}
  local width = vim.fn.strdisplaywidth(options.footer) + 2
  for row, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line))
    vim.api.nvim_buf_set_extmark(bufnr, namespace, row - 1, 0, { line_hl_group = groups[row] })
  end
  width = math.min(width, vim.o.columns - 4)
  local height = math.min(#lines, vim.o.lines - 6)
  local window = vim.api.nvim_open_win(bufnr, true, {
    relative = "editor",
    row = math.max(0, math.floor((vim.o.lines - height) / 2) - 2),
    col = math.floor((vim.o.columns - width) / 2) - 1,
    width = width,
    height = height,
    style = "minimal",
    border = "rounded",
    title = (" %s "):format(options.title),
    footer = (" %s "):format(options.footer),
  })
  -- What is quoted stays behind its mark where a line is wrapped: at the edge it could pass for words of ours.
  vim.bo[bufnr].formatlistpat = [[^\s*│\s]]
  for name, value in pairs({ wrap = true, linebreak = true, breakindent = true, breakindentopt = "list:-1" }) do
    vim.api.nvim_set_option_value(name, value, { scope = "local", win = window })
  end
  local needed = vim.api.nvim_win_text_height(window, {}).all
  vim.api.nvim_win_set_height(window, math.max(1, math.min(needed, vim.o.lines - 6)))
  return bufnr, window
end

--- Asks for a yes, which `y` gives; anything else closes the question.
---@param question string
---@param act fun()
---@return fun(): boolean close answers whether the question was open
function M.confirm(question, act)
  vim.cmd.stopinsert()
  local bufnr, window = M.enter({ question }, { title = "AgentQ asks", footer = "y yes · n no" })
  local function close()
    local is_open = vim.api.nvim_win_is_valid(window)
    if is_open then
      vim.api.nvim_win_close(window, true)
    end
    return is_open
  end
  for _, lhs in ipairs({ "y", "n", "q", "<Esc>" }) do
    vim.keymap.set("n", lhs, function()
      close()
      if lhs == "y" then
        act()
      end
    end, { buffer = bufnr, nowait = true, desc = "AgentQ: " .. (lhs == "y" and "yes" or "no") })
  end
  return close
end

--- Lists what keys do, until the person closes the list.
---@param lines string[]
---@param title string
function M.list_keys(lines, title)
  local bufnr, window = M.enter(lines, { title = title, footer = "q closes" })
  for _, lhs in ipairs({ "q", "<Esc>", "?" }) do
    vim.keymap.set("n", lhs, function()
      vim.api.nvim_win_close(window, true)
    end, { buffer = bufnr, nowait = true, desc = "AgentQ: close" })
  end
end

return M
