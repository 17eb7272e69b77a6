-- The review keys stay in the buffers that had hunks while any hunk waits anywhere, and a moment longer: a key pressed
-- once too often must not become Vim's own `gh`, which changes text. Then what they covered comes back.
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

local LINGER_MS = 2000

---@type integer counts what made an earlier end of the keys void
local generation = 0

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

--- Some hunk waits: the keys stay.
function M.keep()
  generation = generation + 1
end

--- No hunk waits: the keys go in a moment, counted from the last use of one.
function M.release_soon()
  generation = generation + 1
  local mine = generation
  vim.defer_fn(function()
    if mine == generation then
      for _, bufnr in ipairs(vim.tbl_keys(set)) do
        M.restore(bufnr)
      end
    end
  end, LINGER_MS)
end

return M
