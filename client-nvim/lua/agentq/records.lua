-- What the server keeps about calls: which ones are not asked about again, and how the calls of each tool went.
local client = require("agentq.client")
local say = require("agentq.say")

local M = {}

---@param call agentq.RememberedCall
---@return string
local function describe(call)
  local scope = call.scope == "workspace" and "this project" or "a conversation"
  local arguments = next(call.arguments) == nil and "" or vim.json.encode(call.arguments)
  return ("%s %s (%s, since %s)"):format(call.tool, arguments, scope, call.at:sub(1, 10))
end

--- Lists the calls that the person approved for more than once, and forgets the chosen one.
---@param connection vim.lsp.Client
function M.remembered(connection)
  client.request(connection, "agentq/listRemembered", {}, function(err, page)
    if err then
      return say.error(err.message)
    elseif #page.items == 0 then
      return say.info("no call is approved for more than once")
    end
    local options = { prompt = "Ask again about which call?", format_item = describe }
    vim.ui.select(page.items, options, function(call)
      if not call then
        return
      end
      client.request(connection, "agentq/forgetRemembered", { id = call.id }, function(failed)
        if failed then
          return say.error(failed.message)
        end
        say.info(("you are asked again about this call of %s"):format(call.tool))
      end)
    end)
  end)
end

---@param ms? number
---@return string
local function duration(ms)
  if not ms then
    return "-"
  end
  return ms < 1000 and ("%d ms"):format(ms) or ("%.1f s"):format(ms / 1000)
end

---@param report agentq.Metrics
---@return string[]
function M.metrics_lines(report)
  local row = "%-24s %6s %6s %6s %8s %8s %9s"
  local lines = { row:format("tool", "calls", "failed", "denied", "median", "p95", "answer") }
  for _, item in ipairs(report.items) do
    local time, size = item.timeMs or {}, item.answerSize
    local answer = size and ("%d ch"):format(size.median) or "-"
    lines[#lines + 1] = row:format(
      item.tool:sub(1, 24),
      item.calls,
      item.failures,
      item.denials,
      duration(time.median),
      duration(time.p95),
      answer
    )
  end
  return lines
end

--- Shows how the calls of each tool went since the server began.
---@param connection vim.lsp.Client
function M.metrics(connection)
  client.request(connection, "agentq/metrics", {}, function(err, report)
    if err then
      return say.error(err.message)
    elseif #report.items == 0 then
      return say.info("no tool was called yet")
    end
    local lines = M.metrics_lines(report)
    require("agentq.highlights").define()
    require("agentq.float").show(lines, { title = "AgentQ calls", groups = { "AgentqHunk" } })
  end)
end

return M
