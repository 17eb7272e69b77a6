-- What stands around the words of the model: what the person said, notices, answers of commands, how a turn ended.
local M = {}

local notice_marks = {
  info = { "·", "AgentqNotice" },
  warning = { "!", "AgentqWarning" },
  error = { "✗", "AgentqError" },
}
local end_words = {
  endTurn = "done",
  cancelled = "cancelled",
  stopped = "stopped by you",
  maxTokens = "stopped: the answer reached its length limit",
  maxRounds = "stopped: too many rounds of tool calls",
  refusal = "the model refused",
  budget = "stopped by the budget",
  error = "failed",
  cut = "cut off",
}

---@param ops agentq.chat.Op[]
---@param lines string[]
---@param hl? string
---@param groups? table<integer, string>
function M.lines(ops, lines, hl, groups)
  ops[#ops + 1] = { kind = "lines", lines = lines, hl = hl, groups = groups }
end

--- What the person said, and what went along with it.
---@param event agentq.chat.Event
---@param ops agentq.chat.Op[]
function M.prompt(event, ops)
  ops[#ops + 1] = { kind = "gap" }
  local lines = vim.split(event.text or "", "\n", { plain = true })
  for index, line in ipairs(lines) do
    lines[index] = (index == 1 and "❯ " or "  ") .. line
  end
  local groups = {}
  local names, place = vim.list_slice(event.attached or {}), event.place
  for _, name in ipairs(place and names or {}) do
    -- What is selected where the cursor is stands there once.
    place = vim.startswith(place, name .. " · ") and place:sub(#name + #" · " + 1) or place
  end
  for _, name in ipairs(vim.list_extend(names, { place })) do
    lines[#lines + 1] = "  ⊕ " .. name
    groups[#lines] = "AgentqHint"
  end
  M.lines(ops, lines, "AgentqUser", groups)
  ops[#ops].message = vim.tbl_extend("force", { text = event.text or "" }, event.message_of or {})
  ops[#ops + 1] = { kind = "gap" }
end

--- The question stands above the answer already, unless the command was given while another turn ran.
---@param state agentq.chat.Transcript
---@param event agentq.chat.Event
---@param ops agentq.chat.Op[]
function M.answer(state, event, ops)
  if event.asked ~= state.asked then
    M.prompt({ kind = "queuedPrompt", text = event.asked }, ops)
  end
  ops[#ops + 1] = { kind = "gap" }
  if event.failed then
    M.lines(ops, vim.split("✗ " .. event.text, "\n", { plain = true }), "AgentqError")
  else
    ops[#ops + 1] = { kind = "append", text = event.text }
  end
  ops[#ops + 1] = { kind = "gap" }
end

---@param event agentq.chat.Event
---@param ops agentq.chat.Op[]
function M.notice(event, ops)
  local mark = notice_marks[event.level] or notice_marks.info
  local lines = vim.split(event.message or "", "\n", { plain = true })
  lines[1] = mark[1] .. " " .. lines[1]
  M.lines(ops, lines, mark[2], event.groups)
end

--- How a turn ended, how long it took and how much it was.
---@param state agentq.chat.Transcript
---@param event agentq.chat.Event
---@param now number
---@param ops agentq.chat.Op[]
function M.turn_ended(state, event, now, ops)
  if event.message and event.message ~= "" then
    M.lines(ops, vim.split("✗ " .. event.message, "\n", { plain = true }), "AgentqError")
  end
  local line = ("── %s · %.1f s"):format(end_words[event.reason] or event.reason, (now - state.started) / 1000)
  if state.tokens.input + state.tokens.output > 0 then
    line = ("%s · %d tokens in, %d out"):format(line, state.tokens.input, state.tokens.output)
  end
  ops[#ops + 1] = { kind = "gap" }
  M.lines(ops, { line }, event.reason == "endTurn" and "AgentqUsage" or "AgentqWarning")
end

return M
