-- Draws pending hunks into the buffer they would change: a header above, old lines highlighted, new lines as virtual
-- lines below.
local header = require("agentq.review.header")
local hunks = require("agentq.review.hunks")
local store = require("agentq.review.store")
local syntax = require("agentq.review.syntax")
local viewport = require("agentq.review.viewport")
local visible = require("agentq.review.visible")
local wrap = require("agentq.review.wrap")

local M = {}

local namespace = vim.api.nvim_create_namespace("agentq.hunks")

--- Line by line, where old and new differ, when they stand for each other.
---@param view agentq.HunkView
---@param index integer
local function difference(view, index)
  if #view.old == #view.new then
    return hunks.difference(view.old[index], view.new[index])
  end
end

---@class agentq.review.Lines
---@field count integer
---@field group string for the rest of a row
---@field chunks fun(index: integer): [string, string][]

--- The proposed lines, with what differs from the old ones.
---@param place agentq.review.Place
---@return agentq.review.Lines
local function proposed_lines(place)
  local view = place.view
  local group = place.intact and "AgentqAdd" or "AgentqHint"
  local language = place.intact and syntax.language(vim.uri_to_fname(place.item.hunk.uri)) or nil
  local spans = syntax.spans(view.new, language)
  local function chunks(index)
    local line = view.new[index]
    local first, _, last = difference(view, index)
    local of_line = vim.list_slice(spans[index] or {})
    if first and place.intact and not view.was then
      of_line[#of_line + 1] = { first = first, last = last, group = "AgentqAddText" }
    end
    local parts = {}
    for _, piece in ipairs(syntax.pieces(line, group, of_line)) do
      vim.list_extend(parts, visible.chunks(piece.text, piece.group))
    end
    return parts
  end
  return { count = #view.new, group = group, chunks = chunks }
end

--- Lines, wrapped to the room there is. Neovim shows no more virtual lines than the window has rows: what has no place
--- is counted.
---@param lines agentq.review.Lines
---@param bufnr integer
---@param room agentq.review.Viewport
---@param limit integer rows
---@return [string, string][][] rows
---@return integer left lines that are not shown
local function rows_of(lines, bufnr, room, limit)
  local rows = {}
  local tabstop = vim.bo[bufnr].tabstop
  for index = 1, lines.count do
    local wrapped = wrap.rows(lines.chunks(index), room.width, tabstop, limit)
    local is_last = index == lines.count
    local fits = #rows + #wrapped <= (is_last and limit or limit - 1)
    -- Of a first line that is too long by itself the beginning is shown.
    for _, row in ipairs(fits and wrapped or index == 1 and vim.list_slice(wrapped, 1, limit - 1) or {}) do
      local cells = 0
      for _, chunk in ipairs(row) do
        cells = cells + vim.api.nvim_strwidth(chunk[1])
      end
      -- The padding lets the background reach the edge of the window.
      row[#row + 1] = { (" "):rep(math.max(room.widest - cells, 0)), lines.group }
      rows[#rows + 1] = row
    end
    if not fits then
      return rows, lines.count - index + 1
    end
  end
  return rows, 0
end

--- The new lines; in a conflict below the lines for which they were proposed.
---@param place agentq.review.Place
---@param bufnr integer
---@param room agentq.review.Viewport
---@param limit integer rows
---@return [string, string][][] rows
---@return integer left new lines that are not shown
local function new_rows(place, bufnr, room, limit)
  local was = place.view.was
  if not was then
    return rows_of(proposed_lines(place), bufnr, room, limit)
  end
  local function title(words)
    return { { "▎", "AgentqConflict" }, { words, "AgentqConflict" } }
  end
  local old = {
    count = #was,
    group = "AgentqDelete",
    chunks = function(index)
      return visible.chunks(was[index], "AgentqDelete")
    end,
  }
  local half = math.max(math.floor(limit / 2) - 1, 2)
  local shown, hidden = rows_of(old, bufnr, room, half)
  local more = hidden > 0 and (", %d lines more"):format(hidden) or ""
  local rows = { title(#was == 0 and "nothing was here" or ("it was%s:"):format(more)) }
  vim.list_extend(rows, shown)
  local whose = place.own and "your merge" or "proposed"
  rows[#rows + 1] = title(whose .. (#place.view.new == 0 and ": to take the lines away" or ":"))
  local new, left = rows_of(proposed_lines(place), bufnr, room, math.max(limit - #rows, 2))
  return vim.list_extend(rows, new), left
end

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

---@param bufnr integer
---@return agentq.review.Drawing
local function drawing_of(bufnr)
  local alone = store.count() == 1
  local some = { "accept", "reject", "edit" }
  local all = { "accept", "reject", "edit", "accept_all", "reject_all" }
  return {
    bufnr = bufnr,
    room = viewport.of(bufnr),
    hints = header.hints(bufnr, alone and some or vim.list_extend({ "next" }, all)),
    hints_of_several = header.hints(bufnr, vim.list_extend({ "split" }, alone and some or all)),
    hints_of_conflict = header.hints(bufnr, { "accept", "reject", "edit" }, true),
    hints_of_merge = header.hints(bufnr, { "accept", "reject", "edit" }),
    hints_when_changed = header.hints(bufnr, { "reject", "edit" }),
  }
end

---@param place agentq.review.Place
---@param drawing agentq.review.Drawing
---@return [string, string][][] head
---@return [string, string][][] new lines
---@return integer left new lines that are not shown
local function virtual_lines(place, drawing)
  local room = drawing.room
  local several = place.item.hunk.kind == "edit" and (#place.view.old > 1 or #place.view.new > 1)
  local in_conflict = place.item.hunk.state == "conflict"
  local hints = in_conflict and (place.own and drawing.hints_of_merge or drawing.hints_of_conflict)
    or not place.intact and drawing.hints_when_changed
    or several and drawing.hints_of_several
    or drawing.hints
  local function head_of(left)
    return header.rows(place.item, room.width, facts(place, left), hints)
  end
  local function below(head)
    -- The line above the virtual ones shows with them.
    return new_rows(place, drawing.bufnr, room, math.max(room.height - #head - 1, 2))
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

--- How many rows the virtual lines of a hunk take: below its old text, and above it.
---@param bufnr integer
---@param place agentq.review.Place
---@return integer below
---@return integer above
---@return integer left new lines that are not shown
function M.height(bufnr, place)
  local head, rows, left = virtual_lines(place, drawing_of(bufnr))
  if #place.view.old == 0 then
    return #head + #rows, 0, left
  end
  return #rows, #head, left
end

---@param bufnr integer
function M.clear(bufnr)
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  viewport.forget(bufnr)
  viewport.show_above(bufnr, {})
end

--- Highlights the lines that a hunk takes away.
---@param bufnr integer
---@param place agentq.review.Place
---@return integer last the row below which the new lines stand
local function draw_change(bufnr, place)
  local count = vim.api.nvim_buf_line_count(bufnr)
  local first = math.min(place.first, count - 1)
  local last = place.intact and place.first + #place.view.old or first + 1
  local group = place.view.was and "AgentqCurrent" or "AgentqDelete"
  for row = first, place.intact and last - 1 or -1 do
    -- Not the group of the whole line, whose background would cover what differs inside of it.
    vim.api.nvim_buf_set_extmark(bufnr, namespace, row, 0, {
      end_row = row + 1,
      end_col = 0,
      hl_group = group,
      hl_eol = true,
      strict = false,
      priority = 150,
    })
    local from, to = difference(place.view, row - first + 1)
    if from and not place.view.was then
      vim.api.nvim_buf_set_extmark(bufnr, namespace, row, from, {
        end_col = to,
        hl_group = "AgentqDeleteText",
        strict = false,
        priority = 160,
      })
    end
  end
  return last - 1
end

--- Draws a buffer that no window shows as soon as one does.
---@param bufnr integer
---@param redraw fun(bufnr: integer)
function M.later(bufnr, redraw)
  viewport.watch(bufnr, { width = 0, widest = 0, height = 0 }, redraw)
end

---@class agentq.review.Hanging
---@field row integer
---@field above boolean
---@field rows [string, string][][]

--- Adds virtual lines to those that hang on the same row already: editors draw several marks of a row in no certain order.
---@param all agentq.review.Hanging[]
---@param row integer
---@param above boolean
---@param rows [string, string][][]
local function hang(all, row, above, rows)
  for _, hanging in ipairs(all) do
    if hanging.row == row and hanging.above == above then
      vim.list_extend(hanging.rows, rows)
      return
    end
  end
  all[#all + 1] = { row = row, above = above, rows = vim.list_slice(rows) }
end

---@param bufnr integer
---@param places agentq.review.Place[]
---@param redraw fun(bufnr: integer) for another size of a window
function M.draw(bufnr, places, redraw)
  require("agentq.highlights").define()
  M.clear(bufnr)
  local drawing = drawing_of(bufnr)
  local hanging, last_row = {}, vim.api.nvim_buf_line_count(bufnr) - 1
  for _, place in ipairs(places) do
    local head, rows = virtual_lines(place, drawing)
    if #place.view.old == 0 then
      hang(hanging, math.max(place.first - 1, 0), place.first == 0, vim.list_extend(vim.list_slice(head), rows))
    else
      hang(hanging, math.min(place.first, last_row), true, head)
      hang(hanging, draw_change(bufnr, place), false, rows)
    end
  end
  local above = {}
  for _, each in ipairs(hanging) do
    vim.api.nvim_buf_set_extmark(bufnr, namespace, each.row, 0, {
      virt_lines = each.rows,
      virt_lines_above = each.above,
      priority = 150,
    })
    above[each.row] = each.above and #each.rows or above[each.row]
  end
  viewport.show_above(bufnr, above)
  viewport.watch(bufnr, drawing.room, redraw)
end

return M
