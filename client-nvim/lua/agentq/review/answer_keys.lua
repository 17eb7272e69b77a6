-- The plain keys that answer the hunk under the cursor, where its text is not the person's to change. The keys of files
-- work there too: of `\ar`, a reject, the plain keys alone would take the `a`.
local actions = require("agentq.review.actions")
local float = require("agentq.float")
local keymaps = require("agentq.review.keymaps")

local M = {}

local keys = {
  { "a", "accept", "accept the hunk" },
  { "r", "reject", "reject it, with a reason" },
  { "e", "edit", "change its text" },
  { "s", "split", "split it" },
  { "t", "test", "run the tests of the proposed text" },
  { "A", "accept_all", "accept all of the proposal" },
  { "R", "reject_all", "reject all of the proposal" },
}

--- Shows the keys.
---@param more string[] what else there is
function M.help(more)
  local lines = {}
  for _, each in ipairs(keys) do
    lines[#lines + 1] = ("%-5s %s"):format(each[1], each[3])
  end
  float.list_keys(vim.list_extend(lines, more), "Keys of the review")
end

---@param bufnr integer
---@param help fun() what `?` does
function M.set(bufnr, help)
  local function map(lhs, run, desc)
    vim.keymap.set("n", lhs, run, { buffer = bufnr, nowait = true, desc = "AgentQ: " .. desc })
  end
  for _, each in ipairs(keys) do
    map(each[1], function()
      actions[each[2]]()
    end, each[3])
  end
  keymaps.set_for_good(bufnr)
  map("?", help, "help")
end

return M
