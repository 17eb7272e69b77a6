-- Writes transcript operations into the chat buffer. Operations are collected and written once per frame; what was
-- written stays, so a long answer costs the same per word at its end as at its beginning.
local colours = require("agentq.chat.colours")
local markdown = require("agentq.chat.markdown")

local M = {}

local FRAME_MS = 30
local namespace = vim.api.nvim_create_namespace("agentq.chat")
--- Of the model's words, apart from what is said of them.
local looks = vim.api.nvim_create_namespace("agentq.chat.looks")
local messages = vim.api.nvim_create_namespace("agentq.chat.messages")

---@class agentq.chat.Op what to write
---@field kind "append"|"lines"|"block"|"join"|"gap"|"begin_reply"|"void_reply"
---@field text? string append: goes on where the last append ended
---@field lines? string[] lines
---@field groups? table<integer, string> lines: highlight groups of those after the first, by index
---@field id? string block: a known id is replaced in place, a new one is appended
---@field head? string block: the one line that is always shown
---@field from? string join: the block that becomes part of the block `id`
---@field details? fun(): string[] block: what stands below the head while the person wants to see it
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
---@field open boolean the last line still grows
---@field unstyled integer row of the first line of growing text that is not highlighted yet
---@field in_fence boolean
---@field paragraph integer row of the first line of growing text whose paragraph or block of code is not complete
---@field reply integer row where the model's present reply begins
---@field blocks agentq.chat.Block[] top to bottom
---@field named table<string, agentq.chat.Block> those that may still change
---@field said table<integer, agentq.chat.Message> by mark in the buffer

--- Details are in the buffer only while the person looks at them. Folds would need the text in the buffer, and Neovim
--- makes no fold in Insert mode or in a window other than the current one.
---@class agentq.chat.Block
---@field row integer of its head
---@field shown integer lines of details below the head
---@field op agentq.chat.Op

local Writer = {}
Writer.__index = Writer

---@param bufnr integer
---@return agentq.chat.Writer
function M.new(bufnr)
  local writer = { bufnr = bufnr, queue = {}, scheduled = false, open = false, blocks = {}, named = {}, said = {} }
  writer.unstyled, writer.in_fence, writer.paragraph, writer.reply = 0, false, 0, 0
  return setmetatable(writer, Writer)
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
  local following = self:following()
  self:change(function()
    for _, op in ipairs(queue) do
      self[op.kind](self, op)
    end
  end)
  local last = vim.api.nvim_buf_line_count(self.bufnr)
  for _, window in ipairs(following) do
    vim.api.nvim_win_set_cursor(window, { last, 0 })
  end
end

---@param write fun()
function Writer:change(write)
  vim.bo[self.bufnr].modifiable = true
  write()
  vim.bo[self.bufnr].modifiable = false
  vim.bo[self.bufnr].modified = false
end

--- All windows go to the end and follow from there.
function Writer:follow()
  for _, window in ipairs(vim.fn.win_findbuf(self.bufnr)) do
    vim.api.nvim_win_set_cursor(window, { vim.api.nvim_buf_line_count(self.bufnr), 0 })
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
    self.in_fence, self.paragraph = false, self.unstyled
    vim.api.nvim_buf_set_lines(self.bufnr, self.unstyled, self.unstyled + (free and 1 or 0), true, lines)
    self.open = true
  end
  self:style(vim.api.nvim_buf_line_count(self.bufnr) - 1)
end

--- Highlights the lines of growing text that are complete: those before `row`.
---@param row integer
function Writer:style(row)
  for index, line in ipairs(vim.api.nvim_buf_get_lines(self.bufnr, self.unstyled, row, true)) do
    local at, was_in_fence = self.unstyled + index - 1, self.in_fence
    local spans, is_in_fence = markdown.spans(line, was_in_fence)
    self.in_fence = is_in_fence
    for _, span in ipairs(spans) do
      vim.api.nvim_buf_set_extmark(self.bufnr, looks, at, span.first, {
        end_col = span.last,
        hl_group = span.group,
      })
    end
    if self.in_fence and not was_in_fence then
      self:complete(at)
    elseif not self.in_fence and (was_in_fence or not line:find("%S")) then
      self:complete(at + 1)
    end
  end
  self.unstyled = row
end

--- A paragraph or a block of code is complete, and gets the colours of treesitter where the parser is installed.
---@param last integer row below it
function Writer:complete(last)
  local first = self.paragraph
  self.paragraph = last
  colours.add(self.bufnr, looks, first, last)
end

--- The text that grew is complete.
function Writer:close()
  if self.open then
    local last = vim.api.nvim_buf_line_count(self.bufnr)
    self:style(last)
    self:complete(last)
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
  self:close()
  local row, text = self:tail()
  if text ~= "" then
    vim.api.nvim_buf_set_lines(self.bufnr, row + 1, row + 1, true, { "" })
  end
