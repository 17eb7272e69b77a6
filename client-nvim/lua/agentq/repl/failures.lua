-- Failed tests of the person's own run: in the quickfix list, and as diagnostics where the assertions stand.
local compat = require("agentq.compat")

local M = {}

local namespace = vim.api.nvim_create_namespace("agentq.tests")

---@class agentq.TestFailure
---@field path string relative to the root of the project
---@field line integer 1-based
---@field column integer 1-based, in UTF-16 units
---@field words string

--- The failures in what the tool `run_tests` answers. Each begins with its place and its name; the line below says why,
--- and the first frame in the same file is the assertion.
---@param text string
---@return agentq.TestFailure[]
function M.read(text)
  local failures = {}
  ---@type agentq.TestFailure?
  local open
  local is_placed = false
  for _, line in ipairs(vim.split(text, "\n", { plain = true })) do
    local path, row, column, name = line:match("^FAILED (.-):(%d+):(%d+) (.+)$")
    local at, at_row, at_column = line:match("^  at (%S+):(%d+):(%d+)")
    if path then
      open = { path = path, line = tonumber(row), column = tonumber(column), words = name }
      failures[#failures + 1], is_placed = open, false
    elseif line:match("^%S") then
      open = nil
    elseif open and at == open.path and not is_placed then
      open.line, open.column, is_placed = tonumber(at_row), tonumber(at_column), true
    elseif open and not at and not open.words:find("\n", 1, true) and vim.trim(line) ~= "" then
      open.words = open.words .. "\n" .. vim.trim(line)
    end
  end
  return failures
end

--- Shows the failures of a run in place of those of the run before.
---@param text string of the tool
---@param root string
---@return integer count
function M.show(text, root)
  vim.diagnostic.reset(namespace)
  local items, by_buffer = {}, {}
  for _, failure in ipairs(M.read(text)) do
    local bufnr = vim.fn.bufadd(vim.fs.joinpath(root, failure.path))
    vim.fn.bufload(bufnr)
    local line = vim.api.nvim_buf_get_lines(bufnr, failure.line - 1, failure.line, false)[1] or ""
    local byte = compat.byte_index(line, failure.column - 1, "utf-16")
    local found = {
      lnum = math.min(failure.line, vim.api.nvim_buf_line_count(bufnr)) - 1,
      col = byte,
      message = failure.words,
      source = "agentq",
      severity = vim.diagnostic.severity.ERROR,
    }
    by_buffer[bufnr] = by_buffer[bufnr] or {}
    table.insert(by_buffer[bufnr], found)
    local words = failure.words:gsub("\n", ": ", 1)
    items[#items + 1] = { bufnr = bufnr, lnum = failure.line, col = byte + 1, type = "E", text = words }
  end
  for bufnr, found in pairs(by_buffer) do
    vim.diagnostic.set(namespace, bufnr, found)
  end
  if #items > 0 then
    vim.fn.setqflist({}, " ", { title = "AgentQ tests", items = items })
  end
  return #items
end

return M
