-- The repository is a Neovim plugin as it is cloned: plugin managers take no folder inside of one. This file puts the
-- client in client-nvim/ on 'runtimepath', its help with it, and loads what the client defines at the start.
if vim.g.loaded_agentq then
  return
end
local root = vim.fs.dirname(vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, "S").source:sub(2))))
vim.opt.runtimepath:prepend(root .. "/client-nvim")
vim.cmd.source(vim.fn.fnameescape(root .. "/client-nvim/plugin/agentq.lua"))
