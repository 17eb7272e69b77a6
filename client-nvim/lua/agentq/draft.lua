-- A text that a person changes in a window of its own, and that `:write` hands on.
local M = {}

---@class agentq.Draft
---@field name string of the buffer, below agentq://
---@field text string
---@field heading string what the text is, and what |:write| and |:quit| do with it
---@field write fun(text: string, bufnr: integer) resets 'modified' when the text was taken

--- Goes to the window where the text is being changed already: what stands there is the person's.
---@param name string
---@return boolean
local function go_to(name)
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(window)) == name then
      vim.api.nvim_set_current_win(window)
      return true
    end
  end
  return false
end

--- Opens the text in a window at the bottom.
---@param draft agentq.Draft
function M.open(draft)
  local name = "agentq://" .. draft.name
  if go_to(name) then
    return
  end
  vim.cmd("botright new")
  local bufnr = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_name(bufnr, name)
  vim.bo[bufnr].buftype = "acwrite"
  vim.bo[bufnr].bufhidden = "wipe"
  vim.bo[bufnr].swapfile = false
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, vim.split(draft.text, "\n", { plain = true }))
  vim.bo[bufnr].modified = false
  vim.wo[0][0].winbar = (" %s%%<"):format((draft.heading:gsub("%%", "%%%%")))
  vim.api.nvim_create_autocmd("BufWriteCmd", {
    buffer = bufnr,
    callback = function()
      draft.write(table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), "\n"), bufnr)
    end,
  })
end

return M
