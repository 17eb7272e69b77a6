-- The buffer of a transcript, and its end in the windows that show it.
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

--- Whether a window follows what is written: its cursor stands on the last line.
---@param window integer
---@return boolean
function M.is_at_end(window)
  local last = vim.api.nvim_buf_line_count(vim.api.nvim_win_get_buf(window))
  return vim.api.nvim_win_get_cursor(window)[1] >= last
end

--- Goes to the end of the last line and has it at the bottom: a paragraph may have more rows than the window.
---@param window integer
function M.go_to_end(window)
  local last = vim.api.nvim_buf_line_count(vim.api.nvim_win_get_buf(window))
  vim.api.nvim_win_set_cursor(window, { last, vim.v.maxcol })
  vim.api.nvim_win_call(window, function()
    local top = vim.fn.line("w0")
    local rows = { start_row = top - 1, start_vcol = vim.fn.winsaveview().skipcol, end_row = last - 1 }
    local is_full = vim.api.nvim_win_text_height(window, rows).all >= vim.fn.getwininfo(window)[1].height
    -- Where lines became shorter, Neovim keeps the first one of the window, and rows below the last one stay empty.
    if top > 1 and not is_full then
      vim.cmd.normal({ "zb", bang = true })
    end
  end)
end

return M
