-- Messages that wait for the running turn: seen, edited in their place, taken back into the message window.
local client = require("agentq.client")
local compat = require("agentq.compat")
local draft = require("agentq.draft")
local say = require("agentq.say")
local visible = require("agentq.review.visible")

local M = {}

---@param prompts agentq.QueuedPrompt[]
---@return integer waiting
---@return integer held that no turn takes any more
local function count(prompts)
  local held = #vim.tbl_filter(function(prompt)
    return prompt.held == true
  end, prompts)
  return #prompts - held, held
end

--- For the line above the transcript; nil while nothing waits.
---@param prompts agentq.QueuedPrompt[]
---@return string?
function M.words(prompts)
  local waiting, held = count(prompts)
  local parts = {}
  if waiting > 0 then
    parts[1] = ("%d queued"):format(waiting)
  end
  if held > 0 then
    parts[#parts + 1] = ("%d not sent"):format(held)
  end
  return #parts > 0 and table.concat(parts, " · ") or nil
end

---@param chat agentq.Chat
---@param params agentq.QueueChanged
function M.on_changed(chat, params)
  if chat.session_id == params.sessionId then
    chat.waiting = params.items
    chat:refresh_status()
  end
end

---@param chat agentq.Chat
---@param use fun(prompts: agentq.QueuedPrompt[])
---@param on_error? fun(message: string)
local function with_queue(chat, use, on_error)
  local connection = vim.lsp.get_client_by_id(chat.client_id)
  local id = chat.session_id
  if not connection or not id then
    return use({})
  end
  client.request(connection, "agentq/listQueue", { sessionId = id }, function(err, page)
    if err then
      if on_error then
        on_error(err.message)
      end
    elseif chat.session_id == id then
      chat.waiting = page.items
      chat:refresh_status()
      use(page.items)
    end
  end)
end

--- Says that messages of an earlier turn were never sent.
---@param chat agentq.Chat
function M.tell_held(chat)
  with_queue(chat, function(prompts)
    local _, held = count(prompts)
    if held > 0 then
      local words = held == 1 and "1 message was" or ("%d messages were"):format(held)
      chat:note("warning", words .. " never sent; :AgentQ queue shows what waits.")
    end
  end)
end

--- Puts messages that wait back into the message window.
---@param chat agentq.Chat
---@param ids string[]
function M.take_back(chat, ids)
  local connection = vim.lsp.get_client_by_id(chat.client_id)
  if not connection then
    return
  end
  local params = { sessionId = chat.session_id, promptIds = ids }
  client.request(connection, "agentq/takeBackQueued", params, function(err, page)
    if err then
      return say.error(err.message)
    end
    local texts = {}
    for _, prompt in ipairs(page.items) do
      texts[#texts + 1] = prompt.text
      vim.list_extend(chat.context_back, prompt.context or {})
    end
    if #texts == 0 then
      return say.warn("that message was sent meanwhile")
    end
    chat:give_back(table.concat(texts, "\n\n"))
    chat:note("info", "What was not sent is back in the message window.")
  end)
end

--- Opens a message that waits as a buffer, whose `:write` changes what the model will hear.
---@param chat agentq.Chat
---@param prompt agentq.QueuedPrompt
local function edit(chat, prompt)
  draft.open({
    name = ("queued/%s"):format(prompt.promptId:sub(1, 8)),
    text = prompt.text,
    heading = "a message that waits · :w changes it · :q leaves it as it is",
    write = function(text, bufnr)
      text = vim.trim(text)
      local connection = vim.lsp.get_client_by_id(chat.client_id)
      if text == "" or not connection then
        return say.warn("nothing was changed: :AgentQ queue takes a message back")
      end
      local params = { sessionId = chat.session_id, promptId = prompt.promptId, text = text }
      -- The window may be on its way out: the answer comes before it is gone.
      local answer, err = compat.request_sync(connection, "agentq/editQueued", params, 5000)
      if not answer or answer.err then
        return say.error(answer and answer.err.message or err or "the server gave no answer")
      end
      vim.bo[bufnr].modified = false
      say.info("the model will hear the changed message")
    end,
  })
end

---@param prompt agentq.QueuedPrompt
---@return string
local function describe(prompt)
  local line = visible.text(prompt.text):gsub("%s+", " ")
  return (prompt.held and "not sent: " or "") .. vim.fn.strcharpart(line, 0, 60)
end

---@param chat agentq.Chat
---@param prompt agentq.QueuedPrompt
local function act(chat, prompt)
  local actions = { "take it back into the message", "edit it where it waits" }
  vim.ui.select(prompt.held and { actions[1] } or actions, { prompt = describe(prompt) }, function(action)
    if action == actions[1] then
      M.take_back(chat, { prompt.promptId })
    elseif action then
      edit(chat, prompt)
    end
  end)
end

--- The person chooses what becomes of a message that waits.
---@param chat agentq.Chat
function M.choose(chat)
  with_queue(chat, function(prompts)
    if #prompts == 0 then
      return say.info("no message waits")
    end
    vim.ui.select(prompts, { prompt = "Which message?", format_item = describe }, function(prompt)
      if prompt then
        act(chat, prompt)
      end
    end)
  end, say.error)
end

return M
