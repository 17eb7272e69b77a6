-- :AgentQ eval — the person's own evaluation, in the REPL the agent uses.
local client = require("agentq.client")
local events = require("agentq.events")
local float = require("agentq.float")
local log = require("agentq.repl.log")

local M = {}

---@type integer evaluations that have not answered
local running = 0

---@return boolean
function M.busy()
  return running > 0
end

--- The text of a command's range: the exact selection when the range is the last visual one.
---@param args {line1: integer, line2: integer}
---@return string
function M.selected(args)
  local from, to = vim.fn.getpos("'<"), vim.fn.getpos("'>")
  if from[2] == args.line1 and to[2] == args.line2 and vim.fn.visualmode() ~= "" then
    return table.concat(vim.fn.getregion(from, to, { type = vim.fn.visualmode() }), "\n")
  end
  return table.concat(vim.api.nvim_buf_get_lines(0, args.line1 - 1, args.line2, false), "\n")
end

--- Shows the end of the live output until the outcome takes its place.
---@return fun(text: string)
local function live_view()
  local tail = ""
  local function show()
    local lines = vim.split(vim.trim(tail), "\n", { plain = true })
    float.show(vim.list_slice(lines, math.max(1, #lines - 9)), { title = "running · :AgentQ interrupt stops it" })
  end
  return function(text)
    tail = (tail .. text):sub(-4000)
    show()
  end
end

--- Evaluates code and shows the outcome in a float and in the log.
---@param connection vim.lsp.Client
---@param code string
---@param module? string URI of the module in whose scope the code runs
function M.evaluate(connection, code, module)
  require("agentq.highlights").define()
  local prompt = vim.split(code, "\n", { plain = true })
  for index, line in ipairs(prompt) do
    prompt[index] = (index == 1 and "> " or "… ") .. line
  end
  log.append(prompt, "AgentqUser")
  local bufnr = vim.api.nvim_get_current_buf()
  local stop_listening = log.listen(live_view())
  running = running + 1
  client.request(connection, "agentq/evaluate", { code = code, module = module }, function(err, result)
    running = running - 1
    stop_listening()
    log.finish_line()
    local lines, group
    if err then
      lines, group = vim.split(err.message, "\n", { plain = true }), "AgentqError"
    else
      lines, group = require("agentq.repl.describe").lines(result)
    end
    log.append(lines, group)
    log.append({ "" })
    local title = err and "error" or ("%s · %d ms"):format(result.outcome, math.floor(result.durationMs + 0.5))
    if vim.api.nvim_get_current_buf() == bufnr then
      float.show(lines, { title = title, groups = { group } })
    else
      vim.api.nvim_echo({ { lines[1] or title, group } }, false, {})
    end
    events.fire("EvalDone", { code = code, result = result, error = err and err.message })
  end, bufnr)
end

---@param connection vim.lsp.Client
function M.interrupt(connection)
  client.request(connection, "agentq/interrupt", {}, function(err, result)
    if err then
      vim.notify("AgentQ: " .. err.message, vim.log.levels.ERROR)
    elseif not result.interrupted then
      vim.notify("AgentQ: nothing is being evaluated", vim.log.levels.INFO)
    end
  end)
end

--- A fresh process, in which these forms run again.
---@param connection vim.lsp.Client
---@param replay? string[] evaluation ids, or { "all" } for what the present state was built from
---@param done? fun()
function M.restart(connection, replay, done)
  client.request(connection, "agentq/restartRepl", { replay = replay }, function(err, result)
    local words = err and err.message or ("the REPL is %s"):format(result.state)
    if not err and result.replayed then
      local failed = #vim.tbl_filter(function(item)
        return item.outcome ~= "value"
      end, result.replayed)
      words = ("%s, %d run again, %d of them failed"):format(words, #result.replayed, failed)
    end
    log.append({ words }, err and "AgentqError" or "AgentqNotice")
    vim.notify("AgentQ: " .. words, err and vim.log.levels.ERROR or vim.log.levels.INFO)
    if done then
      done()
    end
  end)
end

return M
