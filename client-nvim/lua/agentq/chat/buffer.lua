-- The buffer of a transcript.
local buffers = require("agentq.buffers")

local M = {}

--- Holds what stands in a transcript as long as nothing was written there.
M.empty = vim.api.nvim_create_namespace("agentq.chat.empty")

---@param root string
---@return integer bufnr
function M.new(root)
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(bufnr, buffers.named("chat", root))
  vim.bo[bufnr].bufhidden = "hide"
  vim.bo[bufnr].swapfile = false
  vim.bo[bufnr].undolevels = -1
  vim.bo[bufnr].modifiable = false
  -- For those who have another plugin render Markdown here too.
  vim.treesitter.language.register("markdown", "agentq-chat")
  vim.bo[bufnr].filetype = "agentq-chat"
  -- A wrapped line goes on below its text, not below its mark.
  vim.bo[bufnr].formatlistpat = [[^\s*\([│❯⊕✓✗?●○✻!·✗↻*-]\|\d\+\.\)\s]]
  vim.b[bufnr].agentq_root = root
  vim.api.nvim_buf_set_extmark(bufnr, M.empty, 0, 0, {
    virt_text = { { "Write below what is to be done; ? lists the keys.", "AgentqHint" } },
    virt_lines = { { { ":AgentQ resume goes on with the conversation before.", "AgentqHint" } } },
  })
  return bufnr
end

return M
