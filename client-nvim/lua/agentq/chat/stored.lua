-- What can be done with conversations that are kept: they are named, deleted, searched, written out and forked.
local chats = require("agentq.chat.chats")
local client = require("agentq.client")
local say = require("agentq.say")
local sessions = require("agentq.chat.sessions")
local visible = require("agentq.review.visible")

local M = {}

local LISTED_WORDS = 60

---@param text string
---@return string one line of a list
local function line(text)
  return visible.short(text, LISTED_WORDS)
end

--- Hands on the answer of the server, or tells why there is none.
---@param connection vim.lsp.Client
---@param method string
---@param params table
---@param use fun(result: any)
local function ask(connection, method, params, use)
  client.request(connection, method, params, function(err, result)
    if err then
      return say.error(err.message)
    end
    use(result)
  end)
end

--- The conversation of the project's chat.
---@param connection vim.lsp.Client
---@param use fun(id: string, chat: agentq.Chat)
local function with_shown(connection, use)
  local chat = chats.of(connection.id)
  if not chat.session_id then
    return say.info("there is no conversation yet; :AgentQ sessions shows those that are kept")
  end
  use(chat.session_id, chat)
end

--- The conversation in the chat gets a name; an empty one gives back its first words.
---@param connection vim.lsp.Client
---@param name string empty to be asked
function M.rename(connection, name)
  with_shown(connection, function(id, chat)
    local function rename(given)
      ask(connection, "agentq/renameSession", { sessionId = id, name = given }, function(session)
        chat:named(session)
        say.info(("the conversation is called %q"):format(visible.text(session.name)))
      end)
    end
    if name ~= "" then
      return rename(name)
    end
    ask(connection, "agentq/openSession", { sessionId = id, lastTurns = 1, limit = 1 }, function(page)
      vim.ui.input({ prompt = "Name of the conversation: ", default = page.session.name }, function(given)
        if given then
          rename(given)
        end
      end)
    end)
  end)
end

---@param connection vim.lsp.Client
---@param session agentq.SessionInfo
local function delete(connection, session)
  local name = line(session.name)
  if vim.fn.confirm(("Delete %q for good?"):format(name), "&Yes\n&No", 2) ~= 1 then
    return
  end
  ask(connection, "agentq/deleteSession", { sessionId = session.sessionId }, function()
    local chat = chats.of(connection.id)
    if chat.session_id == session.sessionId then
      chat:start_new()
    end
    say.info(("%q is deleted"):format(name))
  end)
end

--- The person chooses a conversation that is deleted, after a question.
---@param connection vim.lsp.Client
function M.delete(connection)
  sessions.select(connection, "Delete which conversation?", function(session)
    delete(connection, session)
  end)
end

---@param found agentq.FoundInSession
---@return string
local function describe_found(found)
  return ("%s: %s"):format(line(found.session.name), line(found.snippet))
end

--- Shows the conversation in which some words stand; the person chooses among several.
---@param connection vim.lsp.Client
---@param words string empty to be asked
function M.search(connection, words)
  local function search(text)
    ask(connection, "agentq/searchSessions", { text = text }, function(page)
      if #page.items == 0 then
        return say.info(("no conversation has %q in a message"):format(text))
      end
      local options = { prompt = "Which conversation?", format_item = describe_found }
      vim.ui.select(page.items, options, function(found)
        if found then
          sessions.resume(chats.of(connection.id), connection, found.session)
        end
      end)
    end)
  end
  if words ~= "" then
    return search(words)
  end
  vim.ui.input({ prompt = "Words of the conversation: " }, function(text)
    if text and vim.trim(text) ~= "" then
      search(text)
    end
  end)
end

--- The conversation in the chat as a text in a window of its own.
---@param connection vim.lsp.Client
---@param format string "markdown", "json" or empty
function M.export(connection, format)
  if format ~= "" and format ~= "markdown" and format ~= "json" then
    return say.error(":AgentQ export [markdown | json]")
  end
  with_shown(connection, function(id)
    local params = { sessionId = id, format = format ~= "" and format or "markdown" }
    ask(connection, "agentq/exportSession", params, function(result)
      vim.cmd("botright new")
      local bufnr = vim.api.nvim_get_current_buf()
      vim.bo[bufnr].bufhidden = "wipe"
      vim.bo[bufnr].swapfile = false
      local text = result.content:gsub("\n$", "")
      vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, vim.split(text, "\n", { plain = true }))
      vim.bo[bufnr].filetype = params.format
      vim.bo[bufnr].modified = false
      say.info(":w {file} saves the conversation")
    end)
  end)
end

---@param turn agentq.TurnInfo|false
---@return string
local function describe_place(turn)
  return turn and "what comes before: " .. line(turn.text) or "all of it"
end

--- Goes on in a copy of the conversation in the chat, whole or up to a message of the person's, which they choose.
---@param connection vim.lsp.Client
function M.fork(connection)
  with_shown(connection, function(id, chat)
    if chat.turn_id then
      return say.warn("a turn runs; :AgentQ cancel ends it, then its conversation can be forked")
    end
    ask(connection, "agentq/listTurns", { sessionId = id }, function(page)
      local places = vim.list_extend({ false }, vim.fn.reverse(page.items))
      local options = { prompt = "Copy which part?", format_item = describe_place }
      vim.ui.select(places, options, function(place)
        if place == nil then
          return
        end
        local params = { sessionId = id, turnId = place and place.turnId or nil }
        ask(connection, "agentq/forkSession", params, function(fork)
          sessions.resume(chat, connection, fork)
        end)
      end)
    end)
  end)
end

return M
