-- Where one types to the REPL, below its log: an ordinary buffer with completion, any number of lines and a history.
local client = require("agentq.client")
local compat = require("agentq.compat")
local own_sizes = require("agentq.own_sizes")
local own_window = require("agentq.own_window")
local start = require("agentq.start")

local M = {}

local HEIGHT = 4

---@class agentq.ReplInput
---@field bufnr integer
---@field said string[] oldest first
---@field back integer how far one went back in it
---@field draft string[] what was being written before one went back

---@type table<agentq.Log, agentq.ReplInput>
local inputs = {}

---@param bufnr integer
---@param lines string[]
local function fill(bufnr, lines)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, lines)
  vim.api.nvim_win_set_cursor(0, { #lines, #lines[#lines] })
end

---@param input agentq.ReplInput
local function send(input)
  local code = table.concat(vim.api.nvim_buf_get_lines(input.bufnr, 0, -1, true), "\n")
  if vim.trim(code) == "" then
    return
  end
  start.with_client(function(connection)
    if input.said[#input.said] ~= code then
      table.insert(input.said, code)
    end
    input.back = 0
    fill(input.bufnr, { "" })
    require("agentq.repl.eval").evaluate(connection, code, nil, { in_log = true })
  end)
end

---@param input agentq.ReplInput
---@param by integer 1 for an older form, -1 for a newer one
local function recall(input, by)
  local back = math.max(0, math.min(#input.said, input.back + by))
  if back == input.back then
    return
  end
  if input.back == 0 then
    input.draft = vim.api.nvim_buf_get_lines(input.bufnr, 0, -1, true)
  end
  input.back = back
  local said = input.said[#input.said - back + 1]
  fill(input.bufnr, back == 0 and input.draft or vim.split(said, "\n", { plain = true }))
end

---@param item agentq.ReplCompletion
---@return table
local function match(item)
  return { word = item.insertText or item.label, abbr = item.label, menu = item.detail, dup = 1 }
end

--- See |complete-functions|. Completing runs none of the project's code.
---@param find_start integer
---@return integer|table[]
function M.omnifunc(find_start)
  local connection = client.current()
  if find_start == 0 or not connection then
    return find_start == 0 and {} or -3
  end
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local line = vim.api.nvim_get_current_line()
  local lines = vim.api.nvim_buf_get_lines(0, 0, -1, true)
  local position = { line = row - 1, character = compat.units(line, column) }
  local process = require("agentq.repl.process").of(connection.id)
  local params = { process = process, code = table.concat(lines, "\n"), position = position }
  return require("agentq.complete_later").start(function(show)
    client.request(connection, "agentq/completeInRepl", params, function(err, found)
      if not err and #found.items > 0 then
        show(vim.fn.byteidx(line, found.replace.start.character, true), vim.tbl_map(match, found.items))
      end
    end)
  end)
end

---@param log agentq.Log
---@return agentq.ReplInput
local function new(log)
  local bufnr = vim.api.nvim_create_buf(false, true)
  local input = { bufnr = bufnr, said = {}, back = 0, draft = {} }
  vim.api.nvim_buf_set_name(bufnr, vim.api.nvim_buf_get_name(log:buffer()) .. "/input")
  vim.bo[bufnr].bufhidden = "hide"
  vim.bo[bufnr].swapfile = false
  vim.bo[bufnr].filetype = "agentq-repl-input"
  vim.bo[bufnr].syntax = "typescript"
  vim.bo[bufnr].omnifunc = "v:lua.require'agentq.repl.input'.omnifunc"
  vim.b[bufnr].agentq_root = log.root
  local function map(modes, lhs, words, act)
    vim.keymap.set(modes, lhs, act, { buffer = bufnr, desc = "AgentQ: " .. words })
  end
  local function evaluate()
    send(input)
  end
  map("n", "<CR>", "evaluate", evaluate)
  map({ "n", "i" }, "<C-s>", "evaluate", evaluate)
  map({ "n", "i" }, "<M-p>", "bring back an older form", function()
    recall(input, 1)
  end)
  map({ "n", "i" }, "<M-n>", "bring back a newer form", function()
    recall(input, -1)
  end)
  map("n", "<C-c>", "stop the newest evaluation", "<Cmd>AgentQ interrupt<CR>")
  map("n", "q", "close", own_window.CLOSE)
  return input
end

--- Opens the input below the log and enters it.
---@param log agentq.Log
function M.open(log)
  local input = inputs[log]
  if not input or not vim.api.nvim_buf_is_valid(input.bufnr) then
    input = new(log)
    inputs[log] = input
  end
  require("agentq.repl.window").open(log)
  local window = vim.fn.bufwinid(input.bufnr)
  if window == -1 then
    local below = vim.fn.bufwinid(log:buffer())
    window = vim.api.nvim_open_win(input.bufnr, true, { win = below, split = "below", height = HEIGHT })
    own_sizes.keep_size(window, "height", HEIGHT)
    for name, value in pairs({ number = false, relativenumber = false, signcolumn = "no", winfixbuf = true }) do
      vim.api.nvim_set_option_value(name, value, { scope = "local", win = window })
    end
    vim.wo[window][0].winbar = " form · <C-s> evaluates · <M-p> <M-n> earlier forms · <C-x><C-o> completes%<"
  end
  vim.api.nvim_set_current_win(window)
  vim.cmd.startinsert({ bang = true })
end

return M
