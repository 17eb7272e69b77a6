-- The log of one REPL: every evaluation of the person, its output as it comes, and its outcome.
local ansi = require("agentq.repl.ansi")
local describe = require("agentq.repl.describe")
local own_window = require("agentq.own_window")
local places = require("agentq.repl.places")
local running = require("agentq.repl.running")
local traced = require("agentq.repl.traced")

local MAX_LINES = 5000
local namespace = vim.api.nvim_create_namespace("agentq.repl")
--- The lines that are of a program, each with the id of the program before its text.
local labels = vim.api.nvim_create_namespace("agentq.repl.process")

---@class agentq.OutputStream
---@field rest string the part of a line that waits for its newline
---@field stream "stdout"|"stderr"
---@field ansi agentq.AnsiState
---@field process? string the program that it is of

---@class agentq.AgentForm a form of the agent
---@field begun integer the count when its form was shown
---@field process? string the program in which it runs

---@class agentq.Log the log of one project's REPL; it outlives the server and its buffer
---@field root? string nil before a server took it
---@field is_first boolean of the editor's logs
---@field client_id? integer
---@field bufnr? integer
---@field state? agentq.ReplStatus
---@field has_process? boolean whether there is something to lose with the server
---@field process? string the id of the program that the person's forms go to; nil: the REPL's own process
---@field pid? integer of that program; nil while it does not run
---@field agent_forms table<string, agentq.AgentForm> by evaluation of the agent that has no outcome yet
---@field own_calls integer tools that the person called and that have not answered
---@field traced table<string, agentq.Traced> by address
---@field origins table<string, agentq.Origin> by evaluation that was taken from a file: where it stands there
---@field streams table<string, agentq.OutputStream> by evaluation and stream, so that two that write at once stay apart
---@field appended integer
---@field subject? string the evaluation that the end of the log is of, where that is known
---@field listeners (fun(params: agentq.ReplOutput))[]
local Log = {}
Log.__index = Log

---@param root? string
---@param is_first boolean
---@return agentq.Log
function Log.new(root, is_first)
  local log = { root = root, is_first = is_first, own_calls = 0, appended = 0 }
  log.agent_forms, log.origins, log.streams, log.listeners, log.traced = {}, {}, {}, {}, {}
  return setmetatable(log, Log)
end

--- With the server its REPL is gone.
function Log:server_ended()
  local had_process = self.has_process
  traced.stop(self)
  self.state, self.agent_forms, self.origins, self.has_process = nil, {}, {}, false
  if had_process then
    self:append({ "The server ended, and the REPL with it: definitions and values are gone.", "" }, { "AgentqWarning" })
  end
end

