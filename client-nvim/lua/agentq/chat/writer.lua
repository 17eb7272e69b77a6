-- Writes transcript operations into the chat buffer. Operations are collected and written once per frame; what was
-- written stays.
local blocks = require("agentq.chat.blocks")
local growing = require("agentq.chat.growing")
local marking = require("agentq.chat.marking")
local buffer = require("agentq.chat.buffer")

local M = {}

local FRAME_MS = 30
local messages = vim.api.nvim_create_namespace("agentq.chat.messages")

---@class agentq.chat.Op what to write
---@field kind "append"|"lines"|"block"|"join"|"gap"|"begin_reply"|"void_reply"
---@field text? string append: goes on where the last append ended
---@field lines? string[] lines
---@field groups? table<integer, string> lines: highlight groups of those after the first, by index
---@field id? string block: a known id is replaced in place, a new one is appended
---@field head? string block: the one line that is always shown
---@field from? string join: the block that becomes part of the block `id`
---@field details? fun(): string[], table<integer, string>? block: what stands below the head while the person wants to see it
---@field hl? string highlight group of the block's head or the lines' first line
---@field message? agentq.chat.Message lines: what the person said there

---@class agentq.chat.Message
---@field text string
---@field session_id? string the conversation it was said in
---@field turn_id? string nil where the server answered without a turn of its own

---@class agentq.chat.Writer
---@field bufnr integer
---@field queue agentq.chat.Op[]
---@field scheduled boolean
---@field growing agentq.chat.Growing
---@field blocks agentq.chat.Blocks
---@field reply integer row where the model's present reply begins
---@field said table<integer, agentq.chat.Message> by mark in the buffer
local Writer = {}
Writer.__index = Writer

---@param bufnr integer
---@return agentq.chat.Writer
function M.new(bufnr)
  local writer = setmetatable({ bufnr = bufnr, queue = {}, scheduled = false, reply = 0, said = {} }, Writer)
  writer.growing = growing.new(bufnr)
  writer.blocks = blocks.new(bufnr, function(row, by)
    writer.growing:move(row, by)
    writer.reply = writer.reply + (writer.reply > row and by or 0)
  end)
  return writer
end

---@param ops agentq.chat.Op[]
function Writer:push(ops)
  for _, op in ipairs(ops) do
    local last = self.queue[#self.queue]
    if op.kind == "append" and last and last.kind == "append" then
      last.text = last.text .. op.text
    elseif op.kind == "block" and last and last.kind == "block" and last.id == op.id then
      self.queue[#self.queue] = op
    else
      self.queue[#self.queue + 1] = op
    end
  end
  if not self.scheduled and #self.queue > 0 then
    self.scheduled = true
    vim.defer_fn(function()
      self:flush()
    end, FRAME_MS)
  end
end

--- Writes what is waiting. Windows whose cursor stood on the last line follow; others are left where they are.
function Writer:flush()
  self.scheduled = false
  local queue = self.queue
  self.queue = {}
  if #queue == 0 or not vim.api.nvim_buf_is_loaded(self.bufnr) then
    return
  end
  local following = vim.tbl_filter(buffer.is_at_end, vim.fn.win_findbuf(self.bufnr))
  self:change(function()
    for _, op in ipairs(queue) do
      self[op.kind](self, op)
    end
  end)
  vim.iter(following):each(buffer.go_to_end)
end

---@param write fun()
function Writer:change(write)
  vim.api.nvim_buf_clear_namespace(self.bufnr, buffer.empty, 0, -1)
  vim.bo[self.bufnr].modifiable = true
  write()
  vim.bo[self.bufnr].modifiable = false
  vim.bo[self.bufnr].modified = false
end

--- All windows go to the end and follow from there.
function Writer:follow()
  vim.b[self.bufnr].agentq_view = nil
  vim.iter(vim.fn.win_findbuf(self.bufnr)):each(buffer.go_to_end)
end

---@return integer row of the last line, 0-based
---@return string text of it
function Writer:tail()
  local row = vim.api.nvim_buf_line_count(self.bufnr) - 1
  return row, vim.api.nvim_buf_get_lines(self.bufnr, row, row + 1, true)[1]
end

---@param op agentq.chat.Op
function Writer:append(op)
  self.growing:append(op.text)
end

---@param op agentq.chat.Op
---@return integer row where the lines begin
function Writer:lines(op)
  local row, text = self:tail()
  -- An answer that ended in a newline, and the empty new buffer, leave a line to write on.
  local free = text == "" and (self.growing.is_open or row == 0)
  self.growing:close()
  local first = free and row or row + 1
  vim.api.nvim_buf_set_lines(self.bufnr, first, first + (free and 1 or 0), true, op.lines)
  marking.lines(self.bufnr, first, #op.lines, vim.tbl_extend("keep", { op.hl }, op.groups or {}))
  if op.message then
    self.said[vim.api.nvim_buf_set_extmark(self.bufnr, messages, first, 0, {})] = op.message
  end
  return first
end

--- The rows of what the person said, from the top.
---@return {row: integer, message: agentq.chat.Message}[]
function Writer:messages()
  return vim.tbl_map(function(mark)
    return { row = mark[2], message = self.said[mark[1]] }
  end, vim.api.nvim_buf_get_extmarks(self.bufnr, messages, 0, -1, {}))
end

--- Ends the paragraph: what comes next begins below an empty line. An empty buffer needs none.
function Writer:gap()
  self.growing:close()
  local row, text = self:tail()
  if text ~= "" then
    vim.api.nvim_buf_set_lines(self.bufnr, row + 1, row + 1, true, { "" })
  end
end

---@param op agentq.chat.Op
function Writer:block(op)
  if not self.blocks:update(op) then
    self.blocks:add(op, self:lines({ kind = "lines", lines = { op.head }, hl = op.hl }))
  end
end

---@param op agentq.chat.Op
function Writer:join(op)
  self.blocks:join(op)
end

--- Whether a block stands at a row.
---@param row integer
---@return boolean
function Writer:has_block(row)
  return #self.blocks:at(row) > 0
end

--- Opens or closes the details of the block at a row, of all blocks without one.
---@param row? integer
---@param is_open? boolean the other way round than now when absent
function Writer:toggle(row, is_open)
  self:flush()
  local found = self.blocks:at(row)
  self:change(function()
    self.blocks:toggle(found, is_open)
  end)
  if row and found[1] then
    vim.api.nvim_win_set_cursor(0, { found[1].row + 1, 0 })
  end
end

--- What comes next is another conversation's.
function Writer:settle()
  self:flush()
  self.blocks:settle()
end

--- Marks the row where a reply of the model begins.
function Writer:begin_reply()
  local row, text = self:tail()
  self.reply = text == "" and row or row + 1
end

--- Dims the present reply, which was cut off and comes again.
function Writer:void_reply()
  self.growing:close()
  local last, text = self:tail()
  if self.reply <= last then
    marking.range(self.bufnr, { first = self.reply, last = last, end_col = #text }, "AgentqVoid", 5000)
  end
end

return M
