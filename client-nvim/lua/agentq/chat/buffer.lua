-- The buffer of a transcript.
local buffers = require("agentq.buffers")

local M = {}

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
  return bufnr
end

return M
