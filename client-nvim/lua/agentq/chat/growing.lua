-- The text at the end of the transcript while it grows: what was complete keeps its colours, so that a long answer costs
-- the same per word at its end as at its beginning.
local colours = require("agentq.chat.colours")
local markdown = require("agentq.chat.markdown")

local M = {}

local namespace = vim.api.nvim_create_namespace("agentq.chat.looks")

---@class agentq.chat.Growing
---@field bufnr integer
---@field is_open boolean the last line still grows
---@field unstyled integer row of the first line that is not highlighted yet
---@field in_fence boolean
---@field paragraph integer row of the first line whose paragraph or block of code is not complete
local Growing = {}
Growing.__index = Growing

---@param bufnr integer
---@return agentq.chat.Growing
function M.new(bufnr)
  return setmetatable({ bufnr = bufnr, is_open = false, unstyled = 0, in_fence = false, paragraph = 0 }, Growing)
end

--- Goes on where the last text ended, else below it.
---@param text string
function Growing:append(text)
  local lines = vim.split(text, "\n", { plain = true })
  local row = vim.api.nvim_buf_line_count(self.bufnr) - 1
  local last = vim.api.nvim_buf_get_lines(self.bufnr, row, row + 1, true)[1]
  if self.is_open then
    vim.api.nvim_buf_set_text(self.bufnr, row, #last, row, #last, lines)
  else
    local is_free = row == 0 and last == ""
    self.unstyled = is_free and row or row + 1
    self.in_fence, self.paragraph = false, self.unstyled
    vim.api.nvim_buf_set_lines(self.bufnr, self.unstyled, self.unstyled + (is_free and 1 or 0), true, lines)
    self.is_open = true
  end
  self:style(vim.api.nvim_buf_line_count(self.bufnr) - 1)
end

--- Highlights the lines that are complete: those before `row`.
---@param row integer
function Growing:style(row)
  for index, line in ipairs(vim.api.nvim_buf_get_lines(self.bufnr, self.unstyled, row, true)) do
    local at, was_in_fence = self.unstyled + index - 1, self.in_fence
    local spans, is_in_fence = markdown.spans(line, was_in_fence)
    self.in_fence = is_in_fence
    for _, span in ipairs(spans) do
      vim.api.nvim_buf_set_extmark(self.bufnr, namespace, at, span.first, {
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
function Growing:complete(last)
  local first = self.paragraph
  self.paragraph = last
  colours.add(self.bufnr, namespace, first, last)
end

--- The text is complete.
function Growing:close()
  if self.is_open then
    local last = vim.api.nvim_buf_line_count(self.bufnr)
    self:style(last)
    self:complete(last)
    self.is_open = false
  end
end

--- Lines above came or went.
---@param row integer below which everything moved
---@param by integer
function Growing:move(row, by)
  self.unstyled = self.unstyled + (self.unstyled > row and by or 0)
  self.paragraph = self.paragraph + (self.paragraph > row and by or 0)
end

return M
