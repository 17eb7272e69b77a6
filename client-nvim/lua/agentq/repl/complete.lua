-- Completion behind `:AgentQ eval`: names and members that the REPL has.
local client = require("agentq.client")
local compat = require("agentq.compat")

local M = {}

local PATIENCE_MS = 700

--- Completes the code that a command line ends with. `lead` is the word the command line would replace.
---@param code string
---@param lead string
---@param module? string URI of the module in whose scope the code will run
---@return string[]
function M.complete(code, lead, module)
  local connection = client.current()
  if not connection or not connection.initialized then
    return {}
  end
  local position = { line = 0, character = compat.units(code, #code) }
  local process = require("agentq.repl.process").of(connection.id)
  local params = { process = process, code = code, module = module, position = position }
  ---@type agentq.CompletionAnswer
  local answer
  client.request(connection, "agentq/completeInRepl", params, function(err, result)
    answer = err and { items = {} } or result
  end)
  vim.wait(PATIENCE_MS, function()
    return answer ~= nil
  end, 5)
  local words = {}
  local from = answer and #answer.items > 0 and answer.replace.start.character or nil
  if not from then
    return words
  end
  -- The part of the lead before the completed name is kept.
  local typed = #code - vim.fn.byteidx(code, from)
  local kept = lead:sub(1, math.max(0, #lead - typed))
  for _, item in ipairs(answer.items) do
    -- A name that needs brackets takes the place of the dot as well, but not of `?.`.
    if item.insertText then
      words[#words + 1] = (kept:match("%?%.$") and kept or kept:gsub("%.$", "")) .. item.insertText
    else
      words[#words + 1] = kept .. item.label
    end
  end
  return words
end

return M
