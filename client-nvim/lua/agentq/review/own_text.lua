-- The texts that a person writes in the place of proposed ones, each in a buffer of its own (see proposed.lua).
local hunks = require("agentq.review.hunks")
local store = require("agentq.review.store")

local M = {}

---@class agentq.review.OwnText
---@field bufnr integer
---@field lines string[] what the person began with
---@field over string what stood at the hunk's place then

---@type table<string, agentq.review.OwnText> by hunk key
local opened = {}

---@type fun(item: agentq.review.Item)[]
local listeners = {}

--- Whatever shows a hunk shows it again when the person's text for the hunk changed.
---@param listener fun(item: agentq.review.Item)
function M.on_change(listener)
  listeners[#listeners + 1] = listener
end

---@param item agentq.review.Item
function M.changed(item)
  for _, listener in ipairs(listeners) do
    listener(item)
  end
end

--- The buffer in which a person writes the text of a hunk, with what they began with.
---@param item agentq.review.Named
---@return agentq.review.OwnText?
function M.of(item)
  return opened[item.key]
end

---@param item agentq.review.Item
---@param own agentq.review.OwnText
function M.begin(item, own)
  opened[item.key] = own
end

--- All that were begun, by hunk key.
---@return table<string, agentq.review.OwnText>
function M.all()
  return opened
end

---@param key string of a hunk
function M.forget(key)
  opened[key] = nil
end

---@param hunk agentq.Hunk
---@param text string
---@return string[]
function M.lines_of(hunk, text)
  text = hunks.is_crlf(hunk) and text:gsub("\r\n", "\n") or text
  return vim.split((text:gsub("\n$", "")), "\n", { plain = true })
end

--- The text in the buffer of a hunk.
---@param item agentq.review.Named
---@param known agentq.review.OwnText
---@return string
local function text_in(item, known)
  local hunk = item.hunk
  local ending = hunks.is_crlf(hunk) and "\r\n" or "\n"
  local text = table.concat(vim.api.nvim_buf_get_lines(known.bufnr, 0, -1, true), ending)
  -- Text in place of other lines ends as those did, so that what follows stays on lines of its own.
  local model = hunk.newText ~= "" and hunk.newText or hunk.oldText
  local current = hunk.currentText or ""
  if hunk.state == "conflict" and current ~= "" then
    model = current
  end
  return text ~= "" and vim.endswith(model, "\n") and text .. ending or text
end

--- The person's own text for a hunk, when they opened and changed the one that they began with.
---@param item agentq.review.Named
---@return string? text
---@return string? over what stood at the hunk's place when they began
function M.edited(item)
  local known = M.of(item)
  if not known or not vim.api.nvim_buf_is_loaded(known.bufnr) then
    return nil
  end
  local lines = vim.api.nvim_buf_get_lines(known.bufnr, 0, -1, true)
  if vim.deep_equal(lines, known.lines) then
    return nil
  end
  return text_in(item, known), known.over
end

--- Like `edited`; who accepts a merge in its own buffer takes the text there, changed or not.
---@param item agentq.review.Item
---@return string? text
---@return string? over
local function taken(item)
  local known, hunk = M.of(item), item.hunk
  local is_here = known and known.bufnr == vim.api.nvim_get_current_buf()
  if known and is_here and hunk.state == "conflict" and not hunks.is_apart(hunk) then
    return text_in(item, known), known.over
  end
  return M.edited(item)
end

--- What an acceptance of a hunk says: that the person's own text goes in, where there is one.
---@param item agentq.review.Item
---@return agentq.HunkDecision
function M.acceptance(item)
  local own, over = taken(item)
  return own and { id = item.hunk.id, decision = "edit", newText = own, currentText = over }
    or { id = item.hunk.id, decision = "accept" }
end

--- The hunk whose proposed text a buffer holds, while the hunk waits.
---@param bufnr integer
---@return agentq.review.Item?
function M.item_in(bufnr)
  local named = vim.b[bufnr].agentq_hunk
  return named and store.item(named.proposal .. "/" .. named.hunk)
end

return M
