-- The conversations, one for each project.
local Chat = require("agentq.chat.chat")
local say = require("agentq.say")
local turn_events = require("agentq.chat.turn_events")

local M = {}

---@type table<string, agentq.Chat>
local by_root = {}

--- The conversation of a client's project. A restarted server goes on in the same transcript with a new session.
---@param client_id integer
---@return agentq.Chat
function M.of(client_id)
  local client = vim.lsp.get_client_by_id(client_id)
  local root = client and client.config.root_dir or vim.uv.cwd() --[[@as string]]
  local chat = by_root[root]
  if not chat or not vim.api.nvim_buf_is_valid(chat.bufnr) then
    chat = Chat.new(root, client_id)
    by_root[root] = chat
  end
  chat:speak_to(client_id)
  return chat
end

--- Updates the line above the windows, which shows what waits for the person.
---@param client_id integer
function M.refresh(client_id)
  local chat = M.find(client_id)
  if chat then
    chat:refresh_status()
  end
end

--- The conversation of a server, where there is one. What a new server tells, such as hunks that it brings back, belongs
--- to the conversation with the one before it.
---@param client_id integer
---@return agentq.Chat?
function M.find(client_id)
  for _, chat in pairs(by_root) do
    if chat.client_id == client_id then
      return chat
    end
  end
  local client = vim.lsp.get_client_by_id(client_id)
  local earlier = client and by_root[client.config.root_dir]
  if earlier and earlier.client_id < client_id and vim.api.nvim_buf_is_valid(earlier.bufnr) then
    earlier:speak_to(client_id)
    return earlier
  end
end

--- For how long the model has been working, in seconds, where it works in any conversation: of several the longest.
---@return integer?
function M.working_seconds()
  local longest
  for _, chat in pairs(by_root) do
    local seconds = chat:working_seconds()
    longest = seconds and math.max(seconds, longest or 0) or longest
  end
  return longest
end

--- Whether the server of a conversation died, and no other has taken its place.
---@return boolean
function M.has_dead()
  local of_root = require("agentq.client").of_root
  return vim.iter(by_root):any(function(root, chat)
    return chat.has_died and of_root(root) == nil
  end)
end

--- Reports the end of a server. The hunks that waited are still in the store, and come back with the next server.
---@param client_id integer
---@param code integer
---@param signal integer
function M.on_exit(client_id, code, signal)
  local hunks = #require("agentq.review.store").pending_of(client_id)
  -- Signal 15 is how Neovim ends a server on its way out.
  local has_failed = (code ~= 0 or (signal ~= 0 and signal ~= 15)) and not require("agentq.client").is_ending(client_id)
  local words = {}
  if has_failed then
    local how = signal ~= 0 and ("was killed by signal %d"):format(signal) or ("ended with code %d"):format(code)
    words[1] = ("The server %s."):format(how)
  end
  if hunks > 0 then
    local count = hunks == 1 and "1 hunk waits" or ("%d hunks wait"):format(hunks)
    words[#words + 1] = ("%s for the next server, not applied."):format(count)
  end
  if has_failed then
    words[#words + 1] = ":AgentQ restart starts it again."
  end
  local chat = M.find(client_id)
  if chat then
    chat.has_died = has_failed
    turn_events.on_server_ended(chat, table.concat(words, " "))
  end
  if #words > 0 then
    say.warn(table.concat(words, " "))
  end
end

return M
