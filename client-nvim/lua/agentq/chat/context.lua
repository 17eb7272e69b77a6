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

--- Names with lines, such as `src/cart.ts:12–15`.
---@param context agentq.ContextRef[]?
---@param root string
---@return string[]
function M.names(context, root)
  ---@param ref agentq.ContextRef
  return vim.tbl_map(function(ref)
    local path = vim.uri_to_fname(ref.uri)
    local name = vim.startswith(path, root .. "/") and path:sub(#root + 2) or vim.fn.fnamemodify(path, ":~")
    local first, last = ref.range.start.line + 1, ref.range["end"].line
    return last > first and ("%s:%d–%d"):format(name, first, last) or ("%s:%d"):format(name, first)
  end, context or {})
end

return M
