-- The review keys live in a buffer only while hunks wait there; what they covered comes back afterwards.
local config = require("agentq.config")

local M = {}

local plugs = {
  next = "<Plug>(agentq-hunk-next)",
  prev = "<Plug>(agentq-hunk-prev)",
  accept = "<Plug>(agentq-hunk-accept)",
  reject = "<Plug>(agentq-hunk-reject)",
  edit = "<Plug>(agentq-hunk-edit)",
  accept_all = "<Plug>(agentq-hunk-accept-all)",
  reject_all = "<Plug>(agentq-hunk-reject-all)",
}

---@type table<integer, {lhs: string, covered: table?}[]> what is set, by buffer
local set = {}

---@param bufnr integer
function M.set(bufnr)
  if set[bufnr] then
    return
  end
  set[bufnr] = {}
  for action, lhs in pairs(config.get().review.keymaps) do
    if lhs and plugs[action] then
      local covered = vim.api.nvim_buf_call(bufnr, function()
        local map = vim.fn.maparg(lhs, "n", false, true)
        return map.buffer == 1 and map or nil
      end)
      table.insert(set[bufnr], { lhs = lhs, covered = covered })
      vim.keymap.set("n", lhs, plugs[action], { buffer = bufnr, remap = true, desc = "AgentQ: " .. action })
    end
  end
end

---@param bufnr integer
function M.restore(bufnr)
  local maps = set[bufnr]
  set[bufnr] = nil
  if not maps or not vim.api.nvim_buf_is_valid(bufnr) then
    return
  end
  vim.api.nvim_buf_call(bufnr, function()
    for _, map in ipairs(maps) do
      pcall(vim.keymap.del, "n", map.lhs, { buffer = bufnr })
      if map.covered then
        vim.fn.mapset("n", false, map.covered)
      end
    end
  end)
end

return M
