-- What the review window shows, on plain tables: all hunks of all files, row by row.
local hunks = require("agentq.review.hunks")
local visible = require("agentq.review.visible")

local M = {}

local CONTEXT = 2

---@class agentq.review.Shown
---@field entry agentq.review.Entry
---@field hunk agentq.Hunk
---@field key string
---@field is_open boolean the hunk waits for a decision
---@field item? agentq.review.Item while the hunk waits
---@field is_reopened boolean the hunk was rejected, and waits again as part of another proposal
---@field path string as the project names the file
---@field number? integer in the head of the hunk, once the page is made
---@field view agentq.HunkView
---@field first integer 0-based row of the old text
---@field own boolean the new text is the person's
---@field fixes? string the errors that go with the hunk, in words
---@field around string[] the file's lines; empty where nobody knows them

---@class agentq.review.PageRow
---@field text string
---@field kind "title"|"file"|"head"|"label"|"context"|"current"|"old"|"new"|"blank"
---@field key? string of the hunk that the row belongs to
---@field number? integer of the line, 1-based
---@field sign? string
---@field index? integer of the line in its side of the hunk
---@field path? string

---@param count integer
---@param word string
local function counted(count, word)
  return ("%d %s%s"):format(count, word, count == 1 and "" or "s")
end

---@param shown agentq.review.Shown[]
---@return string[] paths in order
---@return table<string, agentq.review.Shown[]>
local function by_file(shown)
  local order, files = {}, {}
  for _, each in ipairs(shown) do
    if not files[each.path] then
      files[each.path] = {}
      order[#order + 1] = each.path
    end
    table.insert(files[each.path], each)
  end
  return order, files
end

---@param path string
---@param all agentq.review.Shown[]
---@return string
local function file_line(path, all)
  local added, removed, left, accepted, rejected = 0, 0, 0, 0, 0
  for _, each in ipairs(all) do
    added, removed = added + #each.view.new, removed + #(each.view.was or each.view.old)
    left = left + (each.is_open and 1 or 0)
    accepted = accepted + (hunks.is_in(each.hunk) and 1 or 0)
    rejected = rejected + (each.hunk.state == "rejected" and 1 or 0)
  end
  local parts = {}
  if accepted > 0 then
    parts[#parts + 1] = ("✓ %d"):format(accepted)
  end
  if rejected > 0 then
    parts[#parts + 1] = ("✗ %d"):format(rejected)
  end
  parts[#parts + 1] = left > 0 and ("%d left"):format(left) or "done"
  return ("  %s  +%d −%d  %s"):format(visible.text(path), added, removed, table.concat(parts, " · "))
end

--- Which hunk of all this is, and which of its file.
---@param number integer
---@param total integer
---@param path string
---@param of_file integer
---@param in_file integer
---@return string
function M.position(number, total, path, of_file, in_file)
  return ("▎hunk %d of %d · %s %d/%d"):format(number, total, visible.text(vim.fs.basename(path)), of_file, in_file)
end

---@param each agentq.review.Shown
---@param position string
---@return string
local function head_line(each, position)
  local hunk = each.hunk
  local parts = { position, each.fixes }
  parts[#parts + 1] = hunks.state_words(hunk, each.is_reopened)
  if hunk.state == "conflict" then
    parts[#parts + 1] = hunk.conflict and visible.text(hunk.conflict) or "these lines changed since"
  elseif hunk.kind ~= "edit" then
    parts[#parts + 1] = visible.text(hunk.title)
  end
  if each.own and each.is_open then
    parts[#parts + 1] = "your text"
  end
  if hunk.defaultDecision == "reject" and each.is_open then
    parts[#parts + 1] = "left out by 'all'"
  end
  return table.concat(parts, " · ")
end

---@param rows agentq.review.PageRow[]
---@param each agentq.review.Shown
---@param lines string[]
---@param kind "context"|"current"|"old"|"new"
---@param sign string
---@param first integer 0-based row of the first of the lines
local function add_lines(rows, each, lines, kind, sign, first)
  for index, line in ipairs(lines) do
    rows[#rows + 1] = {
      text = line,
      kind = kind,
      key = each.key,
      number = first + index,
      sign = sign,
      index = index,
      path = each.path,
    }
  end
end

---@param rows agentq.review.PageRow[]
---@param each agentq.review.Shown
local function add_hunk(rows, each)
  local view, first = each.view, each.first
  local before = math.min(first, CONTEXT)
  add_lines(rows, each, vim.list_slice(each.around, first - before + 1, first), "context", " ", first - before)
  local function label(words)
    rows[#rows + 1] = { text = words, kind = "label", key = each.key }
  end
  if view.was then
    label(#view.old == 0 and "now: nothing stands here" or "now:")
    add_lines(rows, each, view.old, "current", "!", first)
    label(#view.was == 0 and "it was nothing" or "it was:")
    add_lines(rows, each, view.was, "old", "-", first)
    label(each.own and "your merge:" or #view.new == 0 and "proposed: to take the lines away" or "proposed:")
  else
    add_lines(rows, each, view.old, "old", "-", first)
  end
  add_lines(rows, each, view.new, "new", "+", first)
  local after = first + #view.old
  add_lines(rows, each, vim.list_slice(each.around, after + 1, after + CONTEXT), "context", " ", after)
end

--- The rows for hunks that are in the order of their files and places.
---@param shown agentq.review.Shown[]
---@return agentq.review.PageRow[]
function M.rows(shown)
  local order, files = by_file(shown)
  local left, titles, seen = 0, {}, {}
  for _, each in ipairs(shown) do
    left = left + (each.is_open and 1 or 0)
    local title = hunks.subject(each.entry.proposal)
    if not seen[title] then
      seen[title] = true
      titles[#titles + 1] = title
    end
  end
  local waits = left == 0 and "nothing left to decide" or ("%d left to decide"):format(left)
  local rows = {}
  for _, title in ipairs(titles) do
    rows[#rows + 1] = { text = title, kind = "title" }
  end
  local sizes = ("%s · %s · %s"):format(counted(#order, "file"), counted(#shown, "hunk"), waits)
  rows[#rows + 1] = { text = sizes, kind = "label" }
  for _, path in ipairs(order) do
    local first = vim.iter(files[path]):find(function(each)
      return each.is_open
    end) or files[path][1]
    rows[#rows + 1] = { text = file_line(path, files[path]), kind = "file", key = first.key }
  end
  local number = 0
  for _, path in ipairs(order) do
    rows[#rows + 1] = { text = "", kind = "blank" }
    rows[#rows + 1] = { text = path, kind = "title", path = path }
    for index, each in ipairs(files[path]) do
      number = number + 1
      each.number = number
      rows[#rows + 1] = {
        text = head_line(each, M.position(number, #shown, path, index, #files[path])),
        kind = "head",
        key = each.key,
      }
      -- What was decided takes one row.
      if each.is_open then
        add_hunk(rows, each)
      end
    end
  end
  return rows
end

---@param rows agentq.review.PageRow[]
---@param key string
---@return integer? row 1-based, of the head of a hunk
function M.head_row(rows, key)
  for index, row in ipairs(rows) do
    if row.kind == "head" and row.key == key then
      return index
    end
  end
end

--- The lines of one side of a hunk differ from those of the other inside of a line, when they stand for each other.
---@param view agentq.HunkView
---@param row agentq.review.PageRow
---@return integer? first 0-based byte
---@return integer last exclusive
function M.difference(view, row)
  if #view.old ~= #view.new or view.was or (row.kind ~= "old" and row.kind ~= "new") then
    return nil, 0
  end
  local first, old_last, new_last = hunks.difference(view.old[row.index], view.new[row.index])
  return first, row.kind == "old" and old_last or new_last
end

return M
