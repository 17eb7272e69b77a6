-- A little Markdown, line by line, for text that only grows: each line is looked at once, when it is complete. What is
-- complete as a whole gets the colours of treesitter (colours.lua).
local M = {}

---@class agentq.chat.Span
---@field first integer 0-based byte
---@field last integer exclusive
---@field group string

---@param line string
---@param pattern string with a position capture at either end
---@param group string
---@param spans agentq.chat.Span[]
local function add_matches(line, pattern, group, spans)
  for first, last in line:gmatch(pattern) do
    spans[#spans + 1] = { first = first - 1, last = last - 1, group = group }
  end
end

--- How to highlight a line.
---@param line string
---@param in_fence boolean is the line inside a fenced code block?
---@return agentq.chat.Span[]
---@return boolean in_fence for the next line
function M.spans(line, in_fence)
  local whole = { first = 0, last = #line }
  if line:match("^%s*```") then
    whole.group = "AgentqFence"
    return { whole }, not in_fence
  elseif in_fence then
    whole.group = "AgentqCode"
    return { whole }, true
  elseif line:match("^#+ ") then
    whole.group = "AgentqHeading"
    return { whole }, false
  end
  local spans = {}
  add_matches(line, "()%*%*[^*]+%*%*()", "AgentqStrong", spans)
  add_matches(line, "()`[^`]+`()", "AgentqCode", spans)
  local first, last = line:match("^%s*()[-*]() ")
  if not first then
    first, last = line:match("^%s*()%d+%.() ")
  end
  if first then
    spans[#spans + 1] = { first = first - 1, last = last - 1, group = "AgentqMarker" }
  end
  return spans, false
end

return M
