-- Defines :AgentQ, the <Plug> maps and the automatic start. Everything else loads on first use.
if vim.g.loaded_agentq then
  return
end
vim.g.loaded_agentq = true

if vim.fn.has("nvim-0.10") == 0 then
  vim.api.nvim_echo({ { "agentq needs Neovim 0.10 or newer", "WarningMsg" } }, true, {})
  return
end

vim.api.nvim_create_user_command("AgentQ", function(args)
  require("agentq.command").run(args)
end, {
  nargs = "*",
  range = true,
  bang = true,
  desc = "Talk to Agent-Q, review its proposals, evaluate code",
  complete = function(lead, line)
    return require("agentq.command").complete(lead, line)
  end,
})

for name, subcommand in pairs({
  ["hunk-next"] = "next",
  ["hunk-prev"] = "prev",
  ["hunk-accept"] = "accept",
  ["hunk-reject"] = "reject",
  ["hunk-edit"] = "edit",
  ["hunk-split"] = "split",
  ["hunk-accept-all"] = "acceptall",
  ["hunk-reject-all"] = "rejectall",
  ["hunk-test"] = "testhunks",
  ["hunk-view"] = "reviewall",
  ["hunk-diff"] = "review diff",
  question = "question",
  ask = "ask",
  ["eval-form"] = "eval",
  interrupt = "interrupt",
  inspect = "inspect",
  process = "process",
  repl = "repl",
  test = "test",
}) do
  vim.keymap.set("n", ("<Plug>(agentq-%s)"):format(name), function()
    require("agentq.command").run({ fargs = { subcommand }, args = subcommand, range = 0, bang = false, by_key = true })
  end, { desc = ("AgentQ: %s"):format(subcommand) })
end

vim.keymap.set("x", "<Plug>(agentq-hunk-accept)", ":AgentQ accept<CR>", {
  silent = true,
  desc = "AgentQ: accept the selected lines",
})

vim.keymap.set("x", "<Plug>(agentq-ask)", ":AgentQ ask<CR>", {
  silent = true,
  desc = "AgentQ: ask about the selection",
})

vim.keymap.set("n", "<Plug>(agentq-eval)", function()
  vim.o.operatorfunc = "v:lua.require'agentq.repl.selection'.operator"
  return "g@"
end, { expr = true, desc = "AgentQ: evaluate what the motion goes over" })
vim.keymap.set("x", "<Plug>(agentq-eval)", ":AgentQ eval<CR>", {
  silent = true,
  desc = "AgentQ: evaluate the selection",
})
vim.keymap.set("n", "<Plug>(agentq-eval-buffer)", "<Cmd>%AgentQ eval<CR>", { desc = "AgentQ: evaluate the buffer" })
vim.keymap.set({ "o", "x" }, "<Plug>(agentq-form)", function()
  require("agentq.repl.selection").select_form()
end, { desc = "AgentQ: the top-level form around the cursor" })

local group = vim.api.nvim_create_augroup("agentq", { clear = true })

-- A session brings back names alone: the conversation, the log and the rest are drawn when they are asked for.
vim.api.nvim_create_autocmd("SessionLoadPost", {
  group = group,
  desc = "AgentQ: the buffers of a session's agentq:// names",
  callback = function()
    for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
      if vim.startswith(vim.api.nvim_buf_get_name(bufnr), "agentq://") and vim.bo[bufnr].buftype == "" then
        vim.api.nvim_buf_delete(bufnr, { force = true })
      end
    end
  end,
})

local entered = 0
local function enter()
  entered = entered + 1
  vim.w.agentq_entered = entered
end

enter()
vim.api.nvim_create_autocmd("WinEnter", {
  group = group,
  desc = "AgentQ: which windows were used last",
  callback = enter,
})

vim.api.nvim_create_autocmd("FileType", {
  group = group,
  desc = "AgentQ: join the server of this project",
  callback = function(args)
    if vim.list_contains(require("agentq.config").get().filetypes, args.match) then
      require("agentq.start").on_file(args.buf)
    end
  end,
})

---@param bufnr integer
local function look_at(bufnr)
  local start = package.loaded["agentq.start"]
  if start then
    -- What the file is, and whether it is one, is known by then.
    vim.schedule(function()
      start.on_file(bufnr)
    end)
  end
end

vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile", "BufFilePost" }, {
  group = group,
  desc = "AgentQ: join the server that runs for this project",
  callback = function(args)
    look_at(args.buf)
  end,
})

vim.api.nvim_create_autocmd("OptionSet", {
  group = group,
  pattern = "buftype",
  desc = "AgentQ: join or leave the server that runs for this project",
  callback = function()
    look_at(vim.api.nvim_get_current_buf())
  end,
})
