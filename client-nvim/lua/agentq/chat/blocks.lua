-- The blocks of a transcript: lines that are replaced in place, with details that the person opens below them. Details
-- are in the buffer only while the person looks at them. Folds would need the text in the buffer, and Neovim makes no
-- fold in Insert mode or in a window other than the current one.
local marking = require("agentq.chat.marking")

local M = {}

---@class agentq.chat.Block
---@field row integer of its head
---@field shown integer lines of details below the head
---@field op agentq.chat.Op

---@class agentq.chat.Blocks
---@field bufnr integer
---@field moved fun(row: integer, by: integer) hears that what stands below a row moved
---@field list agentq.chat.Block[] top to bottom
---@field named table<string, agentq.chat.Block> those that may still change
local Blocks = {}
Blocks.__index = Blocks

---@param bufnr integer
---@param moved fun(row: integer, by: integer)
---@return agentq.chat.Blocks
function M.new(bufnr, moved)
  return setmetatable({ bufnr = bufnr, moved = moved, list = {}, named = {} }, Blocks)
end

--- A block whose head was written at a row, below all others.
---@param op agentq.chat.Op
---@param row integer
function Blocks:add(op, row)
  local block = { row = row, shown = 0, op = op }
  self.list[#self.list + 1], self.named[op.id] = block, block
end

---@param op agentq.chat.Op
---@return boolean found
function Blocks:update(op)
  local block = self.named[op.id]
  if not block then
    return false
  end
  local is_same_head = block.op.head == op.head and block.op.hl == op.hl
  block.op = op
  if not is_same_head or block.shown > 0 then
    self:draw(block, block.shown > 0)
  end
  return true
end

--- Two blocks become one, which is open where one of them was.
---@param op agentq.chat.Op
function Blocks:join(op)
  local gone = self.named[op.from]
  local was_open = gone.shown > 0
  marking.clear(self.bufnr, gone.row, 1 + gone.shown)
  vim.api.nvim_buf_set_lines(self.bufnr, gone.row, gone.row + 1 + gone.shown, true, {})
  self:move_below(gone.row, -1 - gone.shown)
  self.named[op.from] = nil
  for index = #self.list, 1, -1 do
    if self.list[index] == gone then
      table.remove(self.list, index)
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
function Blocks:draw(block, is_open)
  local lines, groups = {}, {}
  if is_open and block.op.details then
    local own
    lines, own = block.op.details()
    for index, group in pairs(own or {}) do
      groups[index + 1] = group
    end
  end
  local before = block.shown
  block.shown = #lines
  table.insert(lines, 1, block.op.head)
  vim.api.nvim_buf_set_lines(self.bufnr, block.row, block.row + 1 + before, true, lines)
  self:move_below(block.row, block.shown - before)
  groups[1] = block.op.hl
  marking.lines(self.bufnr, block.row, #lines, groups)
  if block.shown > 0 then
    local range = { first = block.row + 1, last = block.row + block.shown, end_col = #lines[#lines] }
    marking.range(self.bufnr, range, "AgentqDetail", 120)
  end
end

--- Moves the rows of everything below a block that grew or shrank.
---@param row integer of the block
---@param by integer
function Blocks:move_below(row, by)
  self.moved(row, by)
  for index = #self.list, 1, -1 do
    local other = self.list[index]
    if other.row <= row then
      return
    end
    other.row = other.row + by
  end
end

--- The block at a row, all blocks without one.
---@param row? integer
---@return agentq.chat.Block[]
function Blocks:at(row)
  return vim.tbl_filter(function(block)
    return row == nil or block.row <= row and row <= block.row + block.shown
  end, self.list)
end

--- Opens or closes the details of blocks.
---@param found agentq.chat.Block[]
---@param is_open? boolean the other way round than now when absent
function Blocks:toggle(found, is_open)
  for _, block in ipairs(found) do
    local wanted = is_open
    if wanted == nil then
      wanted = block.shown == 0
    end
    if wanted ~= (block.shown > 0) then
      self:draw(block, wanted)
    end
  end
end

--- The blocks that are there change no more.
function Blocks:settle()
  self.named = {}
end

return M
