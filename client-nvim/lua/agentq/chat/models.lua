-- Which model answers, and how much it thinks: for the conversation in the chat, or for new ones while there is none.
local client = require("agentq.client")
local say = require("agentq.say")
local visible = require("agentq.review.visible")

local M = {}

local THINKING = { "auto", "off", "low", "medium", "high", "xhigh", "max" }

---@param connection vim.lsp.Client
---@param change agentq.ChooseModelParams
local function change_to(connection, change)
  local chat = require("agentq.chat.chats").of(connection.id)
  local params = vim.tbl_extend("force", change, { sessionId = chat.session_id })
  client.request(connection, "agentq/chooseModel", params, function(err, choice)
    if err then
      return say.error(err.message)
    end
    local whose = params.sessionId and "this conversation, from its next turn on" or "new conversations"
    local words = ("%s (%s) answers %s; thinking: %s"):format(choice.model, choice.profile, whose, choice.thinking)
    say.info(visible.text(words))
    if chat.session_id == params.sessionId then
      chat:answered_by(choice.model)
    end
  end)
end

---@param tokens integer
---@return string
local function thousands(tokens)
  return ("%dk tokens"):format(math.floor(tokens / 1000))
end

---@param choice agentq.ModelChoice
---@param has_profiles boolean several
---@return fun(model: agentq.ModelInfo): string
local function describing(choice, has_profiles)
  return function(model)
    local parts = { has_profiles and "profile " .. model.profile or nil }
    if model.maxInputTokens then
      parts[#parts + 1] = thousands(model.maxInputTokens)
    end
    if model.profile == choice.profile and model.model == choice.model then
      parts[#parts + 1] = "answers now"
    end
    local facts = #parts > 0 and (" (%s)"):format(table.concat(parts, ", ")) or ""
    return visible.text(model.name .. facts)
  end
end

--- The person chooses among all models of all profiles.
---@param connection vim.lsp.Client
local function choose_listed(connection)
  local chat = require("agentq.chat.chats").of(connection.id)
  client.request(connection, "agentq/listModels", { sessionId = chat.session_id }, function(err, list)
    if err then
      return say.error(err.message)
    end
    for _, profile in ipairs(list.profiles) do
      if profile.problem then
        say.warn(visible.text(("%s: %s"):format(profile.name, profile.problem)))
      end
    end
    local options = { prompt = "Which model?", format_item = describing(list.choice, #list.profiles > 1) }
    vim.ui.select(list.items, options, function(model)
      if model then
        change_to(connection, { profile = model.profile, model = model.model })
      end
    end)
  end)
end

---@param connection vim.lsp.Client
---@param words string `[profile] model`, or empty to choose from the list
function M.choose(connection, words)
  local first, second = words:match("^(%S*)%s*(%S*)")
  if first == "" then
    choose_listed(connection)
  elseif second == "" then
    change_to(connection, { model = first })
  else
    change_to(connection, { profile = first, model = second })
  end
end

---@param connection vim.lsp.Client
---@param word string how much, or empty to choose
function M.think(connection, word)
  if word ~= "" then
    return change_to(connection, { thinking = word })
  end
  vim.ui.select(THINKING, { prompt = "How much does the model think?" }, function(chosen)
    if chosen then
      change_to(connection, { thinking = chosen })
    end
  end)
end

return M
