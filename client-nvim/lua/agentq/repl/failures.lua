-- Failed tests of the person's own run: in the quickfix list, and as diagnostics where the assertions stand.
local found = require("agentq.found")

local M = {}

local namespace = vim.api.nvim_create_namespace("agentq.tests")

--- Shows the failures of a run in place of those of the run before.
---@param verdict agentq.TestVerdict
---@return integer count
function M.show(verdict)
  vim.diagnostic.reset(namespace)
  local by_buffer = {}
  local items = found.items(
    vim.tbl_map(function(failure)
      return {
        uri = failure.uri,
        range = failure.range,
        text = failure.name .. ": " .. vim.split(failure.message, "\n")[1],
      }
    end, verdict.failures),
    "E"
  )
  for index, item in ipairs(items) do
    local failure = verdict.failures[index]
    local bufnr = vim.fn.bufadd(item.filename)
    vim.fn.bufload(bufnr)
    by_buffer[bufnr] = by_buffer[bufnr] or {}
    table.insert(by_buffer[bufnr], {
      lnum = math.min(item.lnum, vim.api.nvim_buf_line_count(bufnr)) - 1,
      col = item.col - 1,
      message = failure.name .. "\n" .. failure.message,
      source = "agentq",
      severity = vim.diagnostic.severity.ERROR,
    })
  end
  for bufnr, diagnostics in pairs(by_buffer) do
    vim.diagnostic.set(namespace, bufnr, diagnostics)
  end
  if #items > 0 then
    vim.fn.setqflist({}, " ", { title = "AgentQ tests", items = items })
  end
  return #items
end

return M
