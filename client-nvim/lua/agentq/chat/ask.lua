-- A question or a wish about what is selected, from the place where it is selected: no window opens. Proposed edits are
-- reviewed where they belong, and an answer in words shows beside the cursor.
local say = require("agentq.say")
local start = require("agentq.start")

local M = {}

---@param chat agentq.Chat
---@param bufnr integer where it was asked
---@param text string
---@param context? agentq.ContextRef[]
local function send(chat, bufnr, text, context)
  local group = vim.api.nvim_create_augroup(("agentq.ask.%d"):format(chat.bufnr), { clear = true })
  local words = {}
  local function over()
    vim.api.nvim_del_augroup_by_id(group)
    chat.on_words = nil
  end
  -- The last text of the turn is the answer; what comes before a call is on the way to it.
  chat.on_words = function(event)
    if event.kind == "text" then
      words[#words + 1] = event.text
    elseif event.kind == "toolCall" and #words > 0 then
      words = {}
    end
  end
  vim.api.nvim_create_autocmd("User", {
    group = group,
    pattern = "AgentQTurnEnded",
    callback = function(args)
      if args.data.sessionId ~= chat.session_id then
        return
      end
      local answer = vim.split(vim.trim(table.concat(words)), "\n", { plain = true })
      over()
      local is_here = vim.api.nvim_get_current_buf() == bufnr and vim.api.nvim_get_mode().mode == "n"
      if args.data.reason == "endTurn" and is_here and answer[1] ~= "" then
        require("agentq.float").show(answer, { title = "AgentQ answers · :AgentQ shows all" })
      else
        say.info(
          args.data.reason == "endTurn" and "the answer is there: :AgentQ" or "the turn did not end well: :AgentQ"
        )
      end
    end,
  })
  chat:prompt(text, context, function()
    over()
    say.warn("that was not sent: :AgentQ says why")
  end)
end

--- Asks about the range of a command, else about the place of the cursor.
---@param text string empty to be asked for it
---@param args {range: integer, line1: integer, line2: integer}
function M.ask(text, args)
  local context = require("agentq.chat.context").of(args)
  local bufnr = vim.api.nvim_get_current_buf()
  local function with(words)
    if not words or vim.trim(words) == "" then
      return
    end
    start.with_client(function(connection)
      local chat = require("agentq.chat.chats").of(connection.id)
      if chat.turn_id then
        return say.warn("a turn runs; :AgentQ prompt sends this along, :AgentQ cancel ends the turn")
      end
      say.brief("AgentQ: asked, the answer shows here; :AgentQ cancel stops it")
      send(chat, bufnr, words, context)
    end)
  end
  if text ~= "" then
    return with(text)
  end
  local about = context and require("agentq.chat.context").names(context, vim.uv.cwd() or "")[1] or "this place"
  vim.ui.input({ prompt = ("Ask about %s: "):format(about) }, with)
end

return M
