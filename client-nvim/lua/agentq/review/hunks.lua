-- Hunks as whole lines, on plain tables: no buffer is read or written here.
local compat = require("agentq.compat")
local visible = require("agentq.review.visible")

local M = {}

--- Of the reason and of the title of a proposal, in cells.
local SUBJECT = 80

---@class agentq.HunkView
---@field first integer 0-based first line of the old text
---@field last integer the line after it; equal to `first` for an insertion
---@field old string[] what stands there: the old text, or in a conflict what came in its place
---@field new string[]
---@field was? string[] in a conflict, the old text

--- A text as lines, without a last empty one. Carriage returns stay where only some lines have them: they are what
--- differs then.
---@param text string
---@param crlf boolean every line ending is "\r\n"
---@return string[]
local function lines_of(text, crlf)
  if text == "" then
    return {}
  end
  local lines = vim.split(crlf and text:gsub("\r\n", "\n") or text, "\n", { plain = true })
  if lines[#lines] == "" then
    lines[#lines] = nil
  end
  return lines
end

--- Whether a hunk is shown in a buffer of its own: no buffer of its file could show it.
---@param hunk agentq.Hunk
---@return boolean
function M.is_apart(hunk)
  return hunk.kind == "create" or hunk.kind == "entry"
end

--- Whether the hunk was accepted and nobody has taken it back since.
---@param hunk agentq.Hunk
---@return boolean
function M.is_in(hunk)
  return (hunk.state == "accepted" or hunk.state == "edited") and not hunk.takenBack
end

local words_of_state = {
  accepted = "✓ accepted",
  edited = "✓ accepted with your text",
  rejected = "✗ rejected",
  conflict = "in conflict",
}

--- What became of a hunk; nil while it waits.
---@param hunk agentq.Hunk
---@param is_reopened? boolean a rejected hunk that waits again
---@return string?
function M.state_words(hunk, is_reopened)
  return (is_reopened or hunk.takenBack) and "↶ taken back" or words_of_state[hunk.state]
end

--- What a proposal is for and what it does to which files, on one line; of one that was kept from an earlier server, what
--- its own reason was.
---@param proposal agentq.Proposal
---@return string
function M.subject(proposal)
  local kept = proposal.why:match("^KEPT [^.]*%. (.+)$")
  local reason = visible.short(kept and "kept: " .. kept or proposal.why, SUBJECT)
  return ("%s · %s"):format(reason, visible.short(proposal.title, SUBJECT))
end

--- A hunk as the lines that it takes away and those that it brings, none of them widened.
---@param hunk agentq.Hunk
---@return string[] old
---@return string[] new
function M.sides(hunk)
  local crlf = M.is_crlf(hunk)
  return lines_of(hunk.oldText, crlf), lines_of(hunk.newText, crlf)
end

--- Whether every line of the hunk ends in "\r\n".
---@param hunk agentq.Hunk
---@return boolean
function M.is_crlf(hunk)
  local _, all = (hunk.oldText .. hunk.newText):gsub("\n", "")
  local _, carriage = (hunk.oldText .. hunk.newText):gsub("\r\n", "")
  return all > 0 and all == carriage
end

--- A hunk as the lines it takes away and the lines it puts there. A hunk that begins or ends inside a line is widened
--- to whole lines with the text around it.
---@param hunk agentq.Hunk
---@param line_at fun(row: integer): string
---@param encoding "utf-8"|"utf-16"|"utf-32"
---@return agentq.HunkView
function M.view(hunk, line_at, encoding)
  local from, to = hunk.range.start, hunk.range["end"]
  local crlf = M.is_crlf(hunk)
  local in_conflict = hunk.state == "conflict" and hunk.kind == "edit"
  local old = in_conflict and (hunk.currentText or "") or hunk.oldText
  if from.character == 0 and to.character == 0 then
    return {
      first = from.line,
      last = to.line,
      old = lines_of(old, crlf),
      new = lines_of(hunk.newText, crlf),
      was = in_conflict and lines_of(hunk.oldText, crlf) or nil,
    }
  end
  local first_line, last_line = line_at(from.line), line_at(to.line)
  local prefix = first_line:sub(1, compat.byte_index(first_line, from.character, encoding))
  local suffix = last_line:sub(compat.byte_index(last_line, to.character, encoding) + 1)
  return {
    first = from.line,
    last = to.line + 1,
    old = lines_of(prefix .. old .. suffix, crlf),
    new = lines_of(prefix .. hunk.newText .. suffix, crlf),
    was = in_conflict and lines_of(prefix .. hunk.oldText .. suffix, crlf) or nil,
  }
end

--- Is a byte inside a UTF-8 character?
---@param byte integer?
local function is_continuation(byte)
  return byte ~= nil and byte >= 0x80 and byte < 0xC0
end

---@param lines string[]
---@param first integer 0-based
---@param wanted string[]
local function stands_at(lines, first, wanted)
  if first < 0 or first + #wanted > #lines then
    return false
  end
  for index, text in ipairs(wanted) do
    if lines[first + index]:gsub("\r$", "") ~= text:gsub("\r$", "") then
      return false
    end
  end
  return true
end

---@class agentq.review.Around
---@field before? string the line above a hunk
---@field after? string the line below its old text

---@param view agentq.HunkView
---@param lines string[]
---@param first integer
---@return agentq.review.Around
function M.around(view, lines, first)
  return { before = lines[first], after = lines[first + #view.old + 1] }
end

--- Where a hunk stood before its text changed, told by the lines that are left of it and around it: a mark is lost when
--- a program writes the whole buffer anew.
---@param view agentq.HunkView
---@param lines string[]
---@param guess integer
---@param around agentq.review.Around
---@return integer first the guess, unless it is wrong and another place is better
local function recover(view, lines, guess, around)
  local function score(first)
    local now = M.around(view, lines, first)
    local count = (now.before == around.before and 1 or 0) + (now.after == around.after and 1 or 0)
    for index, text in ipairs(view.old) do
      count = count + (lines[first + index] == text and 1 or 0)
    end
    return count
  end
  if score(guess) > 0 then
    return guess
  end
  local best, most = guess, 1
  for first = 0, #lines - #view.old do
    local count = score(first)
    local nearer = count == most and math.abs(first - view.first) < math.abs(best - view.first)
    if count > 1 and (count > most or nearer) then
      best, most = first, count
    end
  end
  return best
end

--- Where a hunk's old text stands in `lines` now. The mark that followed the person's edits is asked first, then the
--- place the proposal named, then a single place anywhere that holds the same text.
---@param view agentq.HunkView
---@param lines string[]
---@param marked? integer 0-based row of the mark
---@param around? agentq.review.Around as it was when the hunk was last seen
---@return integer first
---@return boolean intact false when the old text is no longer there
function M.locate(view, lines, marked, around)
  local guess = math.min(marked or view.first, #lines)
  local function lost()
    return around and recover(view, lines, guess, around) or guess
  end
  if #view.old == 0 then
    return lost(), true
  end
  for _, row in ipairs({ guess, view.first }) do
    if stands_at(lines, row, view.old) then
      return row, true
    end
  end
  local found
  for row = 0, #lines - #view.old do
    if stands_at(lines, row, view.old) then
      if found then
        return lost(), false
      end
      found = row
    end
  end
  return found or lost(), found ~= nil
end

--- The bytes in which two versions of a line differ, or nil when they share too little for it to be worth showing.
---@param old string
---@param new string
---@return integer? first 0-based byte where both begin to differ
---@return integer old_last byte after the difference in `old`
---@return integer new_last byte after the difference in `new`
function M.difference(old, new)
  local shorter = math.min(#old, #new)
  local prefix = 0
  while prefix < shorter and old:byte(prefix + 1) == new:byte(prefix + 1) do
    prefix = prefix + 1
  end
  local suffix = 0
  while suffix < shorter - prefix and old:byte(#old - suffix) == new:byte(#new - suffix) do
    suffix = suffix + 1
  end
  -- Inside a character both ends move outwards to its borders.
  while prefix > 0 and is_continuation(old:byte(prefix + 1) or new:byte(prefix + 1)) do
    prefix = prefix - 1
  end
  while suffix > 0 and is_continuation(old:byte(#old - suffix + 1)) do
    suffix = suffix - 1
  end
  if prefix + suffix < shorter / 3 then
    return nil, 0, 0
  end
  return prefix, #old - suffix, #new - suffix
end

--- The row the cursor goes to for a hunk: its first line, or the line above an insertion, where the new lines show.
---@param first integer
---@param view agentq.HunkView
---@return integer 0-based
function M.cursor_row(first, view)
  return #view.old == 0 and math.max(first - 1, 0) or first
end

--- Does a cursor on `row` stand on the hunk?
---@param row integer 0-based
---@param first integer
---@param view agentq.HunkView
function M.covers(row, first, view)
  if #view.old == 0 then
    return row == first or row == first - 1
  end
  return row >= first and row < first + #view.old
end

--- Line by line, where old and new differ, when they stand for each other.
---@param view agentq.HunkView
---@param index integer
---@return integer? first 0-based byte where they begin to differ
---@return integer? old_last
---@return integer? new_last
function M.difference_at(view, index)
  if #view.old == #view.new then
    return M.difference(view.old[index], view.new[index])
  end
end

return M
