-- What can be done at a place of the transcript: going from message to message, saying one again or another way, going
-- on from there in a copy of the conversation, and taking the blocks of code in the answers.
local client = require("agentq.client")
local say = require("agentq.say")
local sessions = require("agentq.chat.sessions")

local M = {}

---@alias agentq.chat.Said {row: integer, message: agentq.chat.Message}

--- The message at the cursor or the last one above it.
---@param chat agentq.Chat
---@return agentq.chat.Said?
---@return integer index
---@return agentq.chat.Said[] all
local function at_cursor(chat)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local said = chat.writer:messages()
  for index = #said, 1, -1 do
    if said[index].row <= row then
      return said[index], index, said
    end
  end
  return nil, 0, said
end

--- Goes to the next message of the person's, or a previous one.
---@param chat agentq.Chat
---@param by integer
function M.go(chat, by)
  local here, index, said = at_cursor(chat)
  -- From inside an answer, its own message is the previous one.
  if by < 0 and here and here.row < vim.api.nvim_win_get_cursor(0)[1] - 1 then
    by = by + 1
  end
  local target = said[math.max(1, math.min(#said, index + by))]
  if target then
    vim.cmd("normal! m'")
    vim.api.nvim_win_set_cursor(0, { target.row + 1, 0 })
  end
end

--- The message at the cursor, where the server can go on from it.
---@param chat agentq.Chat
---@param use fun(message: agentq.chat.Message, connection: vim.lsp.Client, index: integer, said: agentq.chat.Said[])
local function with_message(chat, use)
  local here, index, said = at_cursor(chat)
  local connection = vim.lsp.get_client_by_id(chat.client_id)
  if not here or not here.message.turn_id then
    return say.info("no message to the model stands here")
  elseif not connection then
    return say.warn("the server is not running; :AgentQ restart starts it")
  elseif chat.turn_id then
    return say.warn("a turn runs; :AgentQ cancel ends it, then this can be done")
  end
  use(here.message, connection, index, said)
end

--- Shows a copy of the conversation in the chat, which ends before a turn or has all of it.
---@param chat agentq.Chat
---@param connection vim.lsp.Client
---@param params agentq.ForkSessionParams
---@param done? fun()
local function fork(chat, connection, params, done)
  client.request(connection, "agentq/forkSession", params, function(err, session)
    if err then
      return say.error(err.message)
    end
    sessions.resume(chat, connection, session, done)
  end)
end

--- Goes on in a copy of the conversation that ends with the answer to the message at the cursor.
---@param chat agentq.Chat
function M.fork(chat)
  with_message(chat, function(message, connection, index, said)
    local next_turn
    for later = index + 1, #said do
      local other = said[later].message
      if other.session_id == message.session_id and other.turn_id and other.turn_id ~= message.turn_id then
        next_turn = other.turn_id
        break
      end
    end
    fork(chat, connection, { sessionId = message.session_id, turnId = next_turn })
  end)
end

--- Goes on in a copy that ends before the message at the cursor, whose text is in the message window to be changed.
---@param chat agentq.Chat
function M.edit(chat)
  with_message(chat, function(message, connection)
    fork(chat, connection, { sessionId = message.session_id, turnId = message.turn_id }, function()
      chat:give_back(message.text)
    end)
  end)
end

--- Says the message at the cursor again, in a copy of the conversation that ends before it.
---@param chat agentq.Chat
function M.again(chat)
  with_message(chat, function(message, connection)
    fork(chat, connection, { sessionId = message.session_id, turnId = message.turn_id }, function()
      chat:prompt(message.text)
    end)
  end)
end

--- Proposes to bring the files back to what they were before the message at the cursor: the server's own command does,
--- and its answer stands in the transcript.
---@param chat agentq.Chat
function M.rewind(chat)
  with_message(chat, function(message, connection)
    client.request(connection, "agentq/listTurns", { sessionId = message.session_id }, function(err, page)
      for index, turn in ipairs(not err and page.items or {}) do
        if turn.turnId == message.turn_id then
          return chat:prompt(("/rewind %d"):format(index))
        end
      end
      say.warn(err and err.message or "the server does not know that message any more")
    end)
  end)
end

--- The block of code around the cursor.
---@param bufnr integer
---@return string[]? lines without the fences
---@return string? language
local function block_at_cursor(bufnr)
  local row = vim.api.nvim_win_get_cursor(0)[1]
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
  local first, language
  for index, line in ipairs(lines) do
    if first and line:match("^%s*```%s*$") then
      if first <= row and row <= index then
        return vim.list_slice(lines, first + 1, index - 1), language
      end
      first = nil
    elseif not first and line:match("^%s*```") then
      first, language = index, line:match("^%s*```(%S*)")
    end
  end
end

---@param chat agentq.Chat
function M.yank(chat)
  local lines = block_at_cursor(chat.bufnr)
  if not lines then
    return say.info("no block of code stands here")
  end
  vim.fn.setreg(vim.v.register, lines, "V")
  say.info(#lines == 1 and "1 line yanked" or ("%d lines yanked"):format(#lines))
end

--- Asks the model to propose a block of its answer as an edit: the conversation knows where the code belongs.
---@param chat agentq.Chat
function M.propose(chat)
  local lines, language = block_at_cursor(chat.bufnr)
  if not lines then
    return say.info("no block of code stands here")
  end
  local block = table.concat(lines, "\n")
  chat:prompt(
    ("Propose this code of your answer as an edit, where it belongs:\n\n```%s\n%s\n```"):format(language or "", block)
  )
end

return M
