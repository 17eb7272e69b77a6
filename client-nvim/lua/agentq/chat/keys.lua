-- The keys of a transcript: its details, the places that it names, and what can be done from a message on.
local M = {}

---@class agentq.chat.Key
---@field keys string[]
---@field words string
---@field act fun(chat: agentq.Chat)

---@param name string of a function in messages.lua
---@param ... any
local function at_message(name, ...)
  local rest = { ... }
  return function(chat)
    require("agentq.chat.messages")[name](chat, unpack(rest))
  end
end

---@param chat agentq.Chat
local function go_to_place(chat)
  require("agentq.repl.places").go_from_words(require("agentq.repl.logs").of(chat.client_id))
end

---@param is_open boolean? the other way round than now when absent
---@param everywhere? boolean
local function toggle(is_open, everywhere)
  return function(chat)
    chat.writer:toggle(not everywhere and vim.api.nvim_win_get_cursor(0)[1] - 1 or nil, is_open)
  end
end

--- Of a call and a thought the details, else the place that the line names.
---@param chat agentq.Chat
local function enter(chat)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  if chat.writer:has_block(row) then
    chat.writer:toggle(row)
  else
    go_to_place(chat)
  end
end

local function command(text)
  return function()
    vim.cmd("AgentQ " .. text)
  end
end

local function show()
  M.show()
end

---@param chat agentq.Chat
local function stop(chat)
  require("agentq.chat.prompts").stop(chat)
end

---@type agentq.chat.Key[] in the order in which `?` shows them
local keys = {
  { keys = { "<CR>" }, words = "the details of a call, else the place that the line names", act = enter },
  { keys = { "za", "zo", "zc" }, words = "open or close details; zR, zM those of all", act = toggle() },
  { keys = { "gd", "gf" }, words = "go to the file, src/cart.ts:12:3, that the line names", act = go_to_place },
  { keys = { "]]" }, words = "next message of yours", act = at_message("go", 1) },
  { keys = { "[[" }, words = "previous message of yours", act = at_message("go", -1) },
  { keys = { "gy" }, words = "yank the block of code", act = at_message("yank") },
  { keys = { "ga" }, words = "ask for the block of code as a proposal", act = at_message("propose") },
  { keys = { "gr" }, words = "say the message again, in a copy that ends before it", act = at_message("again") },
  { keys = { "ge" }, words = "change the message, in a copy that ends before it", act = at_message("edit") },
  { keys = { "gb" }, words = "branch: go on in a copy that ends with this answer", act = at_message("fork") },
  { keys = { "gu" }, words = "propose to bring the files back to before the message", act = at_message("rewind") },
  { keys = { "gq" }, words = "messages that wait: change one, or take one back", act = command("queue") },
  { keys = { "gs" }, words = "other conversations of this project", act = command("sessions") },
  { keys = { "<C-x>" }, words = "stop the turn", act = stop },
  { keys = { "i" }, words = "write a message", act = command("chat") },
  { keys = { "q" }, words = "close the chat", act = command("close") },
  { keys = { "?" }, words = "these keys", act = show },
}

local width = 14

--- Shows what the keys do.
function M.show()
  require("agentq.highlights").define()
  local lines = vim.tbl_map(function(key)
    return ("%-" .. width .. "s%s"):format(table.concat(key.keys, " "), key.words)
  end, keys)
  lines[#lines + 1] = ""
  lines[#lines + 1] = "In the message window: <C-s> sends (<CR> in normal mode), <C-x> stops,"
  lines[#lines + 1] = "<M-p> and <M-n> bring back what you said before, <C-x><C-o> completes."
  require("agentq.float").list_keys(lines, "Keys of the chat")
end

---@param chat agentq.Chat whose transcript gets the keys
function M.set(chat)
  ---@param lhs string
  ---@param words string
  ---@param act fun(chat: agentq.Chat)
  local function map(lhs, words, act)
    vim.keymap.set("n", lhs, function()
      act(chat)
    end, { buffer = chat.bufnr, nowait = true, desc = "AgentQ: " .. words })
  end
  for _, key in ipairs(keys) do
    for _, lhs in ipairs(key.keys) do
      map(lhs, key.words, key.act)
    end
  end
  map("zo", "open the details under the cursor", toggle(true))
  map("zc", "close the details under the cursor", toggle(false))
  map("zR", "open all details", toggle(true, true))
  map("zM", "close all details", toggle(false, true))
end

return M
