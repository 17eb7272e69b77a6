-- The latest call of a traced function, behind the line that declares the function, or below it where there is no room:
-- what differs from the call before stands out.
local buffers = require("agentq.buffers")
local describe = require("agentq.repl.describe")
local viewport = require("agentq.review.viewport")
local wrap = require("agentq.review.wrap")

local M = {}

local namespace = vim.api.nvim_create_namespace("agentq.traced")
--- Of an argument, and of a result, in characters.
local ARGUMENT, RESULT = 24, 40
local OPEN, CLOSE = { ["("] = true, ["["] = true, ["{"] = true }, { [")"] = true, ["]"] = true, ["}"] = true }
local QUOTES = { ['"'] = true, ["'"] = true, ["`"] = true }

---@class agentq.Traced a function whose calls the REPL prints
---@field uri string
---@field line integer 0-based, where no mark says more
---@field process? string the program in which it is traced
---@field bufnr? integer
---@field mark? integer
---@field calls integer
---@field arguments string[] of the latest call
---@field before string[] of the one before that
---@field result? string of the latest call that is over
---@field result_before? string
---@field failed? boolean

--- Arguments as they are printed, apart: a comma inside of brackets or quotes is part of one.
---@param text string
---@return string[]
local function split(text)
  local parts, depth, quote, from, at = {}, 0, nil, 1, 1
  while at <= #text do
    local character = text:sub(at, at)
    if quote then
      at = character == "\\" and at + 1 or at
      quote = character ~= quote and quote or nil
    elseif QUOTES[character] then
      quote = character
    elseif OPEN[character] or CLOSE[character] then
      depth = depth + (OPEN[character] and 1 or -1)
    elseif character == "," and depth == 0 then
      parts[#parts + 1], from = text:sub(from, at - 1), at + 2
    end
    at = at + 1
  end
  parts[#parts + 1] = from <= #text and text:sub(from) or nil
  return parts
end

--- Notes what a line of the REPL tells of a traced call.
---@param log agentq.Log
---@param line string
---@param process? string the program that printed it
---@return agentq.Traced? known the function that was called
local function hear(log, line, process)
  ---@param address? string
  local function traced_there(address)
    local known = log.traced[address]
    return known and known.process == process and known or nil
  end
  local address, rest = line:match("^%s*→ ([^%s(]+)(%(.*)$")
  local known = traced_there(address)
  if known then
    local arguments = rest:gsub("  from .*$", ""):match("^%((.*)%)$") or ""
    known.calls, known.before, known.arguments = known.calls + 1, known.arguments, split(arguments)
    known.result, known.result_before = nil, known.result or known.result_before
    return known
  end
  address, rest = line:match("^%s*← (%S+) (.*)  %([%d.]+ ms%)$")
  known = traced_there(address)
  if known then
    known.failed = not vim.startswith(rest, "= ") and not vim.startswith(rest, "resolved to ")
    known.result = rest:gsub("^= ", ""):gsub("^resolved to ", "")
  end
  return known
end

---@param known agentq.Traced
---@return [string, string][]
local function chunks(known)
  local parts = { { " ⇐ (", "AgentqHint" } }
  for index, argument in ipairs(known.arguments) do
    local is_same = known.calls > 1 and argument == known.before[index]
    parts[#parts + 1] = { index > 1 and ", " or "", "AgentqHint" }
    parts[#parts + 1] = { describe.short(argument, ARGUMENT), is_same and "AgentqHint" or "AgentqValue" }
  end
  parts[#parts + 1] = { ")", "AgentqHint" }
  if known.result then
    local group = known.failed and "AgentqError"
      or known.result == known.result_before and "AgentqHint"
      or "AgentqValue"
    parts[#parts + 1] = { known.failed and " " or " = ", "AgentqHint" }
    parts[#parts + 1] = { describe.short(known.result, RESULT), group }
  end
  parts[#parts + 1] = { known.calls > 1 and (" · %d calls"):format(known.calls) or "", "AgentqHint" }
  return parts
end

--- Whether there is room behind a line: Neovim cuts there what the window has no room for.
---@param text [string, string][]
---@param line string
---@param width integer
---@return boolean
local function fits(text, line, width)
  local used = vim.fn.strdisplaywidth(line) + 1
  for _, chunk in ipairs(text) do
    used = used + vim.fn.strdisplaywidth(chunk[1])
  end
  return used <= width
end

---@param known agentq.Traced
local function draw(known)
  local bufnr = buffers.loaded(known.uri)
  if not bufnr then
    return
  end
  local at = known.bufnr == bufnr and vim.api.nvim_buf_get_extmark_by_id(bufnr, namespace, known.mark, {}) or {}
  local row = math.min(at[1] or known.line, vim.api.nvim_buf_line_count(bufnr) - 1)
  local text = known.calls > 0 and chunks(known) or { { " ⇐ traced", "AgentqHint" } }
  local width = viewport.of(bufnr).width
  local is_short = fits(text, vim.api.nvim_buf_get_lines(bufnr, row, row + 1, true)[1], width)
  known.mark = vim.api.nvim_buf_set_extmark(bufnr, namespace, row, 0, {
    id = at[1] and known.mark or nil,
    virt_text = is_short and text or nil,
    virt_text_pos = "eol",
    virt_lines = not is_short and wrap.rows(text, width) or nil,
    hl_mode = "combine",
  })
  known.bufnr = bufnr
end

--- Functions are traced from now on.
---@param log agentq.Log
---@param places agentq.FoundPlace[] where they are declared; the text of each is the function's address
---@param process? string the program in which they are
function M.begin(log, places, process)
  require("agentq.highlights").define()
  for _, place in ipairs(places) do
    local known = log.traced[place.text]
      or { uri = place.uri, line = place.range.start.line, calls = 0, arguments = {}, before = {} }
    known.process = process
    log.traced[place.text] = known
    draw(known)
  end
end

---@param log agentq.Log
---@param addresses string[]
local function forget(log, addresses)
  for _, address in ipairs(addresses) do
    local known = log.traced[address]
    if known and known.bufnr and vim.api.nvim_buf_is_valid(known.bufnr) then
      vim.api.nvim_buf_del_extmark(known.bufnr, namespace, known.mark)
    end
    log.traced[address] = nil
  end
end

--- Functions are traced no more: those of the places, else all.
---@param log agentq.Log
---@param places? agentq.FoundPlace[]
function M.stop(log, places)
  forget(log, places and vim.tbl_map(function(place)
    return place.text
  end, places) or vim.tbl_keys(log.traced))
end

--- Nothing is traced any more in a process that has ended.
---@param log agentq.Log
---@param process? string a program; nil for the REPL's own process
function M.stop_in(log, process)
  forget(
    log,
    vim.tbl_filter(function(address)
      return log.traced[address].process == process
    end, vim.tbl_keys(log.traced))
  )
end

--- Output of a process, which tells of calls among other things.
---@param log agentq.Log
---@param lines string[]
---@param process? string a program; nil for the REPL's own process
function M.hear(log, lines, process)
  local changed = {}
  for _, line in ipairs(next(log.traced) and lines or {}) do
    local known = hear(log, line, process)
    if known then
      changed[known] = true
    end
  end
  for known in pairs(changed) do
    draw(known)
  end
end

return M
