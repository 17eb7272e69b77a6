-- Questions about dangerous calls that are not edits. They wait in the transcript; :AgentQ approve or deny answers.
local chats = require("agentq.chat.chats")
local client = require("agentq.client")
local events = require("agentq.events")
local float = require("agentq.float")
local question = require("agentq.chat.question")
local questions = require("agentq.chat.questions")
local say = require("agentq.say")

local M = {}

--- Shows a question that belongs to no call of the model. The chat may not be on screen while the person who evaluates
--- waits for it.
---@param client_id integer
---@param approval agentq.Approval
---@param lines string[]
local function ask_aloud(client_id, approval, lines)
  local log = require("agentq.repl.logs").of(client_id)
  log:append(lines, "AgentqNotice")
  if require("agentq.repl.running").busy(log) or log.own_calls > 0 then
    local options = { title = "AgentQ asks", groups = { "AgentqWarning" }, subject = approval.approvalId }
    float.show(lines, options)
  end
end

---@param client_id integer
---@param approval agentq.Approval
function M.on_approval(client_id, approval)
  questions.add(client_id, approval)
  local lines, groups = question.lines(approval)
  local yes, no = question.answers(approval)
  for _, line in ipairs({
    "  :AgentQ question   reads it and answers with a key",
    "  :AgentQ approve    " .. yes,
    "  :AgentQ deny       " .. (approval.question and no or "{reason}"),
  }) do
    lines[#lines + 1] = line
    groups[#lines] = "AgentqHint"
  end
  local chat = chats.of(client_id)
  chat:note("warning", table.concat(lines, "\n"), groups)
  chat:refresh_status()
  if approval.question then
    ask_aloud(client_id, approval, lines)
  end
  if approval.question or require("agentq.config").get().notify then
    say.warn(("%s asks: :AgentQ question"):format(approval.tool))
  end
  events.fire("Approval", { approval = approval })
end

---@param params agentq.ApprovalChanged
function M.on_changed(params)
  float.close(params.approvalId)
  question.close(params.approvalId)
  questions.remove(params.approvalId)
end

client.on_exit(function(client_id)
  for _, approval in ipairs(questions.of(client_id)) do
    M.on_changed({ approvalId = approval.approvalId, state = "withdrawn" })
  end
end)

--- The oldest question of the current project, else of any.
---@return agentq.Question?
local function next_question()
  local entry = client.ours_first(questions.all())[1]
  if not entry then
    say.info("no call waits for approval")
  end
  return entry
end

---@class agentq.chat.Answer an `agentq.AnswerApprovalParams` without the id
---@field decision "approved"|"denied"|"modified"
---@field arguments? table<string, any>
---@field message? string
---@field remember? "session"|"workspace"
---@field then? "continue"|"stop"

---@param entry agentq.Question
---@param answer agentq.chat.Answer
---@param done? fun() called when the server has taken the answer
local function send(entry, answer, done)
  local connection = vim.lsp.get_client_by_id(entry.client_id)
  if not connection then
    return
  end
  local params = vim.tbl_extend("keep", { approvalId = entry.approval.approvalId }, answer)
  client.request(connection, "agentq/answerApproval", params, function(err, result)
    if err then
      return say.error(err.message)
    elseif not result.accepted then
      return say.warn("that call waits no more: nothing was answered")
    end
    M.on_changed({ approvalId = entry.approval.approvalId, state = "answered" })
    chats.refresh(entry.client_id)
    if done then
      done()
    end
  end)
end

--- Answers the oldest question of the current project, else of any.
---@param decision "approved"|"denied"
---@param message? string
---@param stop boolean end the turn after a denial
---@param remember? "session"|"workspace" do not ask again for exactly this call, for so long
function M.answer(decision, message, stop, remember)
  local entry = next_question()
  if entry then
    local after = stop and "stop" or "continue"
    send(entry, { decision = decision, message = message, ["then"] = after, remember = remember })
  end
end

--- Shows the whole of a question, with keys that answer it.
function M.open()
  local entry = next_question()
  if entry then
    local approval = entry.approval
    local can_edit = approval.toolCallId and next(approval.arguments or {}) ~= nil
    question.open(approval, {
      answer = function(decision, message, remember)
        send(entry, { decision = decision, message = message, remember = remember })
      end,
      edit = can_edit and function()
        require("agentq.chat.arguments").edit(approval, function(arguments, done)
          send(entry, { decision = "modified", arguments = arguments }, done)
        end)
      end or nil,
    })
  end
end

return M
