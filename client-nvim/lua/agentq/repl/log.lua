-- The REPL log: every evaluation of the person, its output as it comes, and its outcome.
local M = {}

local MAX_LINES = 5000
local namespace = vim.api.nvim_create_namespace("agentq.repl")

---@type integer?
local bufnr
---@type string the part of a line that waits for its newline
local rest = ""
---@type fun(text: string)[]
local listeners = {}

---@return integer bufnr
function M.buffer()
  if bufnr and vim.api.nvim_buf_is_valid(bufnr) then
    return bufnr
  end
  require("agentq.highlights").define()
  bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(bufnr, "agentq://repl")
  vim.bo[bufnr].bufhidden = "hide"
  vim.bo[bufnr].swapfile = false
  vim.bo[bufnr].undolevels = -1
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].filetype = "agentq-repl"
  vim.bo[bufnr].syntax = "typescript"
  return bufnr
end

---@param lines string[]
---@param group? string
function M.append(lines, group)
  local buffer = M.buffer()
  local count = vim.api.nvim_buf_line_count(buffer)
  local empty = count == 1 and vim.api.nvim_buf_get_lines(buffer, 0, 1, true)[1] == ""
  local following = vim.tbl_filter(function(window)
    return vim.api.nvim_win_get_cursor(window)[1] >= count
  end, vim.fn.win_findbuf(buffer))
  vim.bo[buffer].modifiable = true
  local first = empty and 0 or count
  vim.api.nvim_buf_set_lines(buffer, first, empty and 1 or count, true, lines)
  for row = first, group and first + #lines - 1 or -1 do
    vim.api.nvim_buf_set_extmark(buffer, namespace, row, 0, { line_hl_group = group })
  end
  local surplus = vim.api.nvim_buf_line_count(buffer) - MAX_LINES
  if surplus > 0 then
    vim.api.nvim_buf_set_lines(buffer, 0, surplus, true, {})
  end
  vim.bo[buffer].modifiable = false
  for _, window in ipairs(following) do
    vim.api.nvim_win_set_cursor(window, { vim.api.nvim_buf_line_count(buffer), 0 })
  end
end

--- Output of the image as it arrives. A line is written when it is whole; what is left is written with the outcome.
---@param params {evalId?: string, stream: "stdout"|"stderr", text: string}
function M.output(params)
  local lines = vim.split(rest .. params.text, "\n", { plain = true })
  rest = table.remove(lines)
  if #lines > 0 then
    M.append(lines, params.stream == "stderr" and "AgentqWarning" or nil)
  end
  for _, listener in ipairs(listeners) do
    listener(params.text)
  end
end

--- Writes an output line that ended without a newline.
function M.finish_line()
  if rest ~= "" then
    M.append({ rest })
    rest = ""
  end
end

--- Calls `listener` with every piece of output until the answered function is called.
---@param listener fun(text: string)
---@return fun() stop
function M.listen(listener)
  listeners[#listeners + 1] = listener
  return function()
    listeners = vim.tbl_filter(function(other)
      return other ~= listener
    end, listeners)
  end
end

--- Opens the log below, without entering it.
function M.open()
  local buffer = M.buffer()
  if vim.fn.bufwinid(buffer) ~= -1 then
    return
  end
  local window = vim.api.nvim_open_win(buffer, false, { split = "below", win = -1, height = 12 })
  vim.wo[window].number = false
  vim.wo[window].wrap = true
  vim.api.nvim_win_set_cursor(window, { vim.api.nvim_buf_line_count(buffer), 0 })
end

return M
