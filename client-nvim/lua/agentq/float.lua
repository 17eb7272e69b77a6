-- A small window beside the cursor that closes when the cursor moves on. It is never entered.
local M = {}

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
    vim.api.nvim_buf_set_extmark(bufnr, vim.api.nvim_create_namespace("agentq.float"), row - 1, 0, {
      line_hl_group = group,
    })
  end
  local width = vim.fn.strdisplaywidth(options.title) + 2
  for _, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line))
  end
  width = math.max(1, math.min(width, vim.o.columns - 4))
  local rows = 0
  for _, line in ipairs(lines) do
    rows = rows + math.max(1, math.ceil(vim.fn.strdisplaywidth(line) / width))
  end
  local anchor, free = room()
  local limit = math.min(free, math.floor(vim.o.lines / 2))
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
  vim.api.nvim_create_autocmd({ "CursorMoved", "CursorMovedI", "InsertEnter", "BufLeave" }, {
    group = vim.api.nvim_create_augroup("agentq.float", { clear = true }),
    once = true,
    callback = function()
      M.close()
    end,
  })
end

return M
