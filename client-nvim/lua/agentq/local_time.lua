-- When something was, as the person's own clock tells it.

---@param utc string as in "2026-11-25T20:48:01.123Z"
---@return string
return function(utc)
  -- No function of Lua or Vim reads a time of another zone than the local one.
  local read = vim.fn.strptime("%Y-%m-%dT%H:%M:%S", utc:sub(1, 19))
  local fields = os.date("!*t", read) --[[@as osdateparam]]
  fields.isdst = nil
  return os.date("%Y-%m-%d %H:%M", read + (read - os.time(fields))) --[[@as string]]
end
