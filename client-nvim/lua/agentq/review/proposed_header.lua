-- What stands above a proposed text in its buffer, and what one does not see of the text written out.
local header = require("agentq.review.header")
local own_text = require("agentq.review.own_text")
local viewport = require("agentq.review.viewport")
local visible = require("agentq.review.visible")

local M = {}

local namespace = vim.api.nvim_create_namespace("agentq.proposed")

--- What stands above the text with which a person answers a conflict.
---@param bufnr integer
---@param item agentq.review.Item
---@return [string, string][] facts
---@return [string, string][] hints
local function merge_header(bufnr, item)
  local known, hunk = assert(own_text.of(item)), item.hunk
  local facts = {}
  if hunk.conflict then
    facts[1] = { visible.text(hunk.conflict), "AgentqConflict" }
  end
  local stale = hunk.currentText and known.over ~= hunk.currentText and own_text.edited(item) ~= nil
  local what = own_text.edited(item) and "your merge"
    or vim.deep_equal(known.lines, own_text.lines_of(hunk, hunk.newText)) and "proposed text"
    or "the text as it is now"
  facts[#facts + 1] = { stale and what .. ", of an older text" or what, stale and "AgentqConflict" or "AgentqHunk" }
  local hints = header.hints(bufnr, { "accept", "reject" }, hunk.kind == "create" and not own_text.edited(item))
  if hunk.currentText then
    local other = what == "the text as it is now" and not stale and "the proposed text" or "the text as it is now"
    hints[#hints + 1] = { ("%s from %s"):format(header.how(bufnr, "edit"), other), "AgentqHint" }
  end
  return facts, hints
end

--- The header above the text, and what one does not see of the text written out.
---@param bufnr integer
function M.draw(bufnr)
  local item = own_text.item_in(bufnr)
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  if not item then
    return
  end
  local room = viewport.of(bufnr)
  local creates = item.hunk.kind == "create"
  local what = creates and "new file" or own_text.edited(item) and "your text" or "proposed text, change it as you like"
  local entry = item.hunk.kind == "entry"
  if entry then
    what = visible.text(item.hunk.title)
  end
  local facts, hints = { { what, "AgentqHunk" } }, header.hints(bufnr, { "accept", "reject" })
  if item.hunk.state == "conflict" and entry then
    facts[2] = { visible.text(item.hunk.conflict or "it cannot be put there"), "AgentqConflict" }
  elseif item.hunk.state == "conflict" then
    facts, hints = merge_header(bufnr, item)
  end
  local rows = header.rows(item, room.width, facts, hints)
  vim.api.nvim_buf_set_extmark(bufnr, namespace, 0, 0, { virt_lines = rows, virt_lines_above = true })
  if creates or entry then
    vim.api.nvim_buf_set_extmark(bufnr, namespace, 0, 0, {
      end_row = vim.api.nvim_buf_line_count(bufnr),
      end_col = 0,
      hl_group = entry and item.hunk.newText == "" and "AgentqDelete" or "AgentqAdd",
      hl_eol = true,
      strict = false,
    })
  end
  visible.write_out(bufnr, namespace)
  viewport.show_above(bufnr, { [0] = #rows })
  viewport.watch(bufnr, room, M.draw)
end

return M
