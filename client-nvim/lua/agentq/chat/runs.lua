-- Runs of calls that only looked at something: as soon as two neighbours have an answer they share one line.
local tool_calls = require("agentq.chat.tool_calls")

local M = {}

---@class agentq.chat.Run calls one below the other, with nothing between them; one call alone is a run too
---@field ids string[] of the calls; the first one names the block

--- Stands between calls that are no neighbours.
local BARRIER = { ids = {} }

---@param state agentq.chat.Transcript
---@param run agentq.chat.Run
---@return agentq.chat.Tool[]
local function calls_of(state, run)
  return vim.tbl_map(function(id)
    return state.tools[id]
  end, run.ids)
end

--- The lines of a run in the transcript.
---@param state agentq.chat.Transcript
---@param run agentq.chat.Run
---@return agentq.chat.Op
local function block(state, run)
  if #run.ids == 1 then
    return tool_calls.block(run.ids[1], state.tools[run.ids[1]], state.max_result_lines)
  end
  return tool_calls.joined(run.ids[1], calls_of(state, run), state.max_result_lines)
end

--- A call that changes nothing, has answered, and was no question to the person: nobody has to read it at once.
---@param tool agentq.chat.Tool
---@return boolean
local function has_looked(tool)
  local result = tool.result
  return tool.state == "done"
    and result ~= nil
    and result.success
    and result.metadata.safetyLevel == "safe"
    and not tool.has_waited
    and not tool.proposal
end

---@param state agentq.chat.Transcript
---@param run agentq.chat.Run?
---@return boolean
local function can_join(state, run)
  return run ~= nil and run ~= BARRIER and vim.iter(calls_of(state, run)):all(has_looked)
end

--- A call that has just come.
---@param state agentq.chat.Transcript changed in place
---@param id string
function M.add(state, id)
  local run = { ids = { id } }
  state.tools[id].run = run
  table.insert(state.runs, run)
end

--- Something else was written: what comes next is no neighbour of what came before. Calls before it may still be
--- waiting for their answers.
---@param state agentq.chat.Transcript changed in place
---@param added agentq.chat.Run? that stands below what was written
function M.break_off(state, added)
  if added then
    table.remove(state.runs)
  end
  local has_answers = vim.iter(state.runs):all(function(run)
    return vim.iter(calls_of(state, run)):all(function(tool)
      return tool.result ~= nil
    end)
  end)
  if has_answers then
    state.runs = {}
  elseif state.runs[#state.runs] ~= BARRIER then
    table.insert(state.runs, BARRIER)
  end
  if added then
    table.insert(state.runs, added)
  end
end

--- What a call looks like now, in its run.
---@param state agentq.chat.Transcript changed in place
---@param id string
---@return agentq.chat.Op[]
function M.draw(state, id)
  local run = assert(state.tools[id].run)
  local ops = { block(state, run) }
  for index, other in ipairs(state.runs) do
    if other == run and can_join(state, run) then
      for _, pair in ipairs({ { index, index + 1 }, { index - 1, index } }) do
        local upper, lower = state.runs[pair[1]], state.runs[pair[2]]
        if can_join(state, upper) and can_join(state, lower) then
          for _, joined in ipairs(lower.ids) do
            table.insert(upper.ids, joined)
            state.tools[joined].run = upper
          end
          table.remove(state.runs, pair[2])
          ops[#ops + 1] = vim.tbl_extend("force", block(state, upper), {
            kind = "join",
            from = tool_calls.block_id(lower.ids[1]),
          })
        end
      end
      break
    end
  end
  return ops
end

return M
