-- Keeps buffers in step with the proposals: draws hunks where they stand, and follows edits, loads and wipes.
local anchors = require("agentq.review.anchors")
local buffers = require("agentq.buffers")
local draw = require("agentq.review.draw")
local hunks = require("agentq.review.hunks")
local keymaps = require("agentq.review.keymaps")
local own_text = require("agentq.review.own_text")
local store = require("agentq.review.store")

local M = {}

---@type table<integer, boolean> buffers with hunks on display
local shown = {}
local group = vim.api.nvim_create_augroup("agentq.review", { clear = true })

--- The pending hunks of files that are loaded, by buffer. A file that does not exist yet has none.
---@return table<integer, agentq.review.Item[]>
local function pending_by_buffer()
  local items = {}
  for _, file in ipairs(store.files()) do
    local bufnr = buffers.loaded(file.uri)
    for _, item in ipairs(bufnr and file.items or {}) do
      if bufnr and not hunks.is_apart(item.hunk) then
        items[bufnr] = items[bufnr] or {}
        table.insert(items[bufnr], item)
      end
    end
  end
  return items
end

---@param bufnr integer
---@param items agentq.review.Item[]
---@return agentq.review.Place[]
local function place_all(bufnr, items)
  local places = anchors.places(bufnr, items)
  table.sort(places, function(a, b)
    return a.first == b.first and a.item.number < b.item.number or a.first < b.first
  end)
  return places
end

--- The places of the pending hunks of a buffer, top to bottom.
---@param bufnr integer
---@return agentq.review.Place[]
function M.places(bufnr)
  return place_all(bufnr, pending_by_buffer()[bufnr] or {})
end

--- Marks where the hunks stand, pieces of a hunk that was cut among them, before an edit moves their places.
function M.mark_places()
  for bufnr, items in pairs(pending_by_buffer()) do
    anchors.places(bufnr, items)
  end
end

--- What no window shows is only marked, so that the hunks follow edits there.
---@param bufnr integer
---@param items? agentq.review.Item[]
local function show(bufnr, items)
  if items and #vim.fn.win_findbuf(bufnr) == 0 then
    anchors.mark(bufnr, items)
    draw.later(bufnr, M.refresh)
    shown[bufnr] = true
  elseif items then
    -- The header of a hunk names the keys that are there.
    keymaps.set(bufnr)
    draw.draw(bufnr, place_all(bufnr, items), M.refresh)
    shown[bufnr] = true
  elseif shown[bufnr] then
    draw.clear(bufnr)
    anchors.forget(bufnr)
    shown[bufnr] = nil
  end
end

---@type fun()[]
local listeners = {}

--- Hears whenever hunks were drawn anew because something changed, and when the cursor moved among them.
---@param listener fun()
function M.on_shown(listener)
  listeners[#listeners + 1] = listener
end

local function tell_shown()
  for _, listener in ipairs(listeners) do
    listener()
  end
end

--- Draws what shows hunks in buffers of its own, where there is some.
---@param names string[] of modules
local function refresh_views(names)
  for _, name in ipairs(names) do
    local view = package.loaded[name]
    if type(view) == "table" then
      view.refresh()
    end
  end
end

---@param bufnr integer
function M.refresh(bufnr)
  show(bufnr, pending_by_buffer()[bufnr])
  refresh_views({ "agentq.review.diff" })
end

--- Draws the file of a hunk again, where it is loaded.
---@param item agentq.review.Item
function M.refresh_item(item)
  local bufnr = buffers.loaded(item.hunk.uri)
  if bufnr then
    M.refresh(bufnr)
  end
end

--- Draws the review window and the diff again, where there are some.
function M.refresh_window()
  refresh_views({ "agentq.review.window_page", "agentq.review.diff" })
end

function M.refresh_all()
  local items = pending_by_buffer()
  for bufnr in pairs(vim.tbl_extend("keep", items, shown)) do
    show(bufnr, items[bufnr])
  end
  M.refresh_window()
  tell_shown()
  if store.count() > 0 then
    keymaps.keep()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      -- A key that the screen names must not type into whatever else the person is in.
      keymaps.set(vim.api.nvim_win_get_buf(window))
    end
  else
    keymaps.release_soon()
  end
  vim.cmd.redrawstatus({ bang = true })
end

local watching = false

--- Follows edits, loads and wipes from now on.
function M.watch()
  if watching then
    return
  end
  watching = true
  vim.api.nvim_create_autocmd({ "BufReadPost", "BufWinEnter" }, {
    group = group,
    callback = function(args)
      if store.count() > 0 then
        keymaps.set(args.buf)
        M.refresh(args.buf)
      end
    end,
  })
  vim.api.nvim_create_autocmd({ "TextChanged", "TextChangedI" }, {
    group = group,
    callback = function(args)
      if shown[args.buf] then
        M.refresh(args.buf)
        tell_shown()
      end
    end,
  })
  vim.api.nvim_create_autocmd("CursorMoved", {
    group = group,
    callback = function(args)
      local own = vim.b[args.buf]
      if shown[args.buf] and draw.is_moved(args.buf) then
        M.refresh(args.buf)
      end
      if shown[args.buf] or own.agentq_hunk or own.agentq_review or own.agentq_diff then
        tell_shown()
      end
    end,
  })
  -- Unloading takes the marks and nothing else: the hunks wait and are drawn again when the file comes back.
  vim.api.nvim_create_autocmd("BufUnload", {
    group = group,
    callback = function(args)
      keymaps.restore(args.buf)
      if shown[args.buf] then
        anchors.forget(args.buf)
        shown[args.buf] = nil
      end
    end,
  })
end

own_text.on_change(M.refresh_item)

return M
