-- Draws pending hunks into the buffer they would change: old lines highlighted, new lines as virtual lines below.
local header = require("agentq.review.header")
local hunks = require("agentq.review.hunks")
local store = require("agentq.review.store")
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

---@param place agentq.review.Place
---@param index integer of the new line
---@return [string, string][]
local function line_chunks(place, index)
  local line = place.view.new[index]
  local group = place.intact and "AgentqAdd" or "AgentqHint"
  local first, _, last = difference(place.view, index)
  if not first or not place.intact then
    return visible.chunks(line, group)
  end
  local chunks = visible.chunks(line:sub(1, first), group)
  vim.list_extend(chunks, visible.chunks(line:sub(first + 1, last), "AgentqAddText"))
  return vim.list_extend(chunks, visible.chunks(line:sub(last + 1), group))
end

--- The new lines, wrapped to the room there is. Neovim shows no more virtual lines than the window has rows: what has
--- no place is counted.
---@param place agentq.review.Place
---@param bufnr integer
---@param room agentq.review.Viewport
---@param limit integer rows
---@return [string, string][][] rows
---@return integer left lines that are not shown
local function new_rows(place, bufnr, room, limit)
  local rows = {}
  local tabstop = vim.bo[bufnr].tabstop
  for index = 1, #place.view.new do
    local wrapped = wrap.rows(line_chunks(place, index), room.width, tabstop, limit)
    local is_last = index == #place.view.new
    local fits = #rows + #wrapped <= (is_last and limit or limit - 1)
    -- Of a first line that is too long by itself the beginning is shown.
    for _, row in ipairs(fits and wrapped or index == 1 and vim.list_slice(wrapped, 1, limit - 1) or {}) do
      local cells = 0
      for _, chunk in ipairs(row) do
        cells = cells + vim.api.nvim_strwidth(chunk[1])
      end
      -- The padding lets the background reach the edge of the window.
      row[#row + 1] = { (" "):rep(math.max(room.widest - cells, 0)), place.intact and "AgentqAdd" or "AgentqHint" }
      rows[#rows + 1] = row
    end
    if not fits then
      return rows, #place.view.new - index + 1
    end
  end
  return rows, 0
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
  if not place.intact then
    parts[#parts + 1] = { "these lines changed: it cannot be applied; this was proposed", "AgentqConflict" }
  elseif place.own then
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

---@param bufnr integer
---@return agentq.review.Drawing
local function drawing_of(bufnr)
  local alone = #store.pending() == 1
  local some = { "accept", "reject", "edit" }
  local all = { "accept", "reject", "edit", "accept_all", "reject_all" }
  return {
    bufnr = bufnr,
    room = viewport.of(bufnr),
    hints = header.hints(bufnr, alone and some or vim.list_extend({ "next" }, all)),
    hints_of_several = header.hints(bufnr, vim.list_extend({ "split" }, alone and some or all)),
    hints_of_conflict = header.hints(bufnr, { "reject", "edit" }),
  }
end

---@param place agentq.review.Place
---@param drawing agentq.review.Drawing
---@return [string, string][][] head
---@return [string, string][][] new lines
local function virtual_lines(place, drawing)
  local room = drawing.room
  local several = place.item.hunk.kind == "edit" and (#place.view.old > 1 or #place.view.new > 1)
  local hints = several and drawing.hints_of_several or drawing.hints
  hints = place.intact and hints or drawing.hints_of_conflict
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
  return head, rows
end

--- Below more old lines than the window has rows nobody would see how to answer: the header stands above them too.
---@param place agentq.review.Place
---@param room agentq.review.Viewport
---@param head [string, string][][]
local function is_long(place, room, head)
  return place.intact and #place.view.old > room.height - #head
end

--- How many rows the virtual lines of a hunk take: below its old text, and above it.
---@param bufnr integer
---@param place agentq.review.Place
---@return integer below
---@return integer above
function M.height(bufnr, place)
  local drawing = drawing_of(bufnr)
  local head, rows = virtual_lines(place, drawing)
  return #head + #rows, is_long(place, drawing.room, head) and #head or 0
end

---@param bufnr integer
function M.clear(bufnr)
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  viewport.forget(bufnr)
  viewport.show_above(bufnr, 0)
end

--- Highlights the lines that a hunk takes away.
---@param bufnr integer
---@param place agentq.review.Place
---@return integer last the row below which the new lines stand
local function draw_change(bufnr, place)
  local count = vim.api.nvim_buf_line_count(bufnr)
  local first = math.min(place.first, count - 1)
  local last = place.intact and place.first + #place.view.old or first + 1
  for row = first, place.intact and last - 1 or -1 do
    -- Not the group of the whole line, whose background would cover what differs inside of it.
    vim.api.nvim_buf_set_extmark(bufnr, namespace, row, 0, {
      end_row = row + 1,
      end_col = 0,
      hl_group = "AgentqDelete",
      hl_eol = true,
      strict = false,
      priority = 150,
    })
    local from, to = difference(place.view, row - first + 1)
    if from then
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
  local above, hanging = 0, {}
  for _, place in ipairs(places) do
    local head, rows = virtual_lines(place, drawing)
    local all = vim.list_extend(vim.list_slice(head), rows)
    if #place.view.old == 0 then
      hang(hanging, math.max(place.first - 1, 0), place.first == 0, all)
      above = above + (place.first == 0 and #all or 0)
    else
      hang(hanging, draw_change(bufnr, place), false, all)
    end
    if is_long(place, drawing.room, head) then
      hang(hanging, place.first, true, head)
      above = above + (place.first == 0 and #head or 0)
    end
  end
  for _, each in ipairs(hanging) do
    vim.api.nvim_buf_set_extmark(bufnr, namespace, each.row, 0, {
      virt_lines = each.rows,
      virt_lines_above = each.above,
      priority = 150,
    })
  end
  viewport.show_above(bufnr, above)
  viewport.watch(bufnr, drawing.room, redraw)
end

return M
