-- Evaluates parts of a file: the form at the cursor, or the range of a command.
local client = require("agentq.client")
local compat = require("agentq.compat")
local eval = require("agentq.repl.eval")
local places = require("agentq.repl.places")
local say = require("agentq.say")
local start = require("agentq.start")

local M = {}

local namespace = vim.api.nvim_create_namespace("agentq.flash")

local PATIENCE_MS = 2000

---@param from integer[] as |getpos()| answers
---@param to integer[]
---@param mode string "v", "V" or that of a block
---@return string
---@return agentq.Origin? origin nil for a block and outside of files
local function region(from, to, mode)
  local text = table.concat(vim.fn.getregion(from, to, { type = mode }), "\n")
  local column = mode == "v" and from[3] - 1 or 0
  return text, (mode == "v" or mode == "V") and places.origin(0, from[2] - 1, column) or nil
end

--- The text of a command's range: the exact selection when the range is the last visual one.
---@param args {line1: integer, line2: integer}
---@return string
---@return agentq.Origin? origin nil for a block and outside of files
function M.selected(args)
  local from, to = vim.fn.getpos("'<"), vim.fn.getpos("'>")
  local mode = vim.fn.visualmode()
  if from[2] == args.line1 and to[2] == args.line2 and mode ~= "" then
    return region(from, to, mode)
  end
  local text = table.concat(vim.api.nvim_buf_get_lines(0, args.line1 - 1, args.line2, false), "\n")
  return text, places.origin(0, args.line1 - 1, 0)
end

--- Highlights the evaluated text for a moment.
---@param bufnr integer
---@param from integer[] 0-based row and byte column
---@param to integer[]
local function flash(bufnr, from, to)
  vim.api.nvim_buf_set_extmark(bufnr, namespace, from[1], from[2], {
    end_row = to[1],
    end_col = to[2],
    hl_group = "IncSearch",
  })
  vim.defer_fn(function()
    if vim.api.nvim_buf_is_valid(bufnr) then
      vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
    end
  end, 200)
end

--- Evaluates the top-level form around the cursor in its module's scope: a definition is redefined.
---@param connection vim.lsp.Client
function M.evaluate_form(connection)
  local bufnr = vim.api.nvim_get_current_buf()
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local line = vim.api.nvim_get_current_line()
  local uri = vim.uri_from_bufnr(bufnr)
  local character = compat.units(line, column)
  local params = { uri = uri, position = { line = row - 1, character = character } }
  client.request(connection, "agentq/formAt", params, function(err, result)
    local range = not err and result.range
    if not range then
      local why = err and err.message or "the file does not parse, or has nothing to evaluate; select what you mean"
      return say.warn(why)
    end
    local from, to = range.start, range["end"]
    ---@param position lsp.Position
    local function byte(position)
      local text = vim.api.nvim_buf_get_lines(bufnr, position.line, position.line + 1, false)[1] or ""
      return vim.fn.byteidx(text, position.character, true)
    end
    local first, last = byte(from), byte(to)
    local code = vim.api.nvim_buf_get_text(bufnr, from.line, first, to.line, last, {})
    flash(bufnr, { from.line, first }, { to.line, last })
    local origin = { uri = uri, line = from.line, character = from.character }
    eval.evaluate(connection, table.concat(code, "\n"), uri, { install = result.declares, origin = origin })
  end, bufnr)
end

---@param a lsp.Position
---@param b lsp.Position
local function is_before(a, b)
  return a.line < b.line or a.line == b.line and a.character < b.character
end

--- Where the next form can begin: behind blanks on the line, else on the next one.
---@param bufnr integer
---@param at lsp.Position
---@return lsp.Position
local function next_place(bufnr, at)
  local line = vim.api.nvim_buf_get_lines(bufnr, at.line, at.line + 1, false)[1] or ""
  local byte = vim.fn.byteidx(line, at.character, true)
  local code = line:find("[^%s;]", math.max(0, byte) + 1)
  if not code or line:find("^/[/*]", code) then
    return { line = at.line + 1, character = 0 }
  end
  return { line = at.line, character = compat.units(line, code - 1) }
end

