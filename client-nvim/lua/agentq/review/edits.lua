-- Text edits on plain text: what a document must read after them, and which lines differ.
local compat = require("agentq.compat")

local M = {}

---@param text string
---@return integer[] byte offset of each line's first byte, 0-based
local function line_starts(text)
  local starts = { 0 }
  local at = text:find("\n", 1, true)
  while at do
    starts[#starts + 1] = at
    at = text:find("\n", at + 1, true)
  end
  return starts
end

---@param text string
---@param starts integer[]
---@param position lsp.Position
---@param encoding "utf-8"|"utf-16"|"utf-32"
local function offset_of(text, starts, position, encoding)
  local start = starts[position.line + 1]
  if not start then
    return #text
  end
  local line = text:sub(start + 1, (starts[position.line + 2] or #text + 1) - 1)
  return start + compat.byte_index(line:gsub("\r?\n?$", ""), position.character, encoding)
end

--- The text after `edits`, whose ranges all speak of `text` as it is.
---@param text string
---@param edits lsp.TextEdit[]
---@param encoding "utf-8"|"utf-16"|"utf-32"
---@return string
function M.apply(text, edits, encoding)
  local starts = line_starts(text)
  local placed = {}
  for index, edit in ipairs(edits) do
    placed[index] = {
      index = index,
      first = offset_of(text, starts, edit.range.start, encoding),
      last = offset_of(text, starts, edit.range["end"], encoding),
      new = edit.newText,
    }
  end
  table.sort(placed, function(a, b)
    return a.first == b.first and a.index < b.index or a.first < b.first
  end)
  local parts, at = {}, 0
  for _, edit in ipairs(placed) do
    parts[#parts + 1] = text:sub(at + 1, edit.first)
    parts[#parts + 1] = edit.new
    at = edit.last
  end
  parts[#parts + 1] = text:sub(at + 1)
  return table.concat(parts)
end

--- The stretches of lines that differ, last first, so that they can be replaced one after the other.
---@param old string[]
---@param new string[]
---@return {first: integer, last: integer, lines: string[]}[] 0-based, `last` exclusive
function M.line_changes(old, new)
  ---@diagnostic disable-next-line: deprecated -- the name in 0.10
  local diff = vim.text.diff or vim.diff
  local indices = diff(table.concat(old, "\n") .. "\n", table.concat(new, "\n") .. "\n", { result_type = "indices" })
  ---@cast indices integer[][]
  local changes = {}
  for index = #indices, 1, -1 do
    local old_start, old_count, new_start, new_count = unpack(indices[index])
    -- A count of 0 names the line before the stretch.
    local first = old_count == 0 and old_start or old_start - 1
    changes[#changes + 1] = {
      first = first,
      last = first + old_count,
      lines = vim.list_slice(new, new_start, new_start + new_count - 1),
    }
  end
  return changes
end

return M
