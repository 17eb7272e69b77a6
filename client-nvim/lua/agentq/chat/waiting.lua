-- Words for what waits for the person, and for the outcome of a proposal.
local questions = require("agentq.chat.questions")
local store = require("agentq.review.store")
local visible = require("agentq.review.visible")

local M = {}

---@param count integer
---@param noun string
---@return string
local function number(count, noun)
  return ("%d %s%s"):format(count, noun, count == 1 and "" or "s")
end

---@param client_id integer
---@return agentq.review.Item[] hunks
---@return agentq.Approval? question the oldest one
---@return integer questions
local function waits(client_id)
  local approvals = questions.of(client_id)
  return store.pending_of(client_id), approvals[1], #approvals
end

--- For the line above the transcript; nil while nothing waits.
---@param client_id integer
---@return string?
function M.words(client_id)
  local hunks, question, count_asked = waits(client_id)
  if question then
    local more = count_asked > 1 and (" (1 of %d)"):format(count_asked) or ""
    return ("%s asks%s · :AgentQ question"):format(visible.short(question.tool, 40), more)
  end
  local count = #hunks
  return count > 0 and ("%s wait%s · :AgentQ review"):format(number(count, "hunk"), count == 1 and "s" or "") or nil
end

--- The key of an action as it is set in the file of a hunk, else as it will be.
---@param item agentq.review.Item
---@param action string
---@return string?
local function review_key(item, action)
  local keymaps = require("agentq.review.keymaps")
  local bufnr = require("agentq.buffers").loaded(item.hunk.uri)
  if bufnr then
    return keymaps.key(bufnr, action)
  end
  local lhs = require("agentq.config").get().review.keymaps[action]
  return lhs and keymaps.readable(lhs) or nil
end

--- For the line above the message: how to answer what waits.
---@param client_id integer
---@return string?
function M.keys(client_id)
  local hunks, question = waits(client_id)
  if question then
    return ":AgentQ approve · :AgentQ deny {reason}"
  elseif #hunks == 0 then
    return nil
  end
  local parts = {}
  for _, action in ipairs({ "accept", "reject", "next", "edit" }) do
    local key = review_key(hunks[1], action)
    if key then
      parts[#parts + 1] = ("%s %s"):format(key, action)
    end
  end
  -- These keys are those of Normal mode: where the message is written they would type.
  return #parts > 0 and "in the file: " .. table.concat(parts, " · ") or nil
end

--- For a question before what waits is withdrawn; nil while nothing of that waits.
---@param client_id integer
---@param is_withdrawn fun(tool_call_id: string): boolean whether what a call waits for goes
---@return string?
function M.loss(client_id, is_withdrawn)
  local count, parts = 0, {}
  for _, item in ipairs(store.pending_of(client_id)) do
    local call = item.entry.proposal.toolCallId
    count = count + (call and is_withdrawn(call) and 1 or 0)
  end
  if count > 0 then
    parts[1] = number(count, "hunk")
  end
  local has_question = vim.iter(questions.of(client_id)):any(function(approval)
    return approval.toolCallId ~= nil and is_withdrawn(approval.toolCallId)
  end)
  if has_question then
    parts[#parts + 1] = "a question"
  end
  return #parts > 0 and table.concat(parts, " and ") or nil
end

--- What became of a proposal that waits no more.
---@param proposal agentq.Proposal
---@return string
function M.outcome(proposal)
  if proposal.state == "withdrawn" then
    return "was withdrawn"
  end
  local counts = {}
  for _, hunk in ipairs(proposal.hunks) do
    local state = hunk.takenBack and "takenBack" or hunk.state
    counts[state] = (counts[state] or 0) + 1
  end
  local parts = {}
  for _, known in ipairs({
    { "accepted", "accepted" },
    { "edited", "accepted with your text" },
    { "takenBack", "taken back" },
    { "rejected", "rejected" },
    { "conflict", "in conflict" },
    { "pending", "waiting" },
  }) do
    local count = counts[known[1]]
    parts[#parts + 1] = count and ("%d %s"):format(count, known[2]) or nil
  end
  return ("%s: %s"):format(number(#proposal.hunks, "hunk"), table.concat(parts, ", "))
end

return M
