-- :AgentQ repl history lists the evaluations: who ran them, their values to inspect, their forms to run again.
local client = require("agentq.client")
local own_sizes = require("agentq.own_sizes")
local own_window = require("agentq.own_window")
local say = require("agentq.say")

local M = {}

local LIMIT = 200

---@class agentq.ShownHistory
---@field connection vim.lsp.Client
---@field process? string the program whose history it is; nil for the REPL's own
---@field items table<integer, agentq.HistoryItem> by line

---@type table<integer, agentq.ShownHistory> by buffer
local shown = {}

---@param item agentq.HistoryItem
---@param process? string the program in which it ran
---@return string[]
function M.lines(item, process)
  local value = item.valueId and (" %s : %s = %s"):format(item.valueId, item.type or "?", item.preview or "") or ""
  local what = item.error and ("%s %s"):format(item.outcome, item.error) or item.outcome .. value
  local where = process and " in " .. process or ""
  where = where .. (item.module and " in " .. vim.fn.fnamemodify(item.module, ":~:.") or "")
  local again = item.replayOf and (" (again %s)"):format(item.replayOf) or ""
  local lost = item.stateKept and "" or ", lost with its process"
  local left = item.left and (", left open: " .. item.left) or ""
  local head = ("%s %s%s%s: %s%s%s"):format(item.evalId, item.by, where, again, what, lost, left)
  local lines = { (head:gsub("%s*\n%s*", " ")) }
  for _, line in ipairs(vim.split(vim.trim(item.code), "\n", { plain = true })) do
    lines[#lines + 1] = "    " .. line
  end
  return lines
end

---@return integer bufnr
local function buffer()
  local bufnr = vim.fn.bufnr("^agentq://history$")
  if bufnr > 0 then
    return bufnr
  end
  bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(bufnr, "agentq://history")
  vim.bo[bufnr].swapfile = false
  vim.bo[bufnr].undolevels = -1
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].filetype = "agentq-history"
  local function map(mode, key, run, words)
    vim.keymap.set(mode, key, run, { buffer = bufnr, nowait = true, desc = "AgentQ: " .. words })
  end
  map("n", "<CR>", M.inspect, "look into the value")
  map({ "n", "x" }, "r", M.replay, "restart the REPL and run these forms again")
  map("n", "R", M.refresh, "read the history again")
  map("n", "q", own_window.CLOSE, "close")
  return bufnr
end

---@param connection vim.lsp.Client
---@param process? string
local function show(connection, process)
  client.request(connection, "agentq/replHistory", { process = process, limit = LIMIT }, function(err, page)
    if err then
      return say.error(err.message)
    end
    local bufnr = buffer()
    local lines, items = {}, {}
    -- Oldest first, as they were typed.
    for index = #page.items, 1, -1 do
      for _, line in ipairs(M.lines(page.items[index], process)) do
        lines[#lines + 1] = line
        items[#lines] = page.items[index]
      end
    end
    if #lines == 0 then
      lines = { process and ("Nothing was evaluated in %s yet."):format(process) or "Nothing was evaluated yet." }
    end
    shown[bufnr] = { connection = connection, process = process, items = items }
    vim.b[bufnr].agentq_client = connection.id
    vim.bo[bufnr].modifiable = true
    vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, lines)
    vim.bo[bufnr].modifiable = false
    if vim.fn.bufwinid(bufnr) == -1 then
      local window = own_sizes.open_at(bufnr, true, "below", 14)
      vim.wo[window].number = false
    end
    vim.api.nvim_win_set_cursor(vim.fn.bufwinid(bufnr), { #lines, 0 })
  end)
end

--- Shows the history of where the person's forms go.
---@param connection vim.lsp.Client
function M.open(connection)
  show(connection, require("agentq.repl.process").of(connection.id))
end

function M.refresh()
  local view = shown[vim.api.nvim_get_current_buf()]
  if view then
    show(view.connection, view.process)
  end
end

function M.inspect()
  local view = shown[vim.api.nvim_get_current_buf()]
  local item = view and view.items[vim.api.nvim_win_get_cursor(0)[1]]
  if view and item and item.valueId and item.stateKept then
    require("agentq.repl.inspect").open(view.connection, item.valueId, { process = view.process })
  elseif item then
    say.info(("%s has no value to look into"):format(item.evalId))
  end
end

--- The forms of the selected lines, or of the cursor's, in a fresh process.
function M.replay()
  local view = shown[vim.api.nvim_get_current_buf()]
  if not view then
    return
  elseif view.process then
    return say.info(("%s is your program: start it anew where you started it"):format(view.process))
  end
  local first, last = vim.fn.line("."), vim.fn.line("v")
  local ids, seen = {}, {}
  for row = math.min(first, last), math.max(first, last) do
    local item = view.items[row]
    if item and not seen[item.evalId] then
      seen[item.evalId] = true
      ids[#ids + 1] = item.evalId
    end
  end
  vim.api.nvim_feedkeys(vim.keycode("<Esc>"), "nx", false)
  local question = ("Restart the REPL and run %s again, with all effects?"):format(table.concat(ids, ", "))
  if #ids > 0 and vim.fn.confirm(question, "&Yes\n&No", 2) == 1 then
    require("agentq.repl.restart").restart(view.connection, ids, M.refresh)
  end
end

return M
