-- The input below the transcript: an ordinary buffer, so every editing habit works in it.
local M = {}

---@type table<integer, integer> input buffer by chat buffer
local inputs = {}

---@param bufnr integer
local function take_text(bufnr)
  local text = table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), "\n")
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, { "" })
  return vim.trim(text)
end

---@param bufnr integer
---@param text string
local function give_back(bufnr, text)
  if not vim.api.nvim_buf_is_valid(bufnr) then
    return
  end
  local lines = vim.split(text, "\n", { plain = true })
  local typed = vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
  local empty = #typed == 1 and typed[1] == ""
  vim.api.nvim_buf_set_lines(bufnr, 0, empty and -1 or 0, true, lines)
  for _, window in ipairs(empty and vim.fn.win_findbuf(bufnr) or {}) do
    vim.api.nvim_win_set_cursor(window, { #lines, #lines[#lines] })
  end
end

---@class agentq.chat.Recall what was brought back into a message window
---@field index integer 0 while it is the person's own new text
---@field draft string[] that new text

---@type table<integer, agentq.chat.Recall> by input buffer
local recalled = {}

--- Brings back what was said before, and at the end what was being written.
---@param chat agentq.Chat
---@param bufnr integer
---@param by integer 1 for an older message, -1 for a newer one
local function recall(chat, bufnr, by)
  local texts = {}
  for _, said in ipairs(chat.writer:messages()) do
    if said.message.text ~= texts[#texts] then
      texts[#texts + 1] = said.message.text
    end
  end
  local state = recalled[bufnr] or { index = 0, draft = {} }
  local index = math.max(0, math.min(#texts, state.index + by))
  if index == state.index then
    return
  end
  if state.index == 0 then
    state.draft = vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
  end
  state.index = index
  recalled[bufnr] = state
  local lines = index == 0 and state.draft or vim.split(texts[#texts - index + 1], "\n", { plain = true })
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, lines)
  vim.api.nvim_win_set_cursor(0, { #lines, #lines[#lines] })
end

--- The input of a conversation that has one already.
---@param chat agentq.Chat
---@return integer? bufnr
function M.known(chat)
  local bufnr = inputs[chat.bufnr]
  return bufnr and vim.api.nvim_buf_is_valid(bufnr) and bufnr or nil
end

--- What Neovim completes by after <C-x> in Insert mode.
local COMPLETIONS =
  { "<C-o>", "<C-n>", "<C-p>", "<C-f>", "<C-l>", "<C-k>", "<C-t>", "<C-u>", "<C-v>", "<C-e>", "<C-y>", "s" }

--- <C-x> stops the turn. In Insert mode <C-x> also begins the keys that complete: these stay what they are, and <C-x>
--- alone stops when 'timeoutlen' is over, <C-x><C-x> at once.
---@param chat agentq.Chat
---@param bufnr integer
local function map_stop(chat, bufnr)
  local options = { buffer = bufnr, desc = "AgentQ: stop the turn" }
  for _, lhs in ipairs({ "<C-x>", "<C-x><C-x>" }) do
    vim.keymap.set(lhs == "<C-x>" and { "n", "i" } or "i", lhs, function()
      require("agentq.chat.prompts").stop(chat)
    end, options)
  end
  for _, key in ipairs(COMPLETIONS) do
    vim.keymap.set("i", "<C-x>" .. key, "<C-x>" .. key, { buffer = bufnr, desc = "complete" })
  end
end

--- The server completes in the message: commands behind /, files and buffers behind @, symbols behind #, values behind $.
---@param chat agentq.Chat
function M.attach(chat)
  local bufnr = M.known(chat)
  local connection = vim.lsp.get_client_by_id(chat.client_id)
  if bufnr and connection and connection.initialized and not connection:is_stopped() then
    vim.lsp.buf_attach_client(bufnr, connection.id)
  end
end

--- Completion plugins, where they are, offer what the server says, and nothing of their own: words of other buffers would
--- pop up in prose, and files of the root folder among the commands.
local function complete_from_server()
  pcall(function()
    -- What blink.cmp's own function adds for a type of files stands beside its other sources, not in their place.
    local sources = require("blink.cmp.config").sources
    sources.per_filetype = vim.tbl_extend("keep", sources.per_filetype, { ["agentq-message"] = { "lsp" } })
  end)
  pcall(function()
    require("cmp").setup.filetype("agentq-message", { sources = { { name = "nvim_lsp" } } })
  end)
end

---@param chat agentq.Chat
---@return integer bufnr
function M.buffer(chat)
  local known = M.known(chat)
  if known then
    return known
  end
  if next(inputs) == nil then
    complete_from_server()
  end
  local bufnr = vim.api.nvim_create_buf(false, true)
  inputs[chat.bufnr] = bufnr
  vim.api.nvim_buf_set_name(bufnr, require("agentq.buffers").named("message", chat.root))
  vim.bo[bufnr].bufhidden = "hide"
  vim.bo[bufnr].swapfile = false
  vim.bo[bufnr].filetype = "agentq-message"
  vim.bo[bufnr].omnifunc = "v:lua.require'agentq.chat.complete'.omnifunc"
  vim.b[bufnr].agentq_root = chat.root

  local function send()
    local text = take_text(bufnr)
    recalled[bufnr] = nil
    if text ~= "" then
      chat:prompt(text, nil, function()
        give_back(bufnr, text)
      end)
    end
  end
  vim.keymap.set("n", "<CR>", send, { buffer = bufnr, desc = "AgentQ: send the message" })
  vim.keymap.set({ "n", "i" }, "<C-s>", send, { buffer = bufnr, desc = "AgentQ: send the message" })
  map_stop(chat, bufnr)
  vim.keymap.set({ "n", "i" }, "<M-p>", function()
    recall(chat, bufnr, 1)
  end, { buffer = bufnr, desc = "AgentQ: bring back an older message" })
  vim.keymap.set({ "n", "i" }, "<M-n>", function()
    recall(chat, bufnr, -1)
  end, { buffer = bufnr, desc = "AgentQ: bring back a newer message" })
  vim.keymap.set("n", "?", function()
    require("agentq.chat.keys").show()
  end, { buffer = bufnr, desc = "AgentQ: the keys of the chat" })
  M.attach(chat)
  return bufnr
end

--- Puts a message that was not sent back, above what was typed since.
---@param chat agentq.Chat
---@param text string
function M.give_back(chat, text)
  give_back(M.buffer(chat), text)
end

return M
