-- The questions about dangerous calls that wait for the person.
local M = {}

---@class agentq.Question
---@field client_id integer
---@field approval agentq.Approval

---@type agentq.Question[] oldest first
local waiting = {}

---@param client_id integer
---@param approval agentq.Approval
function M.add(client_id, approval)
  waiting[#waiting + 1] = { client_id = client_id, approval = approval }
end

---@param approval_id string
function M.remove(approval_id)
  waiting = vim.tbl_filter(function(entry)
    return entry.approval.approvalId ~= approval_id
  end, waiting)
end

---@return agentq.Question[] oldest first
function M.all()
  return waiting
end

---@return integer
function M.count()
  return #waiting
end

---@param client_id integer
---@return agentq.Approval[] oldest first
function M.of(client_id)
  local approvals = {}
  for _, entry in ipairs(waiting) do
    approvals[#approvals + 1] = entry.client_id == client_id and entry.approval or nil
  end
  return approvals
end

return M
