-- Questions about dangerous calls that are not edits. They wait in the transcript; :AgentQ approve or deny answers.
local events = require("agentq.events")

local M = {}

---@type {client_id: integer, approval: agentq.Approval}[] oldest first
local waiting = {}

---@param approval agentq.Approval
---@return string
local function words(approval)
  if approval.question then
    local answers = approval.answers or { approved = "Yes", denied = "No" }
    return ("%s\n  %s\n  %s\n  :AgentQ approve  %s    :AgentQ deny  %s"):format(
      approval.question,
      approval.why,
      approval.risk,
      answers.approved,
      answers.denied
    )
  end
  local brief = require("agentq.chat.transcript").brief(approval.arguments)
  return ("%s(%s) asks: %s\n  Risk: %s\n  :AgentQ approve [session]  or  :AgentQ deny {reason}"):format(
    approval.tool,
    brief,
    approval.why,
    approval.risk
  )
end

--- A question that belongs to no call of the model may come with no chat on screen: the one who evaluates waits for it.
---@param client_id integer
---@param approval agentq.Approval
local function ask_aloud(client_id, approval)
  local lines = vim.split(words(approval), "\n")
  require("agentq.repl.logs").of(client_id):append(lines, "AgentqNotice")
  require("agentq.float").show(lines, { title = "AgentQ asks", groups = { "AgentqWarning" } })
  vim.notify("AgentQ: a question waits for :AgentQ approve or deny", vim.log.levels.WARN)
end

---@param client_id integer
---@param approval agentq.Approval
function M.on_approval(client_id, approval)
  waiting[#waiting + 1] = { client_id = client_id, approval = approval }
  require("agentq.chat.chat").of(client_id):note("warning", words(approval))
  if approval.question then
    ask_aloud(client_id, approval)
  elseif require("agentq.config").get().notify then
    vim.notify(("AgentQ: %s waits for :AgentQ approve or deny"):format(approval.tool), vim.log.levels.INFO)
  end
  events.fire("Approval", { approval = approval })
end

---@param params {approvalId: string}
function M.on_changed(params)
  waiting = vim.tbl_filter(function(entry)
    return entry.approval.approvalId ~= params.approvalId
  end, waiting)
end

---@param client_id integer
function M.forget_client(client_id)
  waiting = vim.tbl_filter(function(entry)
    return entry.client_id ~= client_id
  end, waiting)
end

---@return integer
function M.count()
  return #waiting
end

--- Answers the oldest question of the current project, else of any.
---@param decision "approved"|"denied"
---@param message? string
---@param stop boolean end the turn after a denial
---@param for_session? boolean approve all later calls of that tool in the conversation too
function M.answer(decision, message, stop, for_session)
  local entry = require("agentq.client").ours_first(waiting)[1]
  if not entry then
    vim.notify("AgentQ: no call waits for approval", vim.log.levels.INFO)
    return
  end
  local client = vim.lsp.get_client_by_id(entry.client_id)
  if not client then
    return
  end
  local params = {
    approvalId = entry.approval.approvalId,
    decision = decision,
    message = message,
    ["then"] = stop and "stop" or "continue",
    remember = for_session and "session" or nil,
  }
  require("agentq.client").request(client, "agentq/answerApproval", params, function(err)
    if err then
      vim.notify("AgentQ: " .. err.message, vim.log.levels.ERROR)
      return
    end
    M.on_changed(entry.approval)
  end)
end

return M
