-- :AgentQ inspect shows a value of the REPL in a buffer, member by member and page by page.
local client = require("agentq.client")
local own_sizes = require("agentq.own_sizes")
local own_window = require("agentq.own_window")
local say = require("agentq.say")

local M = {}

local namespace = vim.api.nvim_create_namespace("agentq.inspect")

---@class agentq.Place where the inspector stands
---@field value string
---@field process? string the program that has the value
---@field module? string
---@field path string[]
---@field page integer

---@class agentq.Inspector
---@field connection vim.lsp.Client
---@field place agentq.Place
---@field trail agentq.Place[] where it came from
---@field pages integer
---@field members table<integer, agentq.ValueMember>

---@type table<integer, agentq.Inspector> by buffer
local inspectors = {}

--- Why the server refused, without the name of the method.
---@param err lsp.ResponseError
---@return string
local function reason(err)
  local data = type(err.data) == "table" and err.data or {}
  return type(data.expected) == "string" and data.expected or err.message
end

---@return integer bufnr
local function buffer()
  local bufnr = vim.fn.bufnr("^agentq://inspect$")
  if bufnr > 0 then
    return bufnr
  end
  require("agentq.highlights").define()
  bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(bufnr, "agentq://inspect")
  vim.bo[bufnr].swapfile = false
  vim.bo[bufnr].undolevels = -1
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].filetype = "agentq-inspect"
  local function map(keys, run, words)
    for _, key in ipairs(keys) do
      vim.keymap.set("n", key, run, { buffer = bufnr, nowait = true, desc = "AgentQ: " .. words })
    end
  end
  map({ "<CR>" }, M.open_member, "open the member under the cursor")
  map({ "-", "<BS>" }, M.back, "go back")
  map({ "]", "n" }, function()
    M.turn(vim.v.count1)
  end, "next page")
  map({ "[", "p" }, function()
    M.turn(-vim.v.count1)
  end, "previous page")
  map({ "x" }, M.call, "call the getter under the cursor")
  map({ "R" }, function()
    M.turn(0)
  end, "look again")
  map({ "q" }, own_window.CLOSE, "close")
  return bufnr
end

---@param bufnr integer
---@param page agentq.ValuePage
local function draw(bufnr, page)
  local inspector = inspectors[bufnr]
  local log = require("agentq.repl.logs").of(inspector.connection.id)
  local view = require("agentq.repl.page").view(page, log, inspector.place.process)
  vim.bo[bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, view.lines)
  vim.bo[bufnr].modifiable = false
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  for row, group in pairs(view.groups) do
    vim.api.nvim_buf_set_extmark(bufnr, namespace, row - 1, 0, { line_hl_group = group })
  end
  inspector.pages, inspector.members = page.pages, view.members
end

--- Goes to a place. The buffer keeps what it shows when the server refuses.
---@param connection vim.lsp.Client
---@param place agentq.Place
---@param trail agentq.Place[]
---@param shown? fun() called once the place is shown
local function visit(connection, place, trail, shown)
  client.request(connection, "agentq/inspectValue", place, function(err, page)
    if err then
      return say.warn(reason(err))
    end
    local bufnr = buffer()
    inspectors[bufnr] = { connection = connection, place = place, trail = trail, pages = 1, members = {} }
    vim.b[bufnr].agentq_client = connection.id
    draw(bufnr, page)
    if vim.fn.bufwinid(bufnr) == -1 then
      local window = own_sizes.open_at(bufnr, true, "below", 14)
      vim.wo[window].number = false
    end
    -- A long string wraps to be readable; members stand on a line each.
    vim.wo[vim.fn.bufwinid(bufnr)].wrap = page.text ~= nil
    if shown then
      shown()
    end
  end)
end

---@param connection vim.lsp.Client
---@param value string a handle, a name, or an expression without effects
---@param from {process?: string, module?: string} process: the program that has the value, nil for the REPL's own process;
---  module: URI of the module in whose scope it is read
function M.open(connection, value, from)
  local place = { value = value, process = from.process, module = from.module, path = {}, page = 1 }
  visit(connection, place, {}, function()
    vim.fn.win_gotoid(vim.fn.bufwinid(buffer()))
    vim.api.nvim_win_set_cursor(0, { 1, 0 })
  end)
end

---@return agentq.Inspector?, agentq.ValueMember?
local function here()
  local inspector = inspectors[vim.api.nvim_get_current_buf()]
  return inspector, inspector and inspector.members[vim.api.nvim_win_get_cursor(0)[1]]
end

function M.open_member()
  local inspector, member = here()
  if not inspector or not member then
    return
  end
  if member.kind == "getter" or not member.step then
    return say.info(
      ("%s is %s"):format(member.name, member.kind == "getter" and "a getter; x calls it" or member.preview)
    )
  end
  local path = vim.list_extend(vim.list_slice(inspector.place.path), { member.step })
  local trail = vim.list_extend(vim.list_slice(inspector.trail), { inspector.place })
  visit(inspector.connection, vim.tbl_extend("force", inspector.place, { path = path, page = 1 }), trail, function()
    vim.api.nvim_win_set_cursor(vim.fn.bufwinid(buffer()), { 1, 0 })
  end)
end

function M.back()
  local inspector = here()
  local place = inspector and inspector.trail[#inspector.trail]
  if inspector and place then
    visit(inspector.connection, place, vim.list_slice(inspector.trail, 1, #inspector.trail - 1))
  end
end

--- Turns a number of pages; 0 reads the same page again.
---@param pages integer
function M.turn(pages)
  local inspector = here()
  local wanted = inspector and inspector.place.page + pages
  if not inspector or wanted < 1 or wanted > inspector.pages then
    return
  end
  visit(inspector.connection, vim.tbl_extend("force", inspector.place, { page = wanted }), inspector.trail)
end

---@param log agentq.Log
---@param result agentq.EvalResult
---@param process? string
---@return string
local function failure(log, result, process)
  require("agentq.repl.places").put(log, result.error, process)
  return table.concat(require("agentq.repl.describe").describe(result, log, { process = process }).lines, "\n")
end

--- A getter is code: to call it is an evaluation, with a handle and a line in the log.
function M.call()
  local inspector, member = here()
  if not inspector or not member or member.kind ~= "getter" then
    return
  end
  local code = inspector.place.value
  for _, step in ipairs(vim.list_extend(vim.list_slice(inspector.place.path), { member.step })) do
    if step:match("^[<#]") then
      return say.warn("only a getter on a path of plain properties can be called")
    end
    local name = step:match('^"') and vim.json.decode(step) or step
    code = name:match("^[%a_$][%w_$]*$") and code .. "." .. name or ("%s[%s]"):format(code, vim.json.encode(name))
  end
  local process = inspector.place.process
  local params = { process = process, code = code, module = inspector.place.module }
  client.request(inspector.connection, "agentq/evaluate", params, function(err, result)
    if err or not result.valueId then
      local log = require("agentq.repl.logs").of(inspector.connection.id)
      return say.info(err and err.message or failure(log, result, process))
    end
    local trail = vim.list_extend(vim.list_slice(inspector.trail), { inspector.place })
    visit(inspector.connection, { value = result.valueId, process = process, path = {}, page = 1 }, trail)
  end)
end

return M