--- Asks whether a stretch of a file consists of whole definitions, which can replace those of the module.
---@param connection vim.lsp.Client
---@param bufnr integer
---@param first lsp.Position
---@param last lsp.Position exclusive
---@param answer fun(declares: boolean)
local function ask_whether_declares(connection, bufnr, first, last, answer)
  ---@param at lsp.Position
  ---@param found boolean
  local function look(at, found)
    if not is_before(at, last) then
      return answer(found)
    end
    local params = { uri = vim.uri_from_bufnr(bufnr), position = at }
    client.request(connection, "agentq/formAt", params, function(err, result)
      local range = not err and result.range
      if not range then
        answer(false)
      elseif not is_before(range.start, last) then
        answer(found)
      elseif not is_before(at, range["end"]) then
        look({ line = at.line + 1, character = 0 }, found)
      elseif not result.declares or is_before(range.start, first) or is_before(last, range["end"]) then
        answer(false)
      else
        look(next_place(bufnr, range["end"]), true)
      end
    end, bufnr)
  end
  look(first, false)
end

--- Evaluates a stretch of a file. Whole definitions are redefined for every importer, like the definition at the
--- cursor; any other text is evaluated as it stands.
---@param connection vim.lsp.Client
---@param code string
---@param origin? agentq.Origin
---@param module? string URI
local function evaluate_text(connection, code, origin, module)
  if vim.trim(code) == "" then
    return say.warn("there is nothing to evaluate here")
  end
  local bufnr = vim.api.nvim_get_current_buf()
  local lines = vim.split(code, "\n", { plain = true })
  if not module or not origin then
    return eval.evaluate(connection, code, module, { origin = origin })
  end
  local character = compat.units(lines[#lines], #lines[#lines]) + (#lines == 1 and origin.character or 0)
  local first = { line = origin.line, character = origin.character }
  local last = { line = origin.line + #lines - 1, character = character }
  ask_whether_declares(connection, bufnr, first, last, function(declares)
    eval.evaluate(connection, code, module, { install = declares or nil, origin = origin })
  end)
end

--- Evaluates the range of a command.
---@param connection vim.lsp.Client
---@param args {line1: integer, line2: integer}
---@param module? string URI
function M.evaluate_selection(connection, args, module)
  local code, origin = M.selected(args)
  evaluate_text(connection, code, origin, module)
end

local modes = { char = "v", line = "V", block = "\22" }

--- Evaluates what a motion goes over; see |:map-operator|.
---@param kind "char"|"line"|"block"
function M.operator(kind)
  local code, origin = region(vim.fn.getpos("'["), vim.fn.getpos("']"), modes[kind])
  local module = require("agentq.here").module()
  start.with_client(function(connection)
    evaluate_text(connection, code, origin, module)
  end)
end

--- The top-level form around the cursor, as a text object: |o_v| and the like hold.
function M.select_form()
  local connection = client.current()
  local bufnr = vim.api.nvim_get_current_buf()
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local character = compat.units(vim.api.nvim_get_current_line(), column)
  local params = { uri = vim.uri_from_bufnr(bufnr), position = { line = row - 1, character = character } }
  if not connection or not connection.initialized then
    return say.warn("no server runs yet; :AgentQ starts it")
  end
  require("agentq.sync").flush(connection, bufnr)
  local answer, err = compat.request_sync(connection, "agentq/formAt", params, PATIENCE_MS)
  local range = answer and answer.result and require("agentq.wire").without_null(answer.result).range
  if not range then
    return say.warn(err or "no form stands here")
  end
  local function go(position)
    local text = vim.api.nvim_buf_get_lines(bufnr, position.line, position.line + 1, false)[1] or ""
    vim.api.nvim_win_set_cursor(0, { position.line + 1, vim.fn.byteidx(text, position.character, true) })
  end
  if vim.api.nvim_get_mode().mode:match("^[vV\22]") then
    vim.cmd.normal({ vim.keycode("<Esc>"), bang = true })
  end
  go(range.start)
  vim.cmd.normal({ "v", bang = true })
  go({ line = range["end"].line, character = math.max(0, range["end"].character - 1) })
end

return M
