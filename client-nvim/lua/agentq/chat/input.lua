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

---@param chat agentq.Chat
---@return integer bufnr
function M.buffer(chat)
  local known = inputs[chat.bufnr]
  if known and vim.api.nvim_buf_is_valid(known) then
    return known
  end
  local bufnr = vim.api.nvim_create_buf(false, true)
  inputs[chat.bufnr] = bufnr
  vim.api.nvim_buf_set_name(bufnr, require("agentq.chat.chat").buffer_name("message", chat.root))
  vim.bo[bufnr].bufhidden = "hide"
  vim.bo[bufnr].swapfile = false
  vim.bo[bufnr].filetype = "agentq-message"
  vim.b[bufnr].agentq_client = chat.client_id

  local function send()
    local text = take_text(bufnr)
    if text ~= "" then
      chat:prompt(text)
    end
  end
  local function cancel()
    chat:cancel()
  end
  vim.keymap.set("n", "<CR>", send, { buffer = bufnr, desc = "AgentQ: send the message" })
  vim.keymap.set({ "n", "i" }, "<C-s>", send, { buffer = bufnr, desc = "AgentQ: send the message" })
  vim.keymap.set("n", "<C-c>", cancel, { buffer = bufnr, desc = "AgentQ: cancel the turn" })
  return bufnr
end

return M
