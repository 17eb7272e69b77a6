-- What the person hears where no hunk waits: that none does, or that nobody can tell, because a server died.
local say = require("agentq.say")

local M = {}

--- The words alone.
---@return string
function M.words()
  if require("agentq.chat.chats").has_dead() then
    return "a server has ended; :AgentQ restart brings its hunks back"
  end
  return "no hunk waits for a decision"
end

--- Says so.
function M.say()
  say.info(M.words())
end

return M
