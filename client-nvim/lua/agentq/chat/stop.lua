-- The key that stops a turn.
local M = {}

--- Stops the turn; what waits for the person is not taken away before they were asked.
---@param chat agentq.Chat
function M.stop(chat)
  if chat:state() == "idle" then
    return require("agentq.say").info("nothing is running")
  end
  local loss = require("agentq.chat.waiting").loss(chat.client_id)
  local question = loss and ("%s waiting for your decision: stop the turn and withdraw that?"):format(loss)
  if not question or vim.fn.confirm(question, "&Yes\n&No", 2) == 1 then
    chat:cancel()
  end
end

return M
