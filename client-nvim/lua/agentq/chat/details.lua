-- The lines below the head of a block, shown only while the person has the block open.
local M = {}

local MARK = "│ "

--- Adds the lines of a text. Of a text that is too long the end matters as much as the beginning: that is where a
--- failure stands.
---@param lines string[]
---@param text string
---@param limit integer
function M.add(lines, text, limit)
  local all = vim.split((text:gsub("\r\n?", "\n")), "\n", { plain = true })
  local cut = #all - limit
  local tail = cut > 0 and math.floor(limit / 4) or 0
  for index, line in ipairs(all) do
    if cut <= 0 or index <= limit - tail or index > #all - tail then
      lines[#lines + 1] = MARK .. line
    elseif index == limit - tail + 1 then
      lines[#lines + 1] = ("%s… %d lines are left out here …"):format(MARK, cut)
    end
  end
end

--- Adds a line that is part of no text.
---@param lines string[]
---@param line string
function M.head(lines, line)
  lines[#lines + 1] = MARK .. line
end

--- A line of the transcript with a text below it.
---@param id string
---@param head string
---@param hl string
---@param text fun(): string
---@return agentq.chat.Op
function M.block(id, head, hl, text)
  local function lines()
    local shown = {}
    M.add(shown, text(), math.huge)
    return shown
  end
  return { kind = "block", id = id, head = head, hl = hl, details = lines }
end

return M
