/** The log of the REPL as a person sees it: each line of a program behind the program's label. */
import type { Neovim } from "./neovim.ts";

export function labelledLog(nvim: Neovim): Promise<string> {
  return nvim.lua(`
    local bufnr = vim.fn.bufnr("^agentq://repl$")
    if bufnr < 0 then return "" end
    local namespace = vim.api.nvim_get_namespaces()["agentq.repl.process"]
    local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(bufnr, namespace, 0, -1, { details = true })) do
      lines[mark[2] + 1] = mark[4].virt_text[1][1] .. lines[mark[2] + 1]
    end
    return table.concat(lines, "\\n")
  `);
}
