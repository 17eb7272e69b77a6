-- The lines above the windows of a chat: what goes on, what that fills and costs, who answers, and what waits.
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

--- How full the model's context is: "ctx 43 %", "ctx ~43 %" for an estimate, "ctx 86k" where nobody knows the window; nil
--- where the event says nothing.
---@param event agentq.TurnEvent
---@return string?
local function context_words(event)
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

--- Which model answers, how full its context is, and what the conversation has cost.
---@param chat agentq.Chat
---@param event agentq.TurnEvent
function M.note_answer(chat, event)
  chat.model = event.kind == "usage" and not event.purpose and event.model or chat.model
  chat.context_size = context_words(event) or chat.context_size
  if event.kind == "usage" then
    chat.cost = event.sessionCost
  end
end

--- What goes on, what that fills and costs, who answers, and the name. A narrow window cuts the end.
---@param chat agentq.Chat
---@return string[]
local function summary(chat)
  local seconds = chat:working_seconds()
  local parts = { chat.has_died and "no server: :AgentQ restart" or chat:state() }
  vim.list_extend(parts, { require("agentq.chat.queue").words(chat.waiting) })
  vim.list_extend(parts, { seconds and seconds > 0 and ("%d s"):format(seconds) or nil })
  vim.list_extend(parts, { chat.context_size })
  if chat.cost and chat.cost > 0 then
    parts[#parts + 1] = (chat.cost < 0.1 and "$%.4f" or "$%.2f"):format(chat.cost)
  end
  vim.list_extend(parts, { chat.model })
  vim.list_extend(parts, { chat.name })
  return parts
end

--- The lines above the windows and the status lines: what goes on, and while something waits for the person, how to answer.
---@param chat agentq.Chat
function M.refresh(chat)
  local waiting = require("agentq.chat.waiting")
  -- A narrow window cuts the end: what matters then stands first.
  local parts = vim.list_extend({ waiting.words(chat.client_id) }, summary(chat))
  local text = require("agentq.review.visible").text(table.concat(parts, " · "))
  local input = require("agentq.chat.input").known(chat)
  local keys = waiting.keys(chat.client_id)
  if vim.b[chat.bufnr].agentq_state ~= text or input and vim.b[input].agentq_keys ~= keys then
    vim.b[chat.bufnr].agentq_state = text
    if input then
      vim.b[input].agentq_keys = keys
    end
    vim.cmd.redrawstatus({ bang = true })
  end
end

return M