end

---@param op agentq.chat.Op
function Writer:block(op)
  local block = self.named[op.id]
  if not block then
    block = { row = self:lines({ lines = { op.head }, hl = op.hl }), shown = 0, op = op }
    self.blocks[#self.blocks + 1], self.named[op.id] = block, block
    return
  end
  local is_same_head = block.op.head == op.head and block.op.hl == op.hl
  block.op = op
  if not is_same_head or block.shown > 0 then
    self:draw(block, block.shown > 0)
  end
end

--- Two blocks become one, which is open where one of them was.
---@param op agentq.chat.Op
function Writer:join(op)
  local gone = self.named[op.from]
  local was_open = gone.shown > 0
  vim.api.nvim_buf_clear_namespace(self.bufnr, namespace, gone.row, gone.row + 1 + gone.shown)
  vim.api.nvim_buf_set_lines(self.bufnr, gone.row, gone.row + 1 + gone.shown, true, {})
  self:move_below(gone, -1 - gone.shown)
  self.named[op.from] = nil
  for index = #self.blocks, 1, -1 do
    if self.blocks[index] == gone then
      table.remove(self.blocks, index)
      break
    end
  end
  local block = self.named[op.id]
  block.op = op
  self:draw(block, was_open or block.shown > 0)
end

--- Writes a block anew, with its details or without.
---@param block agentq.chat.Block
---@param is_open boolean
function Writer:draw(block, is_open)
  local lines = is_open and block.op.details and block.op.details() or {}
  local before = block.shown
  block.shown = #lines
  table.insert(lines, 1, block.op.head)
  vim.api.nvim_buf_set_lines(self.bufnr, block.row, block.row + 1 + before, true, lines)
  self:move_below(block, block.shown - before)
  self:highlight({ lines = lines, hl = block.op.hl }, block.row)
  if block.shown > 0 then
    vim.api.nvim_buf_set_extmark(self.bufnr, namespace, block.row + 1, 0, {
      end_row = block.row + block.shown,
      end_col = #lines[#lines],
      hl_group = "AgentqDetail",
      priority = 120,
    })
  end
end

--- Moves the rows of everything below a block that grew or shrank.
---@param block agentq.chat.Block
---@param by integer
function Writer:move_below(block, by)
  self.unstyled = self.unstyled + (self.unstyled > block.row and by or 0)
  self.paragraph = self.paragraph + (self.paragraph > block.row and by or 0)
  self.reply = self.reply + (self.reply > block.row and by or 0)
  for index = #self.blocks, 1, -1 do
    local other = self.blocks[index]
    if other.row <= block.row then
      return
    end
    other.row = other.row + by
  end
end

--- Whether a block stands at a row.
---@param row integer
---@return boolean
function Writer:has_block(row)
  return vim.iter(self.blocks):any(function(block)
    return block.row <= row and row <= block.row + block.shown
  end)
end

--- Opens or closes the details of the block at a row, of all blocks without one.
---@param row? integer
---@param is_open? boolean the other way round than now when absent
---@return boolean found
function Writer:toggle(row, is_open)
  self:flush()
  local found = vim.tbl_filter(function(block)
    return row == nil or block.row <= row and row <= block.row + block.shown
  end, self.blocks)
  self:change(function()
    for _, block in ipairs(found) do
      local wanted = is_open
      if wanted == nil then
        wanted = block.shown == 0
      end
      if wanted ~= (block.shown > 0) then
        self:draw(block, wanted)
      end
    end
  end)
  if row and found[1] then
    vim.api.nvim_win_set_cursor(0, { found[1].row + 1, 0 })
  end
  return #found > 0
end

--- Marks the row where a reply of the model begins.
function Writer:begin_reply()
  local row, text = self:tail()
  self.reply = text == "" and row or row + 1
end

--- Dims the present reply, which was cut off and comes again.
function Writer:void_reply()
  self:close()
  local last, text = self:tail()
  if self.reply <= last then
    vim.api.nvim_buf_set_extmark(self.bufnr, namespace, self.reply, 0, {
      end_row = last,
      end_col = #text,
      hl_group = "AgentqVoid",
      priority = 5000,
    })
  end
end

---@param op agentq.chat.Op
---@param row integer
function Writer:highlight(op, row)
  vim.api.nvim_buf_clear_namespace(self.bufnr, namespace, row, row + #op.lines)
  local function line(index, group)
    vim.api.nvim_buf_set_extmark(self.bufnr, namespace, row + index - 1, 0, { line_hl_group = group, priority = 120 })
  end
  if op.hl then
    line(1, op.hl)
  end
  for index, group in pairs(op.groups or {}) do
    line(index, group)
  end
end

return M
