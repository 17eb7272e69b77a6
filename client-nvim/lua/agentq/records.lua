-- What the server knows about calls: the tools, which calls are not asked about again, and how those of each tool went.
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

---@param tool agentq.ToolInfo
---@return string
local function remark(tool)
  if not tool.available then
    return "not here: " .. (tool.unavailableReason or "")
  elseif tool.isOffered == false then
    return "for programs; models are not told of it"
  end
  return table.concat(tool.categories, ", ")
end

---@param tools agentq.ToolInfo[]
---@return string[]
function M.tool_lines(tools)
  local row = "%-22s %-10s %s"
  local lines = { row:format("tool", "safety", "categories") }
  for _, tool in ipairs(tools) do
    lines[#lines + 1] = row:format(tool.name, tool.safety, remark(tool))
  end
  return lines
end

--- Lists the tools of the agent, and which of them only programs call.
---@param connection vim.lsp.Client
function M.tools(connection)
  client.request(connection, "agentq/listTools", {}, function(err, page)
    if err then
      return say.error(err.message)
    end
    vim.cmd("botright new")
    local bufnr = vim.api.nvim_get_current_buf()
    vim.bo[bufnr].buftype = "nofile"
    vim.bo[bufnr].bufhidden = "wipe"
    vim.bo[bufnr].swapfile = false
    vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, M.tool_lines(page.items))
    vim.bo[bufnr].modifiable = false
    vim.keymap.set("n", "q", "<Cmd>close<CR>", { buffer = bufnr, desc = "AgentQ: close" })
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
