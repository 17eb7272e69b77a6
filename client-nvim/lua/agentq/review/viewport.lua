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

--- The same as numbers: every redraw asks for them.
---@param bufnr integer
---@return integer width
---@return integer widest
---@return integer height
local function measure(bufnr)
  local narrowest, widest, lowest
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    local info = vim.fn.getwininfo(window)[1]
    local width = info.width - info.textoff
    narrowest = math.min(narrowest or width, width)
    widest = math.max(widest or width, width)
    lowest = math.min(lowest or info.height, info.height)
  end
  return narrowest or vim.o.columns, widest or vim.o.columns, lowest or vim.o.lines - 2
end

---@param bufnr integer
---@return agentq.review.Viewport
function M.of(bufnr)
  local width, widest, height = measure(bufnr)
  return { width = width, widest = widest, height = height }
end

---@param viewport agentq.review.Viewport
---@param bufnr integer
---@return boolean
local function is_of(viewport, bufnr)
  local width, widest, height = measure(bufnr)
  return viewport.width == width and viewport.widest == widest and viewport.height == height
end

vim.api.nvim_set_decoration_provider(namespace, {
  on_win = function(_, _, bufnr)
    local known = watched[bufnr]
    if known and not is_of(known.viewport, bufnr) then
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

---@type table<integer, table<integer, integer>> rows of virtual lines above a line, by buffer and 0-based row
local above = {}

--- Scrolls the rows above the topmost line of a window into sight.
---@param window integer
---@param known table<integer, integer>
---@param anywhere boolean also where the cursor is not on that line
local function scroll(window, known, anywhere)
  vim.api.nvim_win_call(window, function()
    local top = vim.fn.line("w0")
    if known[top - 1] and (anywhere or top == vim.fn.line(".")) then
      vim.fn.winrestview({ topline = top, topfill = known[top - 1] })
    end
  end)
end

--- Shows rows above lines. Those above the topmost line of a window are off screen unless the window is scrolled to show
--- them: now, and whenever the cursor comes to that line.
---@param bufnr integer
---@param rows table<integer, integer> how many, by 0-based row of the line
function M.show_above(bufnr, rows)
  above[bufnr] = next(rows) and rows or nil
  for _, window in ipairs(above[bufnr] and vim.fn.win_findbuf(bufnr) or {}) do
    scroll(window, rows, vim.fn.line("w0", window) == 1)
  end
end

vim.api.nvim_create_autocmd("CursorMoved", {
  group = vim.api.nvim_create_augroup("agentq.viewport", { clear = true }),
  callback = function(args)
    if above[args.buf] then
      scroll(0, above[args.buf], false)
    end
  end,
})

return M
