-- Extmarks that follow the person's edits, so that a hunk is found where its old text moved to.
local hunks = require("agentq.review.hunks")

local M = {}

local namespace = vim.api.nvim_create_namespace("agentq.anchors")

---@class agentq.review.Mark
---@field id integer
---@field below boolean the place is the line after the mark: an insertion at the end of the buffer
---@field around agentq.review.Around the lines around the hunk when its old text was last seen

---@type table<integer, table<string, agentq.review.Mark>> by buffer, by hunk key
local marks = {}

---@class agentq.review.Place
---@field item agentq.review.Item
---@field view agentq.HunkView
---@field first integer 0-based row of the first old line, or of the line an insertion goes before
---@field intact boolean the old text still stands there
---@field own boolean the new text is the person's

---@param item agentq.review.Item
function M.key(item)
  return item.entry.proposal.proposalId .. "/" .. item.hunk.id
end

--- Whether lines of another piece of the same hunk, which stand below those of this one, come to its very place.
---@param item agentq.review.Item
---@return boolean
local function stays_above(item)
  local hunk = item.hunk
  if hunk.oldText ~= "" or not hunk.id:find(".", 1, true) then
    return false
  end
  local is_below = false
  for _, other in ipairs(item.entry.proposal.hunks) do
    local here = other.uri == hunk.uri and vim.deep_equal(other.range.start, hunk.range.start)
    if is_below and here and other.oldText == "" and (other.state == "accepted" or other.state == "edited") then
      return true
    end
    is_below = is_below or other.id == hunk.id
  end
  return false
end

---@param bufnr integer
---@param item agentq.review.Item
---@param count integer of the buffer's lines
---@return integer?
local function marked_row(bufnr, item, count)
  local mark = (marks[bufnr] or {})[M.key(item)]
  local position = mark and vim.api.nvim_buf_get_extmark_by_id(bufnr, namespace, mark.id, {})
  if not position or not position[1] then
    return nil
  elseif mark.below then
    -- No mark stands below the last line and moves on with what is appended.
    return stays_above(item) and position[1] + 1 or count
  end
  return position[1]
end

--- Finds where a hunk stands in its buffer now, and marks the place.
---@param bufnr integer
---@param item agentq.review.Item
---@param lines? string[] the buffer's, when the caller has them
---@return agentq.review.Place
function M.place(bufnr, item, lines)
  lines = lines or vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
  local client = vim.lsp.get_client_by_id(item.entry.client_id)
  local own = require("agentq.review.proposed").edited_text(item)
  local hunk = own and vim.tbl_extend("force", item.hunk, { newText = own }) or item.hunk
  local view = hunks.view(hunk, function(row)
    return lines[row + 1] or ""
  end, client and client.offset_encoding or "utf-16")
  marks[bufnr] = marks[bufnr] or {}
  local known = marks[bufnr][M.key(item)]
  local first, intact = hunks.locate(view, lines, marked_row(bufnr, item, #lines), known and known.around)
  local id = vim.api.nvim_buf_set_extmark(bufnr, namespace, math.min(first, #lines - 1), 0, {
    id = known and known.id,
    right_gravity = not stays_above(item),
  })
  local around = (intact or not known) and hunks.around(view, lines, first) or known.around
  marks[bufnr][M.key(item)] = { id = id, below = first >= #lines, around = around }
  return { item = item, view = view, first = first, intact = intact, own = own ~= nil }
end

--- Marks the places of hunks that have none yet.
---@param bufnr integer
---@param items agentq.review.Item[]
function M.mark(bufnr, items)
  local lines
  for _, item in ipairs(items) do
    if not (marks[bufnr] or {})[M.key(item)] then
      lines = lines or vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
      M.place(bufnr, item, lines)
    end
  end
end

--- About where a hunk stands in a loaded buffer: where its mark is, whatever its lines have become.
---@param bufnr integer
---@param item agentq.review.Item
---@return integer row 0-based
function M.row(bufnr, item)
  return marked_row(bufnr, item, vim.api.nvim_buf_line_count(bufnr)) or item.hunk.range.start.line
end

--- The buffer's marks are gone with its text.
---@param bufnr integer
function M.forget(bufnr)
  marks[bufnr] = nil
end

return M
