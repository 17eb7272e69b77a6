-- One quickfix entry per pending hunk. The list is made when a person asks for the review, never on arrival: the
-- quickfix list in use stays the person's own, and `:colder` brings it back.
local buffers = require("agentq.buffers")
local hunks = require("agentq.review.hunks")
local proposed = require("agentq.review.proposed")
local stops = require("agentq.review.stops")
local visible = require("agentq.review.visible")

local M = {}

--- Of a line and of a reason, in cells.
local SHOWN = 60

---@type integer?
local list_id

--- Is the list that was made still among the quickfix lists?
---@return boolean
local function exists()
  return list_id ~= nil and vim.fn.getqflist({ id = list_id, nr = 0 }).nr > 0
end

--- What a hunk does, as in `−2 +3 if (count > 10) {` or `+60 create src/big.ts`.
---@param hunk agentq.Hunk
---@return string
local function change(hunk)
  local old, new = hunks.sides(hunk)
  local counts = {}
  counts[1] = #old > 0 and ("−%d"):format(#old) or nil
  counts[#counts + 1] = #new > 0 and ("+%d"):format(#new) or nil
  local telling = hunk.title
  if hunk.kind == "edit" then
    telling = vim.iter(#new > 0 and new or old):find(function(line)
      return line:find("%w") ~= nil
    end)
  end
  counts[#counts + 1] = telling and visible.short(telling, SHOWN)
  return table.concat(counts, " ")
end

---@return table[]
local function entries()
  return vim.tbl_map(function(stop)
    local hunk = stop.item.hunk
    local apart = hunks.is_apart(hunk)
    return {
      bufnr = apart and proposed.buffer(stop.item) or nil,
      -- The name of a buffer of ours tells nobody anything.
      module = apart and vim.fn.fnamemodify(vim.uri_to_fname(hunk.uri), ":~:.") or nil,
      filename = not apart and buffers.name(hunk.uri) or nil,
      lnum = apart and 1 or stop.row + 1,
      text = ("%d/%d %s%s · %s"):format(
        stop.item.number,
        stop.item.total,
        hunk.state == "conflict" and "[in conflict] " or "",
        change(hunk),
        hunks.reason(stop.item.entry.proposal, SHOWN)
      ),
    }
  end, stops.all())
end

--- Makes the list, or the made one current in content.
---@return integer count
function M.fill()
  local items = entries()
  local known = exists()
  vim.fn.setqflist({}, known and "r" or " ", { title = "AgentQ hunks", items = items, id = known and list_id or nil })
  list_id = known and list_id or vim.fn.getqflist({ id = 0 }).id
  return #items
end

local is_due = false

--- Keeps a list that was made in step with what is still pending, once the screen shows what a key did.
function M.update()
  if is_due or not list_id then
    return
  end
  is_due = true
  vim.schedule(function()
    is_due = false
    if exists() then
      M.fill()
    end
  end)
end

return M
