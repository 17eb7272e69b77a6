-- `User AgentQ…` autocommands: how configurations and other plugins hear what happens.
local M = {}

---@param name string without the prefix
---@param data table<string, any>
function M.fire(name, data)
  -- Neovim copies the data for each event, and a proposal may be large.
  if #vim.api.nvim_get_autocmds({ event = "User" }) > 0 then
    vim.api.nvim_exec_autocmds("User", { pattern = "AgentQ" .. name, data = data, modeline = false })
  end
end

return M
