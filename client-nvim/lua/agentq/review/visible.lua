-- Writes out characters that are invisible or that reorder the visible text, so that nobody accepts them unseen.
local M = {}

---@type [integer, integer][] first and last code point
local HIDDEN = {
  { 0x00, 0x08 },
  { 0x0A, 0x1F },
  { 0x7F, 0x9F },
  { 0xAD, 0xAD },
  { 0x34F, 0x34F },
  { 0x61C, 0x61C },
  { 0x115F, 0x1160 },
  { 0x17B4, 0x17B5 },
  { 0x180B, 0x180F },
  { 0x200B, 0x200F },
  { 0x2028, 0x202E },
  { 0x2060, 0x206F },
  { 0x2800, 0x2800 },
  { 0x3164, 0x3164 },
  { 0xFE00, 0xFE0F },
  { 0xFEFF, 0xFEFF },
  { 0xFFA0, 0xFFA0 },
  { 0xFFF0, 0xFFFB },
  { 0x1BCA0, 0x1BCA3 },
  { 0x1D173, 0x1D17A },
  { 0xE0000, 0xE0FFF },
}

--- Joiners: they belong into emoji and into the words of some scripts, and only hide elsewhere.
local JOINING = { [0x200C] = true, [0x200D] = true, [0xFE0F] = true }

---@param code integer
---@param joins boolean the character before it may be joined
local function is_hidden(code, joins)
  if joins and JOINING[code] then
    return false
  end
  for _, range in ipairs(HIDDEN) do
    if code >= range[1] and code <= range[2] then
      return true
    end
  end
  return false
end

--- The places of such characters in a text.
---@param text string
---@return {first: integer, last: integer, name: string}[] bytes, 1-based and inclusive
function M.hidden(text)
  local found = {}
  -- Most text is plain: only bytes that may belong to such a character are worth the look.
  if not text:find("[%z\1-\8\10-\31\127-\255]") then
    return found
  end
  local starts, joins = vim.str_utf_pos(text), false
  for index, first in ipairs(starts) do
    local last = (starts[index + 1] or #text + 1) - 1
    local code = text:byte(first) == 0 and 0 or vim.fn.char2nr(text:sub(first, last))
    if is_hidden(code, joins) then
      found[#found + 1] = { first = first, last = last, name = ("<U+%04X>"):format(code) }
      joins = false
    else
      joins = code >= 0xA0
    end
  end
  return found
end

--- A text in pieces of one highlight group each, with such characters written out.
---@param text string
---@param group string
---@return [string, string][]
function M.chunks(text, group)
  local chunks, at = {}, 1
  for _, place in ipairs(M.hidden(text)) do
    if place.first > at then
      chunks[#chunks + 1] = { text:sub(at, place.first - 1), group }
    end
    chunks[#chunks + 1] = { place.name, "AgentqHidden" }
    at = place.last + 1
  end
  if at <= #text then
    chunks[#chunks + 1] = { text:sub(at), group }
  end
  return chunks
end

--- The same as one text.
---@param text string
---@return string
function M.text(text)
  return table.concat(vim.tbl_map(function(chunk)
    return chunk[1]
  end, M.chunks(text, "")))
end

return M
