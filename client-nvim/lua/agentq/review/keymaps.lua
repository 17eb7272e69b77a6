-- The review keys of buffers: of all that windows show. They stay while any hunk waits anywhere, and a moment longer: a key
-- that is pressed once too often must not become a key of Vim that changes text. A default key never covers a map; a key
-- that the person chose covers a map of the buffer until the review keys go.
local config = require("agentq.config")

local M = {}

local plugs = {
  next = "<Plug>(agentq-hunk-next)",
  prev = "<Plug>(agentq-hunk-prev)",
  accept = "<Plug>(agentq-hunk-accept)",
  reject = "<Plug>(agentq-hunk-reject)",
  edit = "<Plug>(agentq-hunk-edit)",
  split = "<Plug>(agentq-hunk-split)",
  accept_all = "<Plug>(agentq-hunk-accept-all)",
  reject_all = "<Plug>(agentq-hunk-reject-all)",
  test = "<Plug>(agentq-hunk-test)",
  view = "<Plug>(agentq-hunk-view)",
  diff = "<Plug>(agentq-hunk-diff)",
}

--- The modes in which an action has its key, where that is not normal mode alone.
local modes = { accept = { "n", "x" } }

local LINGER_MS = 2000

---@type integer counts what made an earlier end of the keys void
local generation = 0

---@class agentq.review.Key
---@field action string
---@field mode string
---@field lhs string
---@field covered? table

---@type table<integer, table<string, agentq.review.Key>> what is set, by buffer, and by mode and action
local set = {}

---@param mode string
---@param lhs string
---@return table map as |maparg()| tells it, empty for none; of the current buffer
local function map_of(mode, lhs)
  return vim.fn.maparg(lhs, mode, false, true)
end

---@param map table
---@param action string
local function is_ours(map, action)
  return map.buffer == 1 and map.rhs == plugs[action]
end

--- Sets a key of the current buffer where it is missing; others may have mapped or unmapped it since.
---@param maps table<string, agentq.review.Key>
---@param action string
---@param mode string
---@param lhs string
local function set_one(maps, action, mode, lhs)
  local present = map_of(mode, lhs)
  if is_ours(present, action) then
    return
  end
  maps[mode .. action] = nil
  if next(present) == nil or config.chose_key(action) then
    local covered = present.buffer == 1 and present or nil
    maps[mode .. action] = { action = action, mode = mode, lhs = lhs, covered = covered }
    vim.keymap.set(mode, lhs, plugs[action], { buffer = true, remap = true, desc = "AgentQ: " .. action })
  end
end

--- Sets the keys that are missing in a buffer.
---@param bufnr integer
function M.set(bufnr)
  local maps = set[bufnr] or {}
  set[bufnr] = maps
  vim.api.nvim_buf_call(bufnr, function()
    for action, lhs in pairs(config.get().review.keymaps) do
      for _, mode in ipairs(lhs and (modes[action] or { "n" }) or {}) do
        set_one(maps, action, mode, lhs --[[@as string]])
      end
    end
  end)
end

--- Sets the keys in a buffer of ours, which has them as long as it lives.
---@param bufnr integer
---@param instead? fun() what each of them does, where the buffer shows no hunks
function M.set_for_good(bufnr, instead)
  for action, lhs in pairs(config.get().review.keymaps) do
    if lhs then
      local options = { buffer = bufnr, remap = not instead, desc = "AgentQ: " .. action }
      vim.keymap.set("n", lhs, instead or plugs[action], options)
    end
  end
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
  local map = (set[bufnr] or {})["n" .. action]
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
    for _, map in pairs(maps) do
      -- Somebody else's map may have taken the key meanwhile: it stays.
      if is_ours(map_of(map.mode, map.lhs), map.action) then
        vim.keymap.del(map.mode, map.lhs, { buffer = bufnr })
        if map.covered then
          vim.fn.mapset(map.mode, false, map.covered)
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
