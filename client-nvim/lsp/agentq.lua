-- For `vim.lsp.enable("agentq")` on Neovim 0.11 and newer.
return vim.tbl_extend("force", require("agentq.start").config(), {
  filetypes = require("agentq.config").get().filetypes,
  root_dir = function(bufnr, on_dir)
    local root, is_project = require("agentq.client").root(bufnr)
    if is_project then
      on_dir(root)
    end
  end,
})
