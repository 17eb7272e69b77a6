-- The lines above the windows of a chat: what goes on, what that fills and costs, who answers, and what waits.
local context_size = require("agentq.chat.context_size")

local M = {}

--- Which model answers, how full its context is, and what the conversation has cost.
---@param chat agentq.Chat
---@param event agentq.TurnEvent
function M.note_answer(chat, event)
  chat.model = event.kind == "usage" and not event.purpose and event.model or chat.model
  chat.context_size = context_size.words(event) or chat.context_size
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
