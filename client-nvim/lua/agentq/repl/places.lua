-- Places in stack frames: where a form that was taken from a file stands there, and the way from the log to a place.
local M = {}

---@class agentq.Origin where the text of a form begins
---@field uri string
---@field line integer 0-based
---@field character integer in UTF-16 units

---@param line string
---@param byte integer
---@return integer
function M.units(line, byte)
  if vim.fn.has("nvim-0.11") == 1 then
    return vim.str_utfindex(line, "utf-16", byte, false)
  end
  return (select(2, vim.str_utfindex(line, math.min(byte, #line))))
end

---@param bufnr integer
---@param row integer 0-based
---@param byte integer
---@return agentq.Origin? nil for a buffer that is no file
function M.origin(bufnr, row, byte)
  if vim.bo[bufnr].buftype ~= "" or vim.api.nvim_buf_get_name(bufnr) == "" then
    return nil
  end
  local line = vim.api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1] or ""
  return { uri = vim.uri_from_bufnr(bufnr), line = row, character = M.units(line, byte) }
end

--- Frames in a form that was taken from a file are told as places of the file.
---@param err? agentq.ErrorInfo is changed
---@param id string of the evaluation
---@param origin agentq.Origin
function M.put(err, id, origin)
  if not err then
    return
  end
  for _, frame in ipairs(err.frames or {}) do
    if frame.uri == "repl:" .. id then
      frame.uri = origin.uri
      frame.character = frame.character + (frame.line == 0 and origin.character or 0)
      frame.line = frame.line + origin.line
    end
  end
  M.put(err.cause, id, origin)
  for _, part in ipairs(err.errors or {}) do
    M.put(part, id, origin)
  end
end

--- Goes from the log to the file that the frame under the cursor names, in the window that was used before.
function M.go()
  local log = require("agentq.repl.logs").shown_in(vim.api.nvim_get_current_buf())
  local name, row_text, column_text = vim.api.nvim_get_current_line():match("^%s+at .-([^%s(]+):(%d+):(%d+)%)?$")
  local path = name and vim.fn.fnamemodify(name, ":p")
  if path and vim.fn.filereadable(path) == 0 and log and log.root then
    path = vim.fs.joinpath(log.root, name)
  end
  if not path or (vim.fn.filereadable(path) == 0 and vim.fn.bufloaded(path) == 0) then
    return vim.notify("AgentQ: no place of a file stands here", vim.log.levels.INFO)
  end
  vim.cmd("wincmd p")
  if vim.bo.buftype ~= "" then
    vim.cmd("aboveleft split")
  end
  vim.cmd.edit(vim.fn.fnameescape(path))
  local row = math.min(tonumber(row_text) or 1, vim.api.nvim_buf_line_count(0))
  local line = vim.api.nvim_buf_get_lines(0, row - 1, row, false)[1] or ""
  local units = math.min((tonumber(column_text) or 1) - 1, M.units(line, #line))
  local byte = vim.fn.has("nvim-0.11") == 1 and vim.str_byteindex(line, "utf-16", units, false)
    or vim.str_byteindex(line, units, true)
  vim.api.nvim_win_set_cursor(0, { row, byte })
end

return M
