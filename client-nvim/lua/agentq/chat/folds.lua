-- Details of tool calls and thoughts fold under their head line; told by the bar they begin with.
local DETAIL = require("agentq.chat.transcript").DETAIL

local M = {}

---@param lnum integer
local function is_detail(lnum)
  return vim.startswith(vim.fn.getline(lnum), DETAIL:sub(1, 3))
end

--- For 'foldexpr'.
---@param lnum integer
---@return string
function M.level(lnum)
  if is_detail(lnum) then
    return "1"
  end
  return is_detail(lnum + 1) and ">1" or "0"
end

return M
