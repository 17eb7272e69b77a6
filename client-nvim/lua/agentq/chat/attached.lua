-- What goes along with a prompt, in words.
local M = {}

--- Names with lines, such as `src/cart.ts:12–15`.
---@param context table[]? ContextRef[]
---@param root string
---@return string[]
function M.names(context, root)
  return vim.tbl_map(function(ref)
    local path = vim.uri_to_fname(ref.uri)
    local name = vim.startswith(path, root .. "/") and path:sub(#root + 2) or vim.fn.fnamemodify(path, ":~")
    local first, last = ref.range.start.line + 1, ref.range["end"].line
    return last > first and ("%s:%d–%d"):format(name, first, last) or ("%s:%d"):format(name, first)
  end, context or {})
end

return M
