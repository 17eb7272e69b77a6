-- `User AgentQ…` autocommands: how configurations and other plugins hear what happens.
local M = {}

---@param name string without the prefix
---@param data table<string, any>
function M.fire(name, data)
  vim.api.nvim_exec_autocmds("User", { pattern = "AgentQ" .. name, data = data, modeline = false })
end

return M
