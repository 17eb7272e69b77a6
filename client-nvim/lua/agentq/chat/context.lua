-- What a person attaches to a prompt.
local M = {}

--- The lines of a command's range.
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
      range = {
        start = { line = args.line1 - 1, character = 0 },
        ["end"] = { line = args.line2, character = 0 },
      },
    },
  }
end

--- The window of a file of the project that the person works in: this one, the one before it, else any of the tab page.
---@param root string
---@return integer? window
---@return string? path
local function file_window(root)
  local windows = { vim.api.nvim_get_current_win(), vim.fn.win_getid(vim.fn.winnr("#")) }
  for _, window in ipairs(vim.list_extend(windows, vim.api.nvim_tabpage_list_wins(0))) do
    local bufnr = window ~= 0 and vim.api.nvim_win_get_buf(window)
    local path = bufnr and vim.bo[bufnr].buftype == "" and vim.api.nvim_buf_get_name(bufnr) or ""
    if vim.startswith(path, root .. "/") then
      return window, path
    end
  end
end

--- Where the person is, for the model: a file of the project with the cursor.
---@param root string
---@return agentq.PromptParamsActive?
function M.active(root)
  local window, path = file_window(root)
  if not window or not path then
    return nil
  end
  local row, column = unpack(vim.api.nvim_win_get_cursor(window))
  local bufnr = vim.api.nvim_win_get_buf(window)
  local line = vim.api.nvim_buf_get_lines(bufnr, row - 1, row, false)[1] or ""
  local position = { line = row - 1, character = require("agentq.compat").units(line, math.min(column, #line)) }
  return { uri = vim.uri_from_fname(path), range = { start = position, ["end"] = position } }
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
    return last > first and ("%s:%d–%d"):format(name, first, last) or ("%s:%d"):format(name, first)
  end, context or {})
end

return M
