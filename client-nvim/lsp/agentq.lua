-- For `vim.lsp.enable("agentq")` on Neovim 0.11 and newer.
local client = require("agentq.client")

return vim.tbl_extend("force", client.config(), {
  filetypes = require("agentq.config").get().filetypes,
  root_dir = function(bufnr, on_dir)
    local root, is_project = client.root(bufnr)
    if is_project then
      on_dir(root)
    end
  end,
})