--- A file relative to the root of the project, else to the working folder.
---@param path string
---@return string
function Log:file(path)
  local inside = self.root and vim.startswith(path, self.root .. "/")
  return inside and path:sub(#self.root + 2) or vim.fn.fnamemodify(path, ":~:.")
end

--- The program that a line is of; nil for the REPL's own process.
---@param row integer 1-based
---@return string? id
function Log:process_at(row)
  local marks = vim.api.nvim_buf_get_extmarks(
    self:buffer(),
    labels,
    { row - 1, 0 },
    { row - 1, -1 },
    { details = true }
  )
  return marks[1] and marks[1][4].virt_text[1][1]:match("^%S+") or nil
end

--- Commands that are given in the buffer go to the server of its project.
function Log:tie()
  if self.bufnr and vim.api.nvim_buf_is_valid(self.bufnr) then
    vim.b[self.bufnr].agentq_client = self.client_id
    vim.b[self.bufnr].agentq_root = self.root
  end
end

---@return integer bufnr
function Log:buffer()
  if self.bufnr and vim.api.nvim_buf_is_valid(self.bufnr) then
    return self.bufnr
  end
  require("agentq.highlights").define()
  local bufnr = vim.api.nvim_create_buf(false, true)
  local name = self.is_first and "agentq://repl" or require("agentq.buffers").named("repl", self.root)
  vim.api.nvim_buf_set_name(bufnr, name)
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
  map("<CR>", function()
    places.go(self)
  end, "go to the place that the line names")
  map("i", "<Cmd>AgentQ repl type<CR>", "type a form")
  map("q", own_window.CLOSE, "close")
  self.bufnr = bufnr
  self:tie()
  return bufnr
end

---@param lines string[]
---@param groups? string|table<integer, string> for all lines, or by 1-based line
---@param spans? table<integer, agentq.AnsiSpan[]> by 1-based line
---@param process? string the program that they are of
function Log:write(lines, groups, spans, process)
  local buffer = self:buffer()
  local count = vim.api.nvim_buf_line_count(buffer)
  local empty = count == 1 and vim.api.nvim_buf_get_lines(buffer, 0, 1, true)[1] == ""
  local following = vim.tbl_filter(function(window)
    return vim.api.nvim_win_get_cursor(window)[1] >= count
  end, vim.fn.win_findbuf(buffer))
  vim.bo[buffer].modifiable = true
  local first = empty and 0 or count
  vim.api.nvim_buf_set_lines(buffer, first, empty and 1 or count, true, lines)
  for index = 1, #lines do
    if process and lines[index] ~= "" then
      vim.api.nvim_buf_set_extmark(buffer, labels, first + index - 1, 0, {
        virt_text = { { process .. " │ ", "AgentqDetail" } },
        virt_text_pos = "inline",
      })
    end
    local group = type(groups) == "table" and groups[index] or type(groups) == "string" and groups or nil
    if group then
      vim.api.nvim_buf_set_extmark(buffer, namespace, first + index - 1, 0, { line_hl_group = group })
    end
    local of_line = spans and spans[index] or {} --[[@as agentq.AnsiSpan[] ]]
    for _, span in ipairs(of_line) do
      vim.api.nvim_buf_set_extmark(buffer, namespace, first + index - 1, span.from, {
        end_col = span.to,
        hl_group = span.group,
      })
    end
  end
  local surplus = vim.api.nvim_buf_line_count(buffer) - MAX_LINES
  if surplus > 0 then
    -- The marks of lines that go would gather in the first line that stays.
    vim.api.nvim_buf_clear_namespace(buffer, -1, 0, surplus)
    vim.api.nvim_buf_set_lines(buffer, 0, surplus, true, {})
  end
  vim.bo[buffer].modifiable = false
  for _, window in ipairs(following) do
    vim.api.nvim_win_set_cursor(window, { vim.api.nvim_buf_line_count(buffer), 0 })
  end
end

---@param stream agentq.OutputStream
---@param raw string[] whole lines as they came
function Log:write_output(stream, raw)
  local lines, spans = {}, {}
  for index, line in ipairs(raw) do
    lines[index], spans[index] = ansi.read(line, stream.ansi)
  end
  self:write(lines, stream.stream == "stderr" and "AgentqWarning" or nil, spans, stream.process)
  if stream.stream == "stderr" then
    traced.hear(self, lines, stream.process)
  end
end

--- Writes the output lines that have no newline yet, before text that is no output.
function Log:finish_lines()
  for key, stream in pairs(self.streams) do
    if stream.rest ~= "" then
      self:write_output(stream, { stream.rest })
    end
    self.streams[key] = nil
  end
end

--- Appends what is not output.
---@param lines string[]
---@param groups? string|table<integer, string>
---@param id? string the evaluation it is of
---@param process? string the program it is of
function Log:append(lines, groups, id, process)
  self:finish_lines()
  self:write(lines, groups, nil, process)
  self.subject = places.key(id, process)
  self.appended = self.appended + 1
end

--- A count that grows with everything that is appended.
---@return integer
function Log:count()
  return self.appended
end

--- Names the form that the next lines belong to, unless its heading stands right above.
---@param since integer the count when the form was shown
---@param id string
---@param code string
---@param process? string the program it ran in
function Log:name_form(since, id, code, process)
  if since ~= self.appended and self.subject ~= places.key(id, process) then
    self:append({ ("form %s > %s"):format(id, code) }, "AgentqDetail", id, process)
  end
end

--- Output of the REPL as it arrives. A line is written when it is whole; what is left is written with the outcome.
---@param params agentq.ReplOutput
function Log:output(params)
  -- Late output, and output beside or after other forms, is headed by the name of its form.
  local id, process = params.evalId, params.process
  local is_told = id == nil or places.key(id, process) == self.subject
  if not is_told and (params.late or self.subject or not running.is_alone(self, process)) then
    self:append({ ("form %s%s:"):format(id, params.late and ", later" or "") }, "AgentqDetail", id, process)
  end
  local key = places.key(id or "", process) .. params.stream
  local stream = self.streams[key] or { rest = "", stream = params.stream, ansi = {}, process = process }
  self.streams[key] = stream
  local lines = vim.split(stream.rest .. params.text, "\n", { plain = true })
  stream.rest = table.remove(lines)
  if #lines > 0 then
    self:write_output(stream, lines)
  end
  for _, listener in ipairs(self.listeners) do
    listener(params)
  end
end

--- Notes of the compiler that came after the answer to their form.
---@param params agentq.LateNotes
function Log:late_notes(params)
  local lines, groups = {}, {}
  if params.evalId ~= self.subject then
    lines[1], groups[1] = ("form %s, later:"):format(params.evalId), "AgentqDetail"
  end
  for _, note in ipairs(params.notes) do
    lines[#lines + 1], groups[#lines + 1] = describe.note(note)
  end
  self:append(lines, groups, params.evalId)
end

--- Calls `listener` with every piece of output until the answered function is called.
---@param listener fun(params: agentq.ReplOutput)
---@return fun() stop
function Log:listen(listener)
  self.listeners[#self.listeners + 1] = listener
  return function()
    self.listeners = vim.tbl_filter(function(other)
      return other ~= listener
    end, self.listeners)
  end
end

--- All windows go to the end and follow from there.
function Log:follow()
  local last = vim.api.nvim_buf_line_count(self:buffer())
  for _, window in ipairs(vim.fn.win_findbuf(self:buffer())) do
    vim.api.nvim_win_set_cursor(window, { last, 0 })
  end
end

return Log
