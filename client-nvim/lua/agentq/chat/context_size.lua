-- How full the model's context is, in a word for the line above the transcript.
local M = {}

---@param event agentq.TurnEvent
---@return integer? tokens
---@return boolean? is_estimate
local function tokens_of(event)
  if event.kind == "compacted" or event.kind == "compactionUndone" then
    return event.tokens, true
  end
  -- A summary is written in a context of its own.
  if event.kind ~= "usage" or event.purpose then
    return nil
  end
  return event.inputTokens + event.cacheReadTokens + event.cacheWriteTokens + event.outputTokens
end

--- "ctx 43 %", "ctx ~43 %" for an estimate, "ctx 86k" where nobody knows the window; nil where the event says nothing.
---@param event agentq.TurnEvent
---@return string?
function M.words(event)
  local tokens, is_estimate = tokens_of(event)
  if not tokens then
    return nil
  end
  local mark = is_estimate and "~" or ""
  if event.contextWindow then
    return ("ctx %s%d %%"):format(mark, math.floor(tokens / event.contextWindow * 100 + 0.5))
  end
  return ("ctx %s%dk"):format(mark, math.ceil(tokens / 1000))
end

return M
