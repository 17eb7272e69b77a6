-- One quickfix entry per pending hunk. The list is made when a person asks for the review, never on arrival: the
-- quickfix list in use stays the person's own, and `:colder` brings it back.
local navigate = require("agentq.review.navigate")
local proposed = require("agentq.review.proposed")

local M = {}

---@type integer?
local list_id

---@return integer count
function M.fill()
  local items = vim.tbl_map(function(stop)
    local hunk = stop.item.hunk
    local creates = hunk.kind == "create"
    return {
      bufnr = creates and proposed.buffer(stop.item) or nil,
      filename = not creates and vim.uri_to_fname(hunk.uri) or nil,
      lnum = creates and 1 or stop.row + 1,
      text = ("%d/%d %s: %s"):format(stop.item.number, stop.item.total, stop.item.entry.proposal.title, hunk.title),
    }
  end, navigate.stops())
  local known = list_id and vim.fn.getqflist({ id = list_id, title = 0 }).title ~= ""
  local what = { title = "AgentQ hunks", items = items, id = known and list_id or nil }
  vim.fn.setqflist({}, known and "r" or " ", what)
  list_id = known and list_id or vim.fn.getqflist({ id = 0 }).id
  return #items
end

return M
