-- `require("agentq")` in an init.lua, before plugin/agentq.lua has put the client on 'runtimepath'.
local root = vim.fs.dirname(vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, "S").source:sub(2))))
vim.opt.runtimepath:prepend(root .. "/client-nvim")
return dofile(root .. "/client-nvim/lua/agentq/init.lua")
