-- The REPL log: every evaluation of the person, its output as it comes, and its outcome.
local M = {}

local MAX_LINES = 5000
local namespace = vim.api.nvim_create_namespace("agentq.repl")

---@type integer?
local bufnr

---@class agentq.OutputStream
---@field rest string the part of a line that waits for its newline
---@field stream "stdout"|"stderr"
---@field ansi agentq.AnsiState

---@type table<string, agentq.OutputStream> by evaluation and stream, so that two that write at once stay apart
local streams = {}
local appended = 0
---@type string? the evaluation that the end of the log is of, where that is known
local subject
---@type fun(params: agentq.ReplOutput)[]
local listeners = {}

---@return integer bufnr
function M.buffer()
  if bufnr and vim.api.nvim_buf_is_valid(bufnr) then
    return bufnr
  end
  require("agentq.highlights").define()
  bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(bufnr, "agentq://repl")
  vim.bo[bufnr].bufhidden = "hide"
  vim.bo[bufnr].swapfile = false
  vim.bo[bufnr].undolevels = -1
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].filetype = "agentq-repl"
  local function map(key, command, words)
    vim.keymap.set("n", key, command, { buffer = bufnr, desc = "AgentQ: " .. words })
  end
  map("<C-c>", "<Cmd>AgentQ interrupt<CR>", "stop the newest evaluation")
  map("K", "<Cmd>AgentQ inspect<CR>", "look into the value under the cursor")
  map("q", "<Cmd>close<CR>", "close")
  return bufnr
end

---@param lines string[]
---@param groups? string|table<integer, string> for all lines, or by 1-based line
---@param spans? table<integer, agentq.AnsiSpan[]> by 1-based line
local function write(lines, groups, spans)
  local buffer = M.buffer()
  local count = vim.api.nvim_buf_line_count(buffer)
  local empty = count == 1 and vim.api.nvim_buf_get_lines(buffer, 0, 1, true)[1] == ""
  local following = vim.tbl_filter(function(window)
    return vim.api.nvim_win_get_cursor(window)[1] >= count
  end, vim.fn.win_findbuf(buffer))
  vim.bo[buffer].modifiable = true
  local first = empty and 0 or count
  vim.api.nvim_buf_set_lines(buffer, first, empty and 1 or count, true, lines)
  for index = 1, #lines do
    local group = type(groups) == "table" and groups[index] or type(groups) == "string" and groups or nil
    if group then
      vim.api.nvim_buf_set_extmark(buffer, namespace, first + index - 1, 0, { line_hl_group = group })
    end
    for _, span in ipairs(spans and spans[index] or {}) do
      vim.api.nvim_buf_set_extmark(buffer, namespace, first + index - 1, span.from, {
        end_col = span.to,
        hl_group = span.group,
      })
    end
  end
  local surplus = vim.api.nvim_buf_line_count(buffer) - MAX_LINES
  if surplus > 0 then
    vim.api.nvim_buf_set_lines(buffer, 0, surplus, true, {})
  end
  vim.bo[buffer].modifiable = false
  for _, window in ipairs(following) do
    vim.api.nvim_win_set_cursor(window, { vim.api.nvim_buf_line_count(buffer), 0 })
  end
end

---@param stream agentq.OutputStream
---@param raw string[] whole lines as they came
local function write_output(stream, raw)
  local lines, spans = {}, {}
  for index, line in ipairs(raw) do
    lines[index], spans[index] = require("agentq.repl.ansi").read(line, stream.ansi)
  end
  write(lines, stream.stream == "stderr" and "AgentqWarning" or nil, spans)
end

--- Writes the output lines that have no newline yet: what follows them is of something else.
function M.finish_lines()
  for key, stream in pairs(streams) do
    if stream.rest ~= "" then
      write_output(stream, { stream.rest })
    end
    streams[key] = nil
  end
end

--- Appends what is not output.
---@param lines string[]
---@param groups? string|table<integer, string>
---@param id? string the evaluation it is of
function M.append(lines, groups, id)
  M.finish_lines()
  write(lines, groups)
  subject = id
  appended = appended + 1
end

--- What tells, when it has changed, that something was appended since.
---@return integer
function M.count()
  return appended
end

--- Says whose the lines are that follow, unless that can be seen.
---@param since integer the count when the form was shown
---@param id string
---@param code string
function M.name_form(since, id, code)
  if since ~= appended and subject ~= id then
    M.append({ ("form %s > %s"):format(id, code) }, "AgentqDetail", id)
  end
end

--- Output of the image as it arrives. A line is written when it is whole; what is left is written with the outcome.
---@param params agentq.ReplOutput
function M.output(params)
  -- What comes when its form is over, or beside other forms, says which one it is of.
  if params.evalId and params.evalId ~= subject and (params.late or not require("agentq.repl.eval").is_alone()) then
    M.append({ ("form %s%s:"):format(params.evalId, params.late and ", later" or "") }, "AgentqDetail", params.evalId)
  end
  local key = (params.evalId or "") .. params.stream
  local stream = streams[key] or { rest = "", stream = params.stream, ansi = {} }
  streams[key] = stream
  local lines = vim.split(stream.rest .. params.text, "\n", { plain = true })
  stream.rest = table.remove(lines)
  if #lines > 0 then
    write_output(stream, lines)
  end
  for _, listener in ipairs(listeners) do
    listener(params)
  end
end

--- What the compiler says of a form whose answer had gone already.
---@param params agentq.LateNotes
function M.late_notes(params)
  local lines, groups = {}, {}
  if params.evalId ~= subject then
    lines[1], groups[1] = ("form %s, later:"):format(params.evalId), "AgentqDetail"
  end
  for _, note in ipairs(params.notes) do
    lines[#lines + 1], groups[#lines + 1] = require("agentq.repl.describe").note(note)
  end
  M.append(lines, groups, params.evalId)
end

--- Calls `listener` with every piece of output until the answered function is called.
---@param listener fun(params: agentq.ReplOutput)
---@return fun() stop
function M.listen(listener)
  listeners[#listeners + 1] = listener
  return function()
    listeners = vim.tbl_filter(function(other)
      return other ~= listener
    end, listeners)
  end
end

--- Opens the log below, without entering it.
function M.open()
  local buffer = M.buffer()
  if vim.fn.bufwinid(buffer) ~= -1 then
    return
  end
  local window = vim.api.nvim_open_win(buffer, false, { split = "below", win = -1, height = 12 })
  vim.wo[window].number = false
  vim.wo[window].relativenumber = false
  vim.wo[window].signcolumn = "no"
  vim.wo[window].wrap = true
  -- Without it a line longer than the window shows nothing at all above the last one.
  vim.wo[window].smoothscroll = true
  vim.wo[window].scrolloff = 0
  vim.wo[window].winbar = " %{%v:lua.require'agentq.repl.state'.bar()%}"
  vim.api.nvim_win_set_cursor(window, { vim.api.nvim_buf_line_count(buffer), 0 })
end

return M
