-- What a person attaches to a prompt.
local M = {}

--- The end of a character-wise selection, which includes its last character.
---@param row integer 1-based
---@param byte integer 1-based
---@return lsp.Position
local function past(row, byte)
  local line = vim.api.nvim_buf_get_lines(0, row - 1, row, false)[1] or ""
  local last = byte > #line and #line or byte + vim.str_utf_end(line, byte)
  return { line = row - 1, character = require("agentq.compat").units(line, last) }
end

--- What was selected before a command with its range: nil unless it was selected by characters.
---@param args {line1: integer, line2: integer}
---@return lsp.Range?
local function exact(args)
  local from, to = vim.fn.getpos("'<"), vim.fn.getpos("'>")
  if vim.fn.visualmode() ~= "v" or from[2] ~= args.line1 or to[2] ~= args.line2 or vim.o.selection == "exclusive" then
    return nil
  end
  local line = vim.api.nvim_buf_get_lines(0, from[2] - 1, from[2], false)[1] or ""
  local character = require("agentq.compat").units(line, math.min(from[3] - 1, #line))
  return { start = { line = from[2] - 1, character = character }, ["end"] = past(to[2], to[3]) }
end

--- The lines of a command's range, or exactly what was selected there.
---@param args {range: integer, line1: integer, line2: integer}
---@return agentq.ContextRef[]? nil without a range and outside of files
function M.of(args)
  if args.range == 0 or vim.bo.buftype ~= "" then
    return nil
  end
  return {
    {
      kind = "selection",
      uri = vim.uri_from_bufnr(0),
      range = exact(args) or {
        start = { line = args.line1 - 1, character = 0 },
        ["end"] = { line = args.line2, character = 0 },
      },
    },
  }
end

local MOST_DIAGNOSTICS = 20

--- The errors and warnings that the editor shows in a file: the worst first, of those the nearest.
---@param bufnr integer
---@param row integer 0-based
---@return agentq.PromptParamsActiveDiagnostics[]? nil when there are none
local function diagnostics(bufnr, row)
  local shown = vim.diagnostic.get(bufnr, { severity = { min = vim.diagnostic.severity.WARN } })
  if #shown == 0 then
    return nil
  end
  table.sort(shown, function(a, b)
    if a.severity ~= b.severity then
      return a.severity < b.severity
    end
    return math.abs(a.lnum - row) < math.abs(b.lnum - row)
  end)
  local function at(line, byte)
    local text = vim.api.nvim_buf_get_lines(bufnr, line, line + 1, false)[1] or ""
    return { line = line, character = require("agentq.compat").units(text, math.min(byte, #text)) }
  end
  return vim.tbl_map(function(each)
    return {
      range = {
        start = at(each.lnum, each.col),
        ["end"] = at(each.end_lnum or each.lnum, each.end_col or each.col),
      },
      severity = each.severity,
      message = each.message,
      source = each.source,
    }
  end, vim.list_slice(shown, 1, MOST_DIAGNOSTICS))
end

--- Where the person is, for the model: a file of the project with the cursor, the lines on the screen, and the errors
--- and warnings of the file. Nothing where the person has switched that off.
---@param root string
---@return agentq.PromptParamsActive?
function M.active(root)
  local window = require("agentq.person").window(function(bufnr)
    local is_file = require("agentq.project").is_file(bufnr)
    return is_file and vim.startswith(vim.api.nvim_buf_get_name(bufnr), root .. "/")
  end)
  if not window or not require("agentq.config").get().chat.send_place then
    return nil
  end
  local row, column = unpack(vim.api.nvim_win_get_cursor(window))
  local bufnr = vim.api.nvim_win_get_buf(window)
  local line = vim.api.nvim_buf_get_lines(bufnr, row - 1, row, false)[1] or ""
  local position = { line = row - 1, character = require("agentq.compat").units(line, math.min(column, #line)) }
  local first, last = vim.fn.line("w0", window), vim.fn.line("w$", window)
  return {
    uri = vim.uri_from_bufnr(bufnr),
    range = { start = position, ["end"] = position },
    visible = { start = { line = first - 1, character = 0 }, ["end"] = { line = last, character = 0 } },
    diagnostics = diagnostics(bufnr, row - 1),
  }
end

--- What refs are called: by their labels, or by their files with lines, such as `src/cart.ts:12–15`.
---@param context agentq.ContextRef[]?
---@param root string
---@return string[]
function M.names(context, root)
  ---@param ref agentq.ContextRef
  return vim.tbl_map(function(ref)
    if ref.label or not ref.uri or not ref.range then
      return ref.label or ref.symbol or ref.kind
    end
    local path = vim.uri_to_fname(ref.uri)
    local name = vim.startswith(path, root .. "/") and path:sub(#root + 2) or vim.fn.fnamemodify(path, ":~")
    local first, last = ref.range.start.line + 1, ref.range["end"].line
    -- A range that ends before a line's first character does not reach into that line.
    last = ref.range["end"].character > 0 and last + 1 or last
    return last > first and ("%s:%d–%d"):format(name, first, last) or ("%s:%d"):format(name, first)
  end, context or {})
end

return M
