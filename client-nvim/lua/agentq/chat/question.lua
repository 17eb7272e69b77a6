-- A question about a dangerous call in full, since nobody approves code that cannot be read: as text for the
-- transcript, and as a window whose keys answer.
local M = {}

---@param lines string[]
---@param groups table<integer, string>
---@param name string
---@param value any
local function add_argument(lines, groups, name, value)
  local text = type(value) == "string" and value or vim.json.encode(value)
  local parts = vim.split(vim.trim((text:gsub("\r\n?", "\n"))), "\n", { plain = true })
  if #parts == 1 and #text <= 40 then
    lines[#lines + 1] = ("  %s: %s"):format(name, text)
    return
  end
  lines[#lines + 1] = ("  %s:"):format(name)
  for _, part in ipairs(parts) do
    lines[#lines + 1] = "  │ " .. part
    groups[#lines] = "AgentqCode"
  end
end

---@param approval agentq.Approval
---@return string[] lines
---@return table<integer, string> groups highlight groups by 1-based line
function M.lines(approval)
  local lines, groups = {}, {}
  local function add(text)
    for _, line in ipairs(vim.split(text, "\n", { plain = true })) do
      lines[#lines + 1] = #lines == 0 and line or "  " .. line
    end
  end
  add(approval.question or ("%s asks whether it may run"):format(approval.tool))
  for name, value in vim.spairs(approval.arguments or {}) do
    add_argument(lines, groups, name, value)
  end
  add(approval.why)
  add(approval.risk)
  return lines, groups
end

---@param approval agentq.Approval
---@return string yes
---@return string no
function M.answers(approval)
  local answers = approval.answers
  return answers and answers.approved or "approve", answers and answers.denied or "deny"
end

--- A window in the middle of the screen, entered: it is opened by the person alone.
---@param lines string[]
---@param groups table<integer, string>
---@param title string
---@param footer string
---@return integer bufnr
---@return integer window
local function open(lines, groups, title, footer)
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden = "wipe"
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, lines)
  vim.bo[bufnr].modifiable = false
  local width = vim.fn.strdisplaywidth(footer) + 2
  for row, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line))
    vim.api.nvim_buf_set_extmark(bufnr, vim.api.nvim_create_namespace("agentq.question"), row - 1, 0, {
      line_hl_group = groups[row],
    })
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
    title = (" %s "):format(title),
    footer = (" %s "):format(footer),
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

--- Shows a question with the keys that answer it.
---@param approval agentq.Approval
---@param answer fun(decision: "approved"|"denied", message?: string, remember?: "session"|"workspace")
function M.open(approval, answer)
  require("agentq.highlights").define()
  local lines, groups = M.lines(approval)
  if approval.toolCallId then
    for _, hint in ipairs({
      "  s  exactly this call runs unasked from now on in this chat",
      "  w  … and in this project, for good; :AgentQ remembered takes that back",
    }) do
      lines[#lines + 1] = hint
      groups[#lines] = "AgentqHint"
    end
  end
  local yes, no = M.answers(approval)
  local always = approval.answers and approval.answers.always
  local remembers = approval.toolCallId ~= nil
  local parts = { "a " .. yes, "s in chat", "w in project", "d " .. no, "r no, because …", "q later" }
  if not remembers then
    parts = { "a " .. yes, "d " .. no, "r no, because …", "q later" }
    if always then
      table.insert(parts, 2, "w " .. always)
    end
  end
  local footer = table.concat(parts, " · ")
  local bufnr, window = open(lines, groups, "AgentQ asks", footer)
  local function map(lhs, words, act)
    vim.keymap.set("n", lhs, function()
      if vim.api.nvim_win_is_valid(window) then
        vim.api.nvim_win_close(window, true)
      end
      act()
    end, { buffer = bufnr, nowait = true, desc = "AgentQ: " .. words })
  end
  local function leave() end
  map("a", yes, function()
    answer("approved")
  end)
  if remembers then
    map("s", yes .. ", and do not ask again for exactly this call in this conversation", function()
      answer("approved", nil, "session")
    end)
  end
  if remembers or always then
    map("w", always or yes .. ", and never ask again for exactly this call in this project", function()
      answer("approved", nil, "workspace")
    end)
  end
  map("d", no, function()
    answer("denied")
  end)
  map("r", no .. ", with a reason", function()
    vim.ui.input({ prompt = "Why not? " }, function(reason)
      if reason then
        answer("denied", reason ~= "" and reason or nil)
      end
    end)
  end)
  map("q", "answer later", leave)
  map("<Esc>", "answer later", leave)
end

return M
