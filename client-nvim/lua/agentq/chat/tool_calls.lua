-- A tool call in the transcript: one line with its state, and its arguments and result as details.
local details = require("agentq.chat.details")
local hunks = require("agentq.review.hunks")
local visible = require("agentq.review.visible")
local waiting = require("agentq.chat.waiting")

local M = {}

---@class agentq.chat.Tool
---@field name string
---@field state agentq.ToolCallState|"failed"|"void"
---@field arguments? table
---@field result? agentq.ToolResult
---@field has_waited? boolean for the person, whose time to think is no time of the tool
---@field proposal? agentq.Proposal what it proposes
---@field abandoned? string why it gets no result
---@field progress? string what the conversation does that answers it
---@field run? agentq.chat.Run the calls that it shares a line with

local icons = { preparing = "○", running = "●", waitingApproval = "?", done = "✓", failed = "✗", void = "○" }
--- A model may call a tool that does not exist by any name.
local SHOWN_NAME = 60
local state_groups = {
  preparing = "AgentqTool",
  running = "AgentqTool",
  waitingApproval = "AgentqWaiting",
  done = "AgentqToolDone",
  failed = "AgentqToolFailed",
  void = "AgentqVoid",
}
--- A state that this client does not know is one of a call that runs.
---@param tool agentq.chat.Tool
---@return string
local function heading(tool)
  return ("%s %s"):format(icons[tool.state] or icons.running, visible.short(tool.name, SHOWN_NAME))
end

--- A short form of tool arguments for one line: the model's own words where it gave some, else the short ones first, which
--- name what the call is about.
---@param arguments? table
---@return string
function M.brief(arguments)
  local parts = {}
  if arguments and type(arguments.description) == "string" then
    return visible.short(arguments.description, 60)
  end
  for name, value in vim.spairs(arguments or {}) do
    local text = type(value) == "string" and value or vim.json.encode(value)
    parts[#parts + 1] = ("%s: %s"):format(visible.short(name, 40), visible.short(text, 40))
  end
  table.sort(parts, function(a, b)
    return #a == #b and a < b or #a < #b
  end)
  return visible.short(table.concat(parts, ", "), 60)
end

---@param tool agentq.chat.Tool
---@param limit integer
---@return string[]
---@return table<integer, string> groups highlight groups by index of the lines
local function tool_details(tool, limit)
  local lines, groups = {}, {}
  if tool.proposal then
    return lines, details.add_hunks(lines, tool.proposal, limit)
  end
  for name, value in vim.spairs(tool.arguments or {}) do
    if name == "edits" and vim.islist(value) and type(value[1]) == "table" then
      details.add_edits(lines, groups, value, limit)
    else
      details.add(lines, ("%s = %s"):format(name, type(value) == "string" and value or vim.json.encode(value)), limit)
    end
  end
  if tool.result then
    local text = tool.result.success and tool.result.content or tool.result.error or ""
    details.head(lines, tool.result.success and "→ result" or "→ error")
    details.add(lines, text, limit)
  end
  return lines, groups
end

---@param milliseconds number
---@return string
local function duration(milliseconds)
  return milliseconds < 1000 and ("%d ms"):format(math.floor(milliseconds + 0.5))
    or ("%.1f s"):format(milliseconds / 1000)
end

--- Tools whose answer begins with what matters, so that its first line is shown.
local runs_code = { eval_form = true, eval_in_package = true, run_tests = true, run_command = true }

---@param name string of the tool
---@param result agentq.ToolResult
---@return string?
local function result_line(name, result)
  local text = not result.success and result.error or runs_code[name] and result.content or ""
  local line = vim.trim(vim.split(vim.trim(text), "\n", { plain = true })[1])
  if line == "" then
    return nil
  end
  return "→ " .. visible.short(line, 80)
end

--- The state of a call in words. A proposal shows its outcome, not the time that the person took.
---@param tool agentq.chat.Tool
---@return string?
local function state_words(tool)
  if tool.abandoned then
    return tool.abandoned
  elseif tool.proposal and tool.proposal.state ~= "pending" then
    return waiting.outcome(tool.proposal)
  elseif tool.state == "waitingApproval" then
    return "waits for your decision"
  elseif tool.state == "preparing" then
    return "…"
  elseif tool.state == "void" then
    return "was not sent to its end"
  end
  if not tool.result then
    return tool.progress and tool.progress .. " …"
  end
  local took = not tool.has_waited and duration(tool.result.metadata.executionTimeMs) or nil
  local came = result_line(tool.name, tool.result)
  return took and came and took .. " " .. came or took or came
end

local PREFIX = "tool:"

---@param id string of a call
---@return string id of its block
function M.block_id(id)
  return PREFIX .. id
end

---@param block_id string
---@return boolean
function M.owns(block_id)
  return vim.startswith(block_id, PREFIX)
end

--- What a call is about, in a word or two: the shortest of its arguments.
---@param tool agentq.chat.Tool
---@return string
local function subject(tool)
  local about
  for _, value in pairs(tool.arguments or {}) do
    if type(value) == "string" and value ~= "" and (not about or #value < #about) then
      about = value
    end
  end
  about = about and vim.split(vim.trim(about), "\n", { plain = true })[1] or ""
  about = visible.short(about, 40)
  local name = visible.short(tool.name, SHOWN_NAME)
  return about == "" and name or ("%s %s"):format(name, about)
end

---@param tools agentq.chat.Tool[]
---@return string icon
---@return string group
---@return string time
local function joined_state(tools)
  local worst, took = "done", 0
  for _, tool in ipairs(tools) do
    worst = tool.state ~= "done" and worst ~= "failed" and tool.state or worst
    took = took + (tool.result and tool.result.metadata.executionTimeMs or 0)
  end
  return icons[worst], state_groups[worst], duration(took)
end

--- Calls that share a line, as a block of the transcript: one after the other in the details.
---@param id string of the first call
---@param tools agentq.chat.Tool[]
---@param max_lines integer of each result
---@return agentq.chat.Op
function M.joined(id, tools, max_lines)
  local icon, group, took = joined_state(tools)
  return {
    kind = "block",
    id = M.block_id(id),
    head = ("%s %d calls %s %s"):format(icon, #tools, took, table.concat(vim.tbl_map(subject, tools), " · ")),
    hl = group,
    details = function()
      local lines = {}
      for _, tool in ipairs(tools) do
        details.head(lines, ("%s %s"):format(heading(tool), state_words(tool) or ""))
        vim.list_extend(lines, (tool_details(tool, max_lines)))
      end
      return lines
    end,
  }
end

--- The call as a block of the transcript.
---@param id string
---@param tool agentq.chat.Tool
---@param max_lines integer of its result
---@return agentq.chat.Op
function M.block(id, tool, max_lines)
  local brief = tool.proposal and hunks.subject(tool.proposal) or M.brief(tool.arguments)
  -- What the call is about comes last, so that a narrow window cuts that and not the state.
  local parts = { heading(tool), state_words(tool), brief ~= "" and ("(%s)"):format(brief) or nil }
  local head = {}
  for index = 1, 3 do
    head[#head + 1] = parts[index]
  end
  return {
    kind = "block",
    id = M.block_id(id),
    head = table.concat(head, " "),
    hl = state_groups[tool.state],
    details = function()
      return tool_details(tool, max_lines)
    end,
  }
end

return M
