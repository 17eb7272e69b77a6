-- Writes transcript operations into the chat buffer. Operations are collected and written once per frame; what was
-- written stays, so a long answer costs the same per word at its end as at its beginning.
local markdown = require("agentq.chat.markdown")
local DETAIL = require("agentq.chat.transcript").DETAIL

local M = {}

local FRAME_MS = 30
local namespace = vim.api.nvim_create_namespace("agentq.chat")

---@class agentq.chat.Writer
---@field bufnr integer
---@field queue agentq.chat.Op[]
---@field scheduled boolean
---@field open boolean the last line still grows
---@field unstyled integer row of the first line of growing text that is not highlighted yet
---@field in_fence boolean
---@field blocks table<string, {row: integer, count: integer}>
local Writer = {}
Writer.__index = Writer

---@param bufnr integer
---@return agentq.chat.Writer
function M.new(bufnr)
  local writer = { bufnr = bufnr, queue = {}, scheduled = false, open = false, blocks = {} }
  writer.unstyled, writer.in_fence = 0, false
  return setmetatable(writer, Writer)
end

---@param ops agentq.chat.Op[]
function Writer:push(ops)
  for _, op in ipairs(ops) do
    local last = self.queue[#self.queue]
    if op.kind == "append" and last and last.kind == "append" then
      last.text = last.text .. op.text
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
  local following = self:following()
  vim.bo[self.bufnr].modifiable = true
  for _, op in ipairs(queue) do
    self[op.kind](self, op)
  end
  vim.bo[self.bufnr].modifiable = false
  vim.bo[self.bufnr].modified = false
  local last = vim.api.nvim_buf_line_count(self.bufnr)
  for _, window in ipairs(following) do
    vim.api.nvim_win_set_cursor(window, { last, 0 })
  end
end

---@return integer[] windows
function Writer:following()
  local last = vim.api.nvim_buf_line_count(self.bufnr)
  return vim.tbl_filter(function(window)
    return vim.api.nvim_win_get_cursor(window)[1] >= last
  end, vim.fn.win_findbuf(self.bufnr))
end

---@return integer row of the last line, 0-based
---@return string text of it
function Writer:tail()
  local row = vim.api.nvim_buf_line_count(self.bufnr) - 1
  return row, vim.api.nvim_buf_get_lines(self.bufnr, row, row + 1, true)[1]
end

---@param op agentq.chat.Op
function Writer:append(op)
  local row, text = self:tail()
  local lines = vim.split(op.text, "\n", { plain = true })
  if self.open then
    vim.api.nvim_buf_set_text(self.bufnr, row, #text, row, #text, lines)
  else
    local free = row == 0 and text == ""
    self.unstyled = free and row or row + 1
    self.in_fence = false
    vim.api.nvim_buf_set_lines(self.bufnr, self.unstyled, self.unstyled + (free and 1 or 0), true, lines)
    self.open = true
  end
  self:style(vim.api.nvim_buf_line_count(self.bufnr) - 1)
end

--- Highlights the lines of growing text that are complete: those before `row`.
---@param row integer
function Writer:style(row)
  for index, line in ipairs(vim.api.nvim_buf_get_lines(self.bufnr, self.unstyled, row, true)) do
    local spans = { { first = 0, last = #line, group = "AgentqThinking" } }
    if not vim.startswith(line, DETAIL:sub(1, 3)) then
      spans, self.in_fence = markdown.spans(line, self.in_fence)
    end
    for _, span in ipairs(spans) do
      vim.api.nvim_buf_set_extmark(self.bufnr, namespace, self.unstyled + index - 1, span.first, {
        end_col = span.last,
        hl_group = span.group,
      })
    end
  end
  self.unstyled = row
end

--- The text that grew is complete.
function Writer:close()
  if self.open then
    self:style(vim.api.nvim_buf_line_count(self.bufnr))
    self.open = false
  end
end

---@param op agentq.chat.Op
---@return integer row where the lines begin
function Writer:lines(op)
  local row, text = self:tail()
  -- An answer that ended in a newline, and the empty new buffer, leave a line to write on.
  local free = text == "" and (self.open or row == 0)
  self:close()
  local first = free and row or row + 1
  vim.api.nvim_buf_set_lines(self.bufnr, first, first + (free and 1 or 0), true, op.lines)
  self:highlight(op, first)
  return first
end

--- Ends the paragraph: what comes next begins below an empty line. An empty buffer needs none.
function Writer:gap()
  self:close()
  local row, text = self:tail()
  if text ~= "" then
    vim.api.nvim_buf_set_lines(self.bufnr, row + 1, row + 1, true, { "" })
  end
end

---@param op agentq.chat.Op
function Writer:block(op)
  local block = self.blocks[op.id]
  if not block then
    self.blocks[op.id] = { row = self:lines(op), count = #op.lines }
    return
  end
  vim.api.nvim_buf_set_lines(self.bufnr, block.row, block.row + block.count, true, op.lines)
  local grown = #op.lines - block.count
  block.count = #op.lines
  if grown ~= 0 then
    self.unstyled = self.unstyled + (self.unstyled > block.row and grown or 0)
    for _, other in pairs(self.blocks) do
      if other.row > block.row then
        other.row = other.row + grown
      end
    end
  end
  self:highlight(op, block.row)
end

---@param op agentq.chat.Op
---@param row integer
function Writer:highlight(op, row)
  vim.api.nvim_buf_clear_namespace(self.bufnr, namespace, row, row + #op.lines)
  if op.hl then
    vim.api.nvim_buf_set_extmark(self.bufnr, namespace, row, 0, { line_hl_group = op.hl, priority = 120 })
  end
  if op.detail_hl and #op.lines > 1 then
    vim.api.nvim_buf_set_extmark(self.bufnr, namespace, row + 1, 0, {
      end_row = row + #op.lines - 1,
      end_col = #op.lines[#op.lines],
      hl_group = op.detail_hl,
      priority = 120,
    })
  end
end

return M
