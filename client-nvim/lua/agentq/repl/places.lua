-- Places of files that the log names. A form from a file runs under a name of its own, such as repl:7; this file
-- remembers the form's place in the file as long as the server lives.
local compat = require("agentq.compat")
local say = require("agentq.say")

local M = {}

---@class agentq.Origin a position, such as that where the text of a form begins
---@field uri string
---@field line integer 0-based
---@field character integer in UTF-16 units

---@param bufnr integer
---@param row integer 0-based
---@param byte integer
---@return agentq.Origin? nil for a buffer that is no file
function M.origin(bufnr, row, byte)
  if vim.bo[bufnr].buftype ~= "" or vim.api.nvim_buf_get_name(bufnr) == "" then
    return nil
  end
  local line = vim.api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1] or ""
  return { uri = vim.uri_from_bufnr(bufnr), line = row, character = compat.units(line, byte) }
end

--- The name of an evaluation among those of all processes, each of which counts its own.
---@param id? string
---@param process? string the program that it ran in; nil for the REPL's own process
---@return string?
function M.key(id, process)
  return id and process and ("%s/%s"):format(process, id) or id
end

--- Remembers where a form was taken from, so that what it defined is found there whenever it is named.
---@param log agentq.Log
---@param key string of the evaluation, as the log names it among those of all processes
---@param origin? agentq.Origin
function M.remember(log, key, origin)
  log.origins[key] = origin
end

--- The position in a file that a position stands for: a form that came from a file has its places there.
---@param log agentq.Log
---@param at agentq.Origin
---@param process? string the program that has the form
---@return agentq.Origin
function M.find(log, at, process)
  local origin = log.origins[M.key(at.uri:match("^repl:(%d+)$"), process)]
  if not origin then
    return at
  end
  local character = at.character + (at.line == 0 and origin.character or 0)
  return { uri = origin.uri, line = at.line + origin.line, character = character }
end

--- Replaces places in forms by places in the files that the forms came from.
---@param log agentq.Log
---@param err? agentq.ErrorInfo is changed
---@param process? string the program that has the forms
function M.put(log, err, process)
  if not err then
    return
  end
  for _, frame in ipairs(err.frames or {}) do
    local at = M.find(log, frame --[[@as agentq.Origin]], process)
    frame.uri, frame.line, frame.character = at.uri, at.line, at.character
  end
  M.put(log, err.cause, process)
  for _, part in ipairs(err.errors or {}) do
    M.put(log, part, process)
  end
end

--- The file that a name in the log means; most names there are relative to the root of the project.
---@param log? agentq.Log
---@param name string
---@return string?
local function file_of(log, name)
  local paths = { vim.fn.fnamemodify(name, ":p") }
  if log and log.root and not name:match("^[/~]") then
    table.insert(paths, 1, vim.fs.joinpath(log.root, name))
  end
  for _, path in ipairs(paths) do
    if vim.fn.filereadable(path) == 1 or vim.fn.bufloaded(path) == 1 then
      return path
    end
  end
end

---@param log? agentq.Log
---@param name string
---@return string? uri
local function uri_of_file(log, name)
  local path = file_of(log, name)
  return path and vim.uri_from_fname(path)
end

---@param log? agentq.Log
---@param id string
---@param process? string
---@return string? uri nil of a form that was not taken from a file
local function uri_of_form(log, id, process)
  return log and log.origins[M.key(id, process)] and "repl:" .. id
end

---@class agentq.Name what names a place in words, with a line and a column from 1
---@field pattern string captures where it begins, the name, the line, the column if there is one, and where it ends
---@field uri_of fun(log?: agentq.Log, name: string, process?: string): string?

---@type agentq.Name[]
local names = {
  { pattern = "()repl:(%d+):(%d+):(%d+)()", uri_of = uri_of_form },
  { pattern = "()form (%d+):(%d+):(%d+)()", uri_of = uri_of_form },
  { pattern = "()([^%s():\"'`<>]*%.%w+):(%d+):(%d+)()", uri_of = uri_of_file },
  { pattern = "()([^%s():\"'`<>]*%.%w+):(%d+)()", uri_of = uri_of_file },
}

--- A file without a line, as answers in words have it. In the log such a word is mostly a value, such as `cart.lines`.
---@type agentq.Name
local whole_file = { pattern = "()([^%s():,\"'`<>#]*%.%w+)()", uri_of = uri_of_file }

--- The place that a line of the log names: of several the one at the byte, else the first.
---@param log? agentq.Log
---@param line string
---@param byte integer 1-based
---@param known agentq.Name[] the more exact ones first
---@param process? string the program that the line is of
---@return agentq.Origin?
local function named(log, line, byte, known, process)
  local first, first_from
  for _, name in ipairs(known) do
    for from, text, row, column, to in line:gmatch(name.pattern) do
      local uri = name.uri_of(log, text, process)
      -- Without a column, and without a line, the next capture is the end already.
      local past = to or column or row
      local at = uri and { uri = uri, line = column and row - 1 or 0, character = to and column - 1 or 0 }
      if at and from <= byte and byte < past then
        return at
      elseif at and (not first or from < first_from) then
        first, first_from = at, from
      end
    end
  end
  return first
end

--- Shows a position of a file in a window for files.
---@param at agentq.Origin
local function visit(at)
  vim.api.nvim_set_current_win(require("agentq.file_window").find())
  -- Reading the file anew, as `:edit` does, fails where the buffer has unsaved changes.
  local bufnr = vim.fn.bufadd(require("agentq.buffers").name(at.uri))
  vim.bo[bufnr].buflisted = true
  vim.cmd("normal! m'")
  vim.cmd.buffer(bufnr)
  local row = math.min(at.line + 1, vim.api.nvim_buf_line_count(0))
  local line = vim.api.nvim_buf_get_lines(0, row - 1, row, false)[1] or ""
  vim.api.nvim_win_set_cursor(0, { row, compat.byte_index(line, at.character, "utf-16") })
end

--- Goes to the place that the line under the cursor names in the log.
---@param log agentq.Log
function M.go(log)
  local process = log:process_at(vim.fn.line("."))
  local at = named(log, vim.api.nvim_get_current_line(), vim.fn.col("."), names, process)
  if not at then
    return say.info("no place of a file stands here")
  end
  visit(M.find(log, at, process))
end

--- Goes to the place that a line of words names, such as `src/cart.ts:12:3` or only a file.
---@param log agentq.Log of the project
function M.go_from_words(log)
  local line, byte = vim.api.nvim_get_current_line(), vim.fn.col(".")
  local at = named(log, line, byte, names) or named(log, line, byte, { whole_file })
  if not at then
    return say.info("no file of the project is named here")
  end
  visit(M.find(log, at))
end

return M
