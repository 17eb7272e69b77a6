-- A file's text as it would be with all hunks that wait, and what a person changed in that text: on plain tables.
local edits = require("agentq.review.edits")

local M = {}

---@class agentq.review.Segment a hunk in the composed text; rows are 0-based, the last exclusive
---@field place agentq.review.Place
---@field first integer in the composed text
---@field last integer
---@field old_first integer in the file
---@field old_last integer

---@class agentq.review.LineChange
---@field first integer 0-based
---@field last integer exclusive
---@field lines string[]

--- The text with the hunks at these places. A hunk whose lines are not there, or overlap another's, is left out.
---@param lines string[] of the file
---@param places agentq.review.Place[] top to bottom
---@return string[] text
---@return agentq.review.Segment[] segments
function M.compose(lines, places)
  local text, segments, at = {}, {}, 0
  for _, place in ipairs(places) do
    if place.intact and place.first >= at then
      vim.list_extend(text, lines, at + 1, place.first)
      local first = #text
      vim.list_extend(text, place.view.new)
      at = place.first + #place.view.old
      segments[#segments + 1] = {
        place = place,
        first = first,
        last = #text,
        old_first = place.first,
        old_last = at,
      }
    end
  end
  return vim.list_extend(text, lines, at + 1, #lines), segments
end

--- Does a change replace lines of a segment, or insert lines at one?
---@param change agentq.review.LineChange
---@param segment agentq.review.Segment
local function touches(change, segment)
  if change.first == change.last then
    return segment.first <= change.first and change.first <= segment.last
  end
  return change.first < segment.last and segment.first < change.last
end

--- Changes of as many lines as they replace say of each line what became of it.
---@param changes agentq.review.LineChange[] last first
---@return agentq.review.LineChange[]
local function line_by_line(changes)
  local parts = {}
  for _, change in ipairs(changes) do
    if #change.lines == change.last - change.first then
      for index = #change.lines, 1, -1 do
        local row = change.first + index - 1
        parts[#parts + 1] = { first = row, last = row + 1, lines = { change.lines[index] } }
      end
    else
      parts[#parts + 1] = change
    end
  end
  return parts
end

--- Replaces what a change covers of a segment.
---@param lines string[] of the segment
---@param segment agentq.review.Segment
---@param change agentq.review.LineChange
---@param new string[]
---@return string[]
local function spliced(lines, segment, change, new)
  local from = math.max(change.first - segment.first, 0)
  local to = math.min(change.last, segment.last) - segment.first
  local result = vim.list_slice(lines, 1, from)
  vim.list_extend(result, new)
  return vim.list_extend(result, lines, to + 1, #lines)
end

--- Where a row between the segments stands in the file.
---@param segments agentq.review.Segment[]
---@param row integer
---@return integer
local function row_in_file(segments, row)
  local offset = 0
  for _, segment in ipairs(segments) do
    if segment.last <= row then
      offset = segment.old_last - segment.last
    end
  end
  return row + offset
end

--- What a person changed in the composed text: of hunks, and of the file between them. What begins or ends in a hunk, and
--- what is inserted at its borders, is the hunk's.
---@param segments agentq.review.Segment[]
---@param composed string[]
---@param now string[]
---@return table<integer, string[]> of_hunks the text of hunks that changed, by the index of the segment
---@return agentq.review.LineChange[] of_file last first, in the rows of the file
function M.changes(segments, composed, now)
  local of_hunks, of_file = {}, {}
  for _, change in ipairs(line_by_line(edits.line_changes(composed, now))) do
    local owner
    for index, segment in ipairs(segments) do
      if touches(change, segment) then
        local lines = of_hunks[index] or vim.list_slice(composed, segment.first + 1, segment.last)
        of_hunks[index] = spliced(lines, segment, change, owner and {} or change.lines)
        owner = index
        if change.first == change.last then
          break
        end
      end
    end
    if not owner then
      local first = row_in_file(segments, change.first)
      of_file[#of_file + 1] = { first = first, last = first + change.last - change.first, lines = change.lines }
    end
  end
  return of_hunks, of_file
end

return M
