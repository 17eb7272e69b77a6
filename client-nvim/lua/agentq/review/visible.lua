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
  { 0xFDD0, 0xFDEF },
  { 0xFE00, 0xFE0F },
  { 0xFEFF, 0xFEFF },
  { 0xFFA0, 0xFFA0 },
  { 0xFFF0, 0xFFFB },
  { 0xFFFE, 0xFFFF },
  { 0x13430, 0x1343F },
  { 0x16FE4, 0x16FE4 },
  { 0x1BCA0, 0x1BCA3 },
  { 0x1D159, 0x1D159 },
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

---@class agentq.review.Hidden
---@field first integer byte, 1-based
---@field last integer inclusive
---@field name string

--- Most text is plain: only bytes that may belong to such a character are worth the look.
local WORTH_A_LOOK = "[%z\1-\8\10-\31\127-\255]"

--- The places of such characters in a text.
---@param text string
---@return agentq.review.Hidden[]
function M.hidden(text)
  local found, at, joins = {}, 1, false
  local first = text:find(WORTH_A_LOOK)
  while first do
    -- Neovim's own functions end a text at a NUL.
    local _, last = text:find("^[%z\1-\255][\128-\191]*", first)
    local code = text:byte(first) == 0 and 0 or vim.fn.char2nr(text:sub(first, last))
    if is_hidden(code, joins and first == at) then
      found[#found + 1] = { first = first, last = last, name = ("<U+%04X>"):format(code) }
      joins = false
    else
      joins = code >= 0xA0
    end
    at = last + 1
    first = text:find(WORTH_A_LOOK, at)
  end
  return found
end

--- Writes such characters out beside where they stand in a buffer.
---@param bufnr integer
---@param namespace integer of the marks
function M.write_out(bufnr, namespace)
  for row, line in ipairs(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)) do
    for _, place in ipairs(M.hidden(line)) do
      vim.api.nvim_buf_set_extmark(bufnr, namespace, row - 1, place.first - 1, {
        virt_text = { { place.name, "AgentqHidden" } },
        virt_text_pos = "inline",
      })
    end
  end
end

--- A text in pieces of one highlight group each, with such characters written out.
---@param text string
---@param group string|string[]
---@return [string, string|string[]][]
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

--- The beginning of a text, of at most so many bytes and of whole characters.
---@param text string
---@param most integer
---@return string
function M.beginning(text, most)
  while #text > most and (text:byte(most + 1) or 0) >= 0x80 and text:byte(most + 1) < 0xC0 and most > 0 do
    most = most - 1
  end
  return text:sub(1, most)
end

--- The beginning of a text, of at most so many characters on one line, with such characters written out.
---@param text string
---@param most integer
---@return string
function M.short(text, most)
  -- A text may be very long, and blanks and what is written out change how long it is.
  local line = M.text(vim.trim((text:sub(1, 16 * most):gsub("%s+", " "))))
  local is_cut = #text > 16 * most or vim.fn.strchars(line) > most
  return is_cut and vim.fn.strcharpart(line, 0, most - 1) .. "…" or line
end

return M
