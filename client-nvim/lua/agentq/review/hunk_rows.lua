-- What is seen of a hunk beside the lines of its file: the rows of its header, and below them those of its new lines.
local header = require("agentq.review.header")
local new_rows = require("agentq.review.new_rows")
local store = require("agentq.review.store")
local viewport = require("agentq.review.viewport")
local visible = require("agentq.review.visible")
local wrap = require("agentq.review.wrap")

local M = {}

--- What a header says beside the keys.
---@param place agentq.review.Place
---@param left integer
---@return [string, string][]
local function facts(place, left)
  local parts = {}
  local kind = place.item.hunk.kind
  if kind == "rename" or kind == "delete" then
    parts[#parts + 1] = { visible.text(place.item.hunk.title), "AgentqHunk" }
  elseif place.item.hunk.defaultDecision == "reject" then
    parts[#parts + 1] = { "left out by 'all'", "AgentqHunk" }
  end
  if place.item.hunk.state == "conflict" then
    local why = place.item.hunk.conflict
    parts[#parts + 1] = { why and visible.text(why) or "these lines changed since", "AgentqConflict" }
  elseif not place.intact then
    parts[#parts + 1] = { "these lines changed: it cannot be applied; this was proposed", "AgentqConflict" }
  end
  if place.own and not place.view.was then
    parts[#parts + 1] = { "your text", "AgentqHunk" }
  end
  if left > 0 then
    parts[#parts + 1] = { ("%d of %d new lines are not shown"):format(left, #place.view.new), "AgentqConflict" }
  end
  local old, new = place.item.hunk.oldText, place.item.hunk.newText
  if old ~= "" and new ~= "" and vim.endswith(old, "\n") ~= vim.endswith(new, "\n") then
    local words = vim.endswith(new, "\n") and "adds the newline at the end" or "takes the newline at the end away"
    parts[#parts + 1] = { words, "AgentqHunk" }
  end
  return parts
end

---@class agentq.review.Drawing
---@field bufnr integer
---@field room agentq.review.Viewport
---@field hints [string, string][] of a hunk that can be accepted
---@field hints_of_several [string, string][] of a hunk of several lines
---@field hints_of_conflict [string, string][]
---@field hints_of_merge [string, string][] of a conflict for which the person wrote a text
---@field hints_when_changed [string, string][] before the server has said what became of the hunk
---@field signature string changes with all of that
---@field told table<agentq.review.Entry, string> signatures of what is said of whole proposals
---@field focus table<string, true> the hunks that say what to press, by hunk key

--- What all hunks of a buffer have in common.
---@param bufnr integer
---@param focus table<string, true> the hunks that say what to press, by hunk key
---@return agentq.review.Drawing
function M.drawing(bufnr, focus)
  local alone = store.count() == 1
  local some = { "accept", "reject", "edit" }
  local all = { "accept", "reject", "edit", "accept_all", "reject_all" }
  local drawing = {
    bufnr = bufnr,
    room = viewport.of(bufnr),
    hints = header.hints(bufnr, alone and some or vim.list_extend({ "next" }, all)),
    hints_of_several = header.hints(bufnr, vim.list_extend({ "split" }, alone and some or all)),
    hints_of_conflict = header.hints(bufnr, { "accept", "reject", "edit" }, true),
    hints_of_merge = header.hints(bufnr, { "accept", "reject", "edit" }),
    hints_when_changed = header.hints(bufnr, { "reject", "edit" }),
    told = {},
    focus = focus,
  }
  local room, keys = drawing.room, { header.how(bufnr, "next"), header.how(bufnr, "split"), header.how(bufnr, "edit") }
  local parts = { bufnr, vim.bo[bufnr].tabstop, tostring(alone), room.width, room.widest, room.height }
  vim.list_extend(parts, keys)
  for _, hint in ipairs(drawing.hints_of_several) do
    parts[#parts + 1] = hint[1]
  end
  drawing.signature = table.concat(parts, "\n")
  return drawing
end

---@param place agentq.review.Place
---@param drawing agentq.review.Drawing
---@return [string, string][][] head
---@return [string, string][][] new lines
---@return integer left new lines that are not shown
local function make(place, drawing)
  local room = drawing.room
  local several = place.item.hunk.kind == "edit" and (#place.view.old > 1 or #place.view.new > 1)
  local in_conflict = place.item.hunk.state == "conflict"
  local hints = in_conflict and (place.own and drawing.hints_of_merge or drawing.hints_of_conflict)
    or not place.intact and drawing.hints_when_changed
    or several and drawing.hints_of_several
    or drawing.hints
  local function head_of(left)
    return header.rows(place.item, room.width, facts(place, left), drawing.focus[place.item.key] and hints or {})
  end
  local function below(head)
    -- The line above the virtual ones shows with them.
    return new_rows.rows(place, drawing.bufnr, room, math.max(room.height - #head - 1, 2))
  end
  local head = head_of(0)
  local rows, left = below(head)
  if left > 0 then
    -- What the header says of it may take a row more.
    rows, left = below(head_of(left))
    head = head_of(left)
    local words = left == 1 and "… %d more line: %s shows it" or "… %d more lines: %s shows them"
    local more = words:format(left, header.how(drawing.bufnr, "edit"))
    vim.list_extend(rows, wrap.rows({ { more, "AgentqConflict" } }, room.width))
  end
  return head, rows, left
end

---@class agentq.review.Made
---@field signature string of all that the rows tell beside the lines
---@field view agentq.HunkView
---@field head [string, string][][]
---@field rows [string, string][][]
---@field left integer

---@type table<integer, table<string, agentq.review.Made>> by buffer, by hunk key
local made = {}

--- No hunk of a buffer is shown any more.
---@param bufnr integer
function M.forget(bufnr)
  made[bufnr] = nil
end

---@param place agentq.review.Place
---@param drawing agentq.review.Drawing
---@return string
local function signature(place, drawing)
  local item = place.item
  local hunk = item.hunk
  drawing.told[item.entry] = drawing.told[item.entry] or header.signature(item.entry)
  return table.concat({
    drawing.signature,
    drawing.told[item.entry],
    header.item_signature(item),
    ("%d %d %d %d %d"):format(item.number, item.total, item.of_file, item.in_file, item.conflicts),
    hunk.state,
    hunk.conflict or "",
    hunk.defaultDecision or "",
    tostring(place.intact),
    tostring(place.own),
    tostring(drawing.focus[item.key]),
  }, "\n")
end

--- The rows of a hunk. They stay the same tables as long as they tell the same.
---@param place agentq.review.Place
---@param drawing agentq.review.Drawing
---@return [string, string][][] head
---@return [string, string][][] new lines
---@return integer left new lines that are not shown
function M.of(place, drawing)
  local of_buffer, key = made[drawing.bufnr] or {}, place.item.key
  made[drawing.bufnr] = of_buffer
  local known, now = of_buffer[key], signature(place, drawing)
  if not known or known.signature ~= now or known.view ~= place.view then
    local head, rows, left = make(place, drawing)
    known = { signature = now, view = place.view, head = head, rows = rows, left = left }
    of_buffer[key] = known
  end
  return known.head, known.rows, known.left
end

--- How many rows the virtual lines of a hunk take: below its old text, and above it.
---@param bufnr integer
---@param place agentq.review.Place
---@return integer below
---@return integer above
---@return integer left new lines that are not shown
function M.height(bufnr, place)
  local head, rows, left = M.of(place, M.drawing(bufnr, { [place.item.key] = true }))
  if #place.view.old == 0 then
    return #head + #rows, 0, left
  end
  return #rows, #head, left
end

return M
