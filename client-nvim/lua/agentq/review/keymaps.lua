-- The review keys of buffers. They stay while any hunk waits anywhere, and a moment longer: a key that is pressed once
-- too often must not become a key of Vim that changes text. A default key never covers a map; a key that the person
-- chose covers a map of the buffer until the review keys go.
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
  test = "<Plug>(agentq-hunk-test)",
}

local LINGER_MS = 2000

---@type integer counts what made an earlier end of the keys void
local generation = 0

---@type table<integer, table<string, {lhs: string, covered: table?}>> what is set, by buffer and action
local set = {}

---@param lhs string
---@return table map as |maparg()| tells it, empty for none; of the current buffer
local function map_of(lhs)
  return vim.fn.maparg(lhs, "n", false, true)
end

---@param map table
---@param action string
local function is_ours(map, action)
  return map.buffer == 1 and map.rhs == plugs[action]
end

--- Sets the keys that are missing in a buffer; others may have mapped or unmapped one since.
---@param bufnr integer
function M.set(bufnr)
  local maps = set[bufnr] or {}
  set[bufnr] = maps
  vim.api.nvim_buf_call(bufnr, function()
    for action, lhs in pairs(config.get().review.keymaps) do
      local present = lhs and map_of(lhs)
      local free = present and (next(present) == nil or config.chose_key(action))
      if present and not is_ours(present, action) then
        maps[action] = nil
      end
      if present and free and not is_ours(present, action) then
        maps[action] = { lhs = lhs, covered = present.buffer == 1 and present or nil }
        vim.keymap.set("n", lhs, plugs[action], { buffer = bufnr, remap = true, desc = "AgentQ: " .. action })
      end
    end
  end)
end

--- A key as a person reads it, such as `\aa`.
---@param lhs string
---@return string
function M.readable(lhs)
  local leader = vim.g.maplocalleader
  leader = (leader == nil or leader == "") and "\\" or leader
  local keys = lhs:gsub("<[lL]ocal[lL]eader>", function()
    return vim.fn.keytrans(leader)
  end)
  return keys
end

--- The key for an action as a person reads it; nil while the buffer has none.
---@param bufnr integer
---@param action string
---@return string?
function M.key(bufnr, action)
  local map = (set[bufnr] or {})[action]
  return map and M.readable(map.lhs)
end

---@param bufnr integer
function M.restore(bufnr)
  local maps = set[bufnr]
  set[bufnr] = nil
  if not maps or not vim.api.nvim_buf_is_valid(bufnr) then
    return
  end
  vim.api.nvim_buf_call(bufnr, function()
    for action, map in pairs(maps) do
      -- Somebody else's map may have taken the key meanwhile: it stays.
      if is_ours(map_of(map.lhs), action) then
        vim.keymap.del("n", map.lhs, { buffer = bufnr })
        if map.covered then
          vim.fn.mapset("n", false, map.covered)
        end
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
