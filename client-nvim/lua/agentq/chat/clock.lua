-- How long a turn has been running, and a tick for every second of it.
local M = {}

local TICK_MS = 1000

---@class agentq.chat.Clock
---@field began? number when the turn began
---@field timer? uv.uv_timer_t
local Clock = {}
Clock.__index = Clock

---@return agentq.chat.Clock
function M.new()
  return setmetatable({}, Clock)
end

---@param tick fun() called once in a second until the clock stops
function Clock:start(tick)
  self:stop()
  self.began = vim.uv.now()
  self.timer = vim.uv.new_timer()
  self.timer:start(
    TICK_MS,
    TICK_MS,
    vim.schedule_wrap(function()
      if self.began then
        tick()
      end
    end)
  )
end

function Clock:stop()
  self.began = nil
  if self.timer then
    self.timer:close()
    self.timer = nil
  end
end

---@return integer? seconds nil where nothing runs
function Clock:seconds()
  return self.began and math.floor((vim.uv.now() - self.began) / 1000)
end

return M
