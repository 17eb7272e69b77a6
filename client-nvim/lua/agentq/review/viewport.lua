-- The room that the windows of a buffer have for virtual lines. It is measured at every redraw, because splits, signs,
-- line numbers and more change it without an event.
local M = {}

local namespace = vim.api.nvim_create_namespace("agentq.viewport")

---@class agentq.review.Viewport
---@field width integer cells of text in the narrowest window
---@field widest integer cells of text in the widest one
---@field height integer rows of the lowest one

---@type table<integer, {viewport: agentq.review.Viewport, redraw: fun(bufnr: integer)}> by buffer
local watched = {}

---@param bufnr integer
---@return agentq.review.Viewport
function M.of(bufnr)
  local found
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    local info = vim.fn.getwininfo(window)[1]
    local width = info.width - info.textoff
    found = found or { width = width, widest = width, height = info.height }
    found.width = math.min(found.width, width)
    found.widest = math.max(found.widest, width)
    found.height = math.min(found.height, info.height)
  end
  return found or { width = vim.o.columns, widest = vim.o.columns, height = vim.o.lines - 2 }
end

vim.api.nvim_set_decoration_provider(namespace, {
  on_win = function(_, _, bufnr)
    local known = watched[bufnr]
    if known and not vim.deep_equal(known.viewport, M.of(bufnr)) then
      watched[bufnr] = nil
      vim.schedule(function()
        if vim.api.nvim_buf_is_loaded(bufnr) then
          known.redraw(bufnr)
        end
      end)
    end
    return false
  end,
})

--- Calls `redraw` once when the room of a buffer is no longer the one that it was drawn for.
---@param bufnr integer
---@param viewport agentq.review.Viewport
---@param redraw fun(bufnr: integer)
function M.watch(bufnr, viewport, redraw)
  watched[bufnr] = { viewport = viewport, redraw = redraw }
end

---@param bufnr integer
function M.forget(bufnr)
  watched[bufnr] = nil
end

---@type table<integer, integer> rows of virtual lines above the first line, by buffer
local above = {}

--- Shows rows above the first line, which are off screen unless the window is scrolled to show them: again whenever
--- the cursor comes to the first line.
---@param bufnr integer
---@param rows integer 0 when there are none any more
function M.show_above(bufnr, rows)
  above[bufnr] = rows > 0 and rows or nil
  for _, window in ipairs(rows > 0 and vim.fn.win_findbuf(bufnr) or {}) do
    vim.api.nvim_win_call(window, function()
      if vim.fn.line("w0") == 1 then
        vim.fn.winrestview({ topline = 1, topfill = rows })
      end
    end)
  end
end

vim.api.nvim_create_autocmd("CursorMoved", {
  group = vim.api.nvim_create_augroup("agentq.viewport", { clear = true }),
  callback = function(args)
    if above[args.buf] and vim.api.nvim_win_get_cursor(0)[1] == 1 then
      M.show_above(args.buf, above[args.buf])
    end
  end,
})

return M
