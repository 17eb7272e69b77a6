-- Pieces of text wrapped into rows of a width: virtual lines do not wrap by themselves.
local M = {}

local SIGN = { "↪ ", "AgentqHint" }
local SIGN_WIDTH = 2

--- Rows of at most `width` cells; what goes on in the next row begins with a sign there.
---@param chunks [string, string][] text and highlight group
---@param width integer
---@param tabstop? integer
---@param most? integer rows after which nobody looks any more
---@return [string, string][][] at least one row
function M.rows(chunks, width, tabstop, most)
  width = math.max(width, 8)
  local rows, row, used, column = {}, {}, 0, 0
  local function put(text, group, cells)
    if used + cells > width then
      rows[#rows + 1] = row
      row, used = { SIGN }, SIGN_WIDTH
    end
    local last = row[#row]
    if last and last ~= SIGN and last[2] == group then
      last[1] = last[1] .. text
    else
      row[#row + 1] = { text, group }
    end
    used, column = used + cells, column + cells
  end
  for _, chunk in ipairs(chunks) do
    local text, group = chunk[1], chunk[2]
    if most and #rows >= most then
      break
    elseif most and #text > (most + 1) * width then
      text = vim.fn.strcharpart(text, 0, (most + 1) * width)
    end
    if not text:find("[^\32-\126]") then
      -- A byte is a cell here, and what fits a row goes there at once.
      local at = 1
      repeat
        local room = used < width and width - used or width - SIGN_WIDTH
        local piece = text:sub(at, at + room - 1)
        put(piece, group, #piece)
        at = at + room
      until at > #text
    else
      for _, character in ipairs(vim.fn.split(text, "\\zs")) do
        if character == "\t" then
          character = (" "):rep((tabstop or 8) - column % (tabstop or 8))
        end
        put(character, group, vim.api.nvim_strwidth(character))
      end
    end
  end
  rows[#rows + 1] = row
  return rows
end

--- Parts, none of which is broken while it fits a row, joined by a separator.
---@param parts [string, string][]
---@param separator string
---@param width integer
---@return [string, string][][]
function M.parts(parts, separator, width)
  local rows, row, used = {}, {}, 0
  for _, part in ipairs(parts) do
    local cells = vim.api.nvim_strwidth(part[1])
    local gap = #row > 0 and vim.api.nvim_strwidth(separator) or 0
    if #row > 0 and used + gap + cells > width then
      vim.list_extend(rows, M.rows(row, width))
      row, used, gap = {}, 0, 0
    end
    if gap > 0 then
      row[#row + 1] = { separator, part[2] }
    end
    row[#row + 1] = part
    used = used + gap + cells
  end
  vim.list_extend(rows, M.rows(row, width))
  return rows
end

return M
