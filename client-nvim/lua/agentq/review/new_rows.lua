-- The new lines of a hunk as rows of virtual text, wrapped to the room there is.
local hunks = require("agentq.review.hunks")
local syntax = require("agentq.review.syntax")
local visible = require("agentq.review.visible")
local wrap = require("agentq.review.wrap")

local M = {}

---@class agentq.review.Lines
---@field count integer
---@field group string for the rest of a row
---@field chunks fun(index: integer, most: integer): [string, string][], boolean of so many bytes of a line; is it cut?

--- No character of UTF-8 has more bytes; of characters that share a cell fewer are looked at, and the rest is counted as not
--- shown.
local BYTES_OF_CELL = 4

--- The proposed lines, with what differs from the old ones.
---@param place agentq.review.Place
---@return agentq.review.Lines
local function proposed_lines(place)
  local view = place.view
  local group = place.intact and "AgentqAdd" or "AgentqHint"
  local language = place.intact and syntax.language(vim.uri_to_fname(place.item.hunk.uri)) or nil
  local spans = syntax.spans(view.new, language)
  local function chunks(index, most)
    local line = visible.beginning(view.new[index], most)
    local first, _, last = hunks.difference_at(view, index)
    local of_line = vim.list_slice(spans[index] or {})
    if first and last and place.intact and not view.was then
      of_line[#of_line + 1] = { first = first, last = last, group = "AgentqAddText" }
    end
    local parts = {}
    for _, piece in ipairs(syntax.pieces(line, group, of_line)) do
      vim.list_extend(parts, visible.chunks(piece.text, piece.group))
    end
    return parts, #line < #view.new[index]
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
    -- What no row has room for is not coloured.
    local chunks, is_cut = lines.chunks(index, (limit + 1) * room.width * BYTES_OF_CELL)
    local wrapped = wrap.rows(chunks, room.width, tabstop, limit)
    local is_last = index == lines.count
    local fits = not is_cut and #rows + #wrapped <= (is_last and limit or limit - 1)
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
function M.rows(place, bufnr, room, limit)
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
    chunks = function(index, most)
      local line = visible.beginning(was[index], most)
      return visible.chunks(line, "AgentqDelete"), #line < #was[index]
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

return M
