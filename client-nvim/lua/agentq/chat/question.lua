-- A question about a dangerous call in full, since nobody approves code that cannot be read: as text for the
-- transcript, and as a window whose keys answer.
local M = {}

local MARK = "  │ "

--- What the text of an argument is written in, by the argument's name: as the name of a file.
local LANGUAGES = { form = "form.ts", code = "form.ts", command = "command.sh" }

--- The language of an argument's text, where its parser is installed.
---@param name string
---@return string?
function M.language(name)
  local file = LANGUAGES[name]
  return file and require("agentq.review.syntax").language(file)
end

---@class agentq.QuotedCode
---@field row integer 1-based, of its first line
---@field lines string[]
---@field language? string whose parser is installed

--- A list of names, such as hosts, reads as words; a comma inside of one could make two of it, so that stays JSON.
---@param value any
---@return string
local function text_of(value)
  if type(value) == "string" then
    return value
  end
  local is_plain = type(value) == "table"
    and #value > 0
    and vim.iter(value):all(function(each)
      return type(each) == "string" and each:match("^[%w%-%._/:@*]+$") ~= nil
    end)
  return is_plain and table.concat(value, ", ") or vim.json.encode(value)
end

---@param lines string[]
---@param groups table<integer, string>
---@param name string
---@param value any
---@return agentq.QuotedCode?
local function add_argument(lines, groups, name, value)
  local visible = require("agentq.review.visible").text
  local text = text_of(value)
  local parts = vim.tbl_map(visible, vim.split(vim.trim((text:gsub("\r\n?", "\n"))), "\n", { plain = true }))
  -- A name with a line break in it could pass for words of ours.
  local shown = visible(name)
  if #parts == 1 and #parts[1] <= 40 then
    lines[#lines + 1] = ("  %s: %s"):format(shown, parts[1])
    return
  end
  lines[#lines + 1] = ("  %s:"):format(shown)
  local code = { row = #lines + 1, lines = parts, language = M.language(name) }
  for _, part in ipairs(parts) do
    lines[#lines + 1] = MARK .. part
    groups[#lines] = "AgentqCode"
  end
  return code
end

---@param approval agentq.Approval
---@return string[] lines
---@return table<integer, string> groups highlight groups by 1-based line
---@return agentq.QuotedCode[] quoted
function M.lines(approval)
  local lines, groups, quoted = {}, {}, {}
  local function add(text)
    for _, line in ipairs(vim.split(text, "\n", { plain = true })) do
      line = require("agentq.review.visible").text(line)
      lines[#lines + 1] = #lines == 0 and line or "  " .. line
    end
  end
  add(approval.question or ("%s asks whether it may run"):format(approval.tool))
  for name, value in vim.spairs(approval.arguments or {}) do
    quoted[#quoted + 1] = add_argument(lines, groups, name, value)
  end
  add(approval.why)
  add(approval.risk)
  return lines, groups, quoted
end

local namespace = vim.api.nvim_create_namespace("agentq.question")

--- Gives quoted code the colours of its language.
---@param bufnr integer
---@param quoted agentq.QuotedCode[]
local function colour(bufnr, quoted)
  for _, code in ipairs(quoted) do
    for index, spans in pairs(require("agentq.review.syntax").spans(code.lines, code.language)) do
      local line = code.lines[index] or ""
      for _, span in ipairs(spans) do
        vim.api.nvim_buf_set_extmark(bufnr, namespace, code.row + index - 2, #MARK + math.min(span.first, #line), {
          end_col = #MARK + math.min(span.last, #line),
          hl_group = span.group,
        })
      end
    end
  end
end

---@param approval agentq.Approval
---@return string yes
---@return string no
function M.answers(approval)
  local answers = approval.answers
  return answers and answers.approved or "approve", answers and answers.denied or "deny"
end

---@class agentq.QuestionKey
---@field keys string[] the first one is shown
---@field words string what the key does, in short
---@field act fun()
---@field long? string the same for |:map|

---@class agentq.QuestionAnswers what a key does
---@field answer fun(decision: "approved"|"denied", message?: string, remember?: "session"|"workspace")
---@field edit? fun() the person changes the arguments; nil where there are none

---@param approval agentq.Approval
---@param to agentq.QuestionAnswers
---@return agentq.QuestionKey[] in the order in which they are shown
local function keys_of(approval, to)
  local yes, no = M.answers(approval)
  local always = approval.answers and approval.answers.always
  local is_call = approval.toolCallId ~= nil
  ---@param ... string|nil
  local function answer(...)
    local given = { ... }
    return function()
      to.answer(given[1], nil, given[3])
    end
  end
  local keys = { { keys = { "1", "a" }, words = yes, act = answer("approved") } }
  if is_call then
    keys[2] = { keys = { "2", "s" }, words = "chat", act = answer("approved", nil, "session") }
    keys[2].long = yes .. ", and do not ask again for exactly this call in this conversation"
  end
  if is_call or always then
    local long = always or yes .. ", and never ask again for exactly this call in this project"
    local words = always or "project"
    keys[#keys + 1] = { keys = { "w" }, words = words, long = long, act = answer("approved", nil, "workspace") }
  end
  keys[#keys + 1] = { keys = { "3", "d" }, words = no, act = answer("denied") }
  keys[#keys + 1] = {
    keys = { "4", "r" },
    words = "because …",
    long = "no, with a reason that the model reads",
    act = function()
      vim.ui.input({ prompt = "Why not? " }, function(reason)
        if not reason then
          return require("agentq.say").info("not answered: the question still waits")
        end
        to.answer("denied", reason ~= "" and reason or nil)
      end)
    end,
  }
  if to.edit then
    keys[#keys + 1] = { keys = { "e" }, words = "edit", long = "change what it would run", act = to.edit }
  end
  keys[#keys + 1] = { keys = { "q", "<Esc>" }, words = "later", long = "answer later", act = function() end }
  return keys
end

---@type {approval_id: string, window: integer}? what M.open showed last
local shown

--- Closes the window of a question that waits no more.
---@param approval_id string
function M.close(approval_id)
  if shown and shown.approval_id == approval_id and vim.api.nvim_win_is_valid(shown.window) then
    vim.api.nvim_win_close(shown.window, true)
  end
end

--- Shows a question with the keys that answer it.
---@param approval agentq.Approval
---@param to agentq.QuestionAnswers
function M.open(approval, to)
  require("agentq.highlights").define()
  local lines, groups, quoted = M.lines(approval)
  if approval.toolCallId then
    for _, hint in ipairs({
      "  2  exactly this call runs unasked from now on in this chat",
      "  w  … and in this project, for good; :AgentQ remembered takes that back",
    }) do
      lines[#lines + 1] = hint
      groups[#lines] = "AgentqHint"
    end
  end
  local keys = keys_of(approval, to)
  local footer = table.concat(
    vim.tbl_map(function(key)
      return key.keys[1] .. " " .. key.words
    end, keys),
    " · "
  )
  local bufnr, window =
    require("agentq.float").enter(lines, { title = "AgentQ asks", footer = footer, groups = groups })
  shown = { approval_id = approval.approvalId, window = window }
  colour(bufnr, quoted)
  -- Of `\ar`, which rejects a hunk in its file, the plain keys alone would take the `a`, and run what is asked about.
  require("agentq.review.keymaps").set_for_good(bufnr, function()
    require("agentq.say").info("that key answers hunks; what answers this question stands below it")
  end)
  for _, key in ipairs(keys) do
    for _, lhs in ipairs(key.keys) do
      vim.keymap.set("n", lhs, function()
        if vim.api.nvim_win_is_valid(window) then
          vim.api.nvim_win_close(window, true)
        end
        key.act()
      end, { buffer = bufnr, nowait = true, desc = "AgentQ: " .. (key.long or key.words) })
    end
  end
end

return M
