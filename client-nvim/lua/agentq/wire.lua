-- Values of JSON as Lua code expects them.
local M = {}

--- Takes every null out of a value, since null means absence. Neovim 0.11 and newer decode null as a userdata, which is
--- true in a condition.
---@generic T
---@param value T
---@return T
function M.without_null(value)
  if value == vim.NIL then
    return nil
  end
  if type(value) == "table" then
    for key, inner in pairs(value) do
      if inner == vim.NIL then
        value[key] = nil
      elseif type(inner) == "table" then
        M.without_null(inner)
      end
    end
  end
  return value
end

--- A text that the protocol leaves out where it is empty.
---@param text string
---@return string?
function M.optional(text)
  return text ~= "" and text or nil
end

return M
