-- A whole file beside the text that its hunks would make of it, in Neovim's diff mode. The right side is the person's to
-- change: what they change of a hunk is their text of that hunk, what they change elsewhere they change in the file.
local buffers = require("agentq.buffers")
local composed = require("agentq.review.composed")
local edits = require("agentq.review.edits")
local hunks = require("agentq.review.hunks")
local keymaps = require("agentq.review.keymaps")
local own_text = require("agentq.review.own_text")
local proposed = require("agentq.review.proposed")
local review = require("agentq.review.review")
local say = require("agentq.say")
local store = require("agentq.review.store")
local syntax = require("agentq.review.syntax")
local visible = require("agentq.review.visible")

local M = {}

local namespace = vim.api.nvim_create_namespace("agentq.diff")

---@class agentq.review.Diff
---@field uri string
---@field left integer buffer of the text as it is
---@field right integer buffer of the text with the hunks
---@field text string[] what the right side was written with
---@field segments agentq.review.Segment[]

---@type agentq.review.Diff?
local opened
local is_writing = false

--- Has a hunk a text that can be compared? What moves a file, or puts something in its place, has none.
---@param item agentq.review.Item
---@return boolean
function M.has_text(item)
  return vim.list_contains({ "edit", "create" }, item.hunk.kind)
end

--- The file's lines, and the places of its hunks that wait.
---@param uri string
---@return string[] lines
---@return agentq.review.Place[] places
local function now(uri)
  local bufnr = buffers.loaded(uri) or vim.uv.fs_stat(vim.uri_to_fname(uri)) and buffers.load(uri)
  if not bufnr then
    return {}, {}
  end
  local places = vim.tbl_filter(function(place)
    return M.has_text(place.item)
  end, review.places(bufnr))
  return vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), places
end

--- The hunks of a file that stands nowhere yet.
---@param uri string
---@return agentq.review.Place[]
local function new_file(uri)
  for _, item in ipairs(store.pending()) do
    if item.hunk.uri == uri and item.hunk.kind == "create" then
      local own = own_text.edited(item)
      local hunk = own and vim.tbl_extend("force", item.hunk, { newText = own }) or item.hunk
      local view = hunks.view(hunk, function()
        return ""
      end, "utf-16")
      return { { item = item, view = view, first = 0, intact = true, own = own ~= nil } }
    end
  end
  return {}
end

--- Writes lines where they differ, so that the cursor, undo and folds stay as they were elsewhere.
---@param bufnr integer
---@param lines string[]
---@return boolean changed
local function put(bufnr, lines)
  local is_modifiable = vim.bo[bufnr].modifiable
  vim.bo[bufnr].modifiable = true
  local before = vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
  local changes = edits.line_changes(before, #lines > 0 and lines or { "" })
  for _, change in ipairs(changes) do
    vim.api.nvim_buf_set_lines(bufnr, change.first, math.min(change.last, #before), false, change.lines)
  end
  vim.bo[bufnr].modifiable = is_modifiable
  vim.bo[bufnr].modified = false
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  visible.write_out(bufnr, namespace)
  return #changes > 0
end

--- Is somebody in the middle of a line there?
---@param bufnr integer
local function is_typed_into(bufnr)
  return vim.api.nvim_get_current_buf() == bufnr and vim.api.nvim_get_mode().mode:match("^[iR]") ~= nil
end

--- Writes both sides anew.
function M.refresh()
  local diff = opened
  if not diff or is_writing or is_typed_into(diff.right) then
    return
  end
  local lines, places = now(diff.uri)
  diff.text, diff.segments = composed.compose(lines, #places > 0 and places or new_file(diff.uri))
  local is_other, is_new = put(diff.left, lines), put(diff.right, diff.text)
  local window = vim.fn.win_findbuf(diff.left)[1]
  if window and (is_other or is_new) then
    -- Neovim 0.10 never ends drawing two sides of which it does not know yet how they differ.
    vim.api.nvim_win_call(window, vim.cmd.diffupdate)
  end
  if #store.pending() > 0 then
    keymaps.set(diff.right)
  end
  vim.cmd.redrawstatus({ bang = true })
end

--- Takes what the person changed on the right side.
function M.take()
  local diff = opened
  if not diff or is_writing or is_typed_into(diff.right) then
    return
  end
  local text = vim.api.nvim_buf_get_lines(diff.right, 0, -1, true)
  local of_hunks, of_file = composed.changes(diff.segments, #diff.text > 0 and diff.text or { "" }, text)
  if next(of_hunks) == nil and #of_file == 0 then
    return
  end
  is_writing = true
  for index, lines in pairs(of_hunks) do
    local place = diff.segments[index].place
    if not proposed.put(place, lines) then
      local title = visible.text(place.item.hunk.title)
      say.warn(("%s is decided as it is: your change is not taken, u brings it back"):format(title))
    end
  end
  local bufnr = #of_file > 0 and buffers.loaded(diff.uri)
  for _, change in ipairs(bufnr and of_file or {}) do
    vim.api.nvim_buf_set_lines(bufnr --[[@as integer]], change.first, change.last, false, change.lines)
  end
  is_writing = false
  if bufnr then
    review.refresh(bufnr --[[@as integer]])
  end
  M.refresh()
end

---@return agentq.review.Diff?
function M.opened()
  return opened
end

--- Shows the file of a hunk.
---@param item agentq.review.Item
---@return boolean shown false when the file cannot be read; the reason is told
function M.show(item)
  local diff = assert(opened)
  if not hunks.is_apart(item.hunk) then
    local bufnr, err = buffers.load(item.hunk.uri)
    if not bufnr then
      say.error(err --[[@as string]])
      return false
    end
    review.refresh(bufnr)
  end
  diff.uri = item.hunk.uri
  M.refresh()
  for _, bufnr in ipairs({ diff.left, diff.right }) do
    syntax.set(bufnr, vim.uri_to_fname(diff.uri))
    for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
      local breaks = not syntax.has_long_line(bufnr)
      vim.api.nvim_set_option_value("linebreak", breaks, { scope = "local", win = window })
    end
  end
  return true
end

--- Follows the two buffers of a diff from here on.
---@param diff agentq.review.Diff
function M.follow(diff)
  opened = diff
  vim.api.nvim_create_autocmd({ "TextChanged", "InsertLeave" }, { buffer = diff.right, callback = M.take })
  vim.api.nvim_create_autocmd("BufWriteCmd", {
    buffer = diff.right,
    callback = function()
      M.take()
      say.info("your text is kept; accepting the hunk takes it")
    end,
  })
  for _, bufnr in ipairs({ diff.left, diff.right }) do
    vim.api.nvim_create_autocmd("BufWipeout", {
      buffer = bufnr,
      callback = function()
        opened = nil
      end,
    })
  end
end

return M
