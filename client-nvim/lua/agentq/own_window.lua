-- Windows that show text of this plugin's own, without the columns and marks that a person has beside code.
local M = {}

local plain = {
  wrap = true,
  number = false,
  relativenumber = false,
  signcolumn = "no",
  foldcolumn = "0",
  foldenable = false,
  spell = false,
  list = false,
}

--- Sets options of a window for the buffer that it shows, and for no other that comes there.
---@param window integer 0 for the current one
---@param options table<string, any> beside the plain ones, or in place of them
function M.set(window, options)
  for name, value in pairs(vim.tbl_extend("force", plain, options)) do
    vim.api.nvim_set_option_value(name, value, { scope = "local", win = window })
  end
end

return M
