-- Keeps buffers in step with the proposals: draws hunks where they stand, and follows edits, loads and wipes.
local anchors = require("agentq.review.anchors")
local buffers = require("agentq.buffers")
local config = require("agentq.config")
local draw = require("agentq.review.draw")
local events = require("agentq.events")
local hunks = require("agentq.review.hunks")
local keymaps = require("agentq.review.keymaps")
local proof = require("agentq.review.proof")
local say = require("agentq.say")
local store = require("agentq.review.store")
local visible = require("agentq.review.visible")

local M = {}

---@type table<integer, boolean> buffers with hunks on display
local shown = {}
local group = vim.api.nvim_create_augroup("agentq.review", { clear = true })

--- The pending hunks of files that are loaded, by buffer. A file that does not exist yet has none.
---@return table<integer, agentq.review.Item[]>
local function pending_by_buffer()
  local items, bufnrs = {}, {}
  for _, item in ipairs(store.pending()) do
    local uri = item.hunk.uri
    if not hunks.is_apart(item.hunk) then
      bufnrs[uri] = bufnrs[uri] or buffers.loaded(uri) or -1
      items[bufnrs[uri]] = items[bufnrs[uri]] or {}
      table.insert(items[bufnrs[uri]], item)
    end
  end
  items[-1] = nil
  return items
end

---@param bufnr integer
---@param items agentq.review.Item[]
---@return agentq.review.Place[]
local function place_all(bufnr, items)
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
  local places = vim.tbl_map(function(item)
    return anchors.place(bufnr, item, lines)
  end, items)
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

---@param bufnr integer
function M.refresh(bufnr)
  show(bufnr, pending_by_buffer()[bufnr])
end

--- Draws the review window again, where there is one.
function M.refresh_window()
  local window = package.loaded["agentq.review.window"]
  if window then
    window.refresh()
  end
end

function M.refresh_all()
  local items = pending_by_buffer()
  for bufnr in pairs(vim.tbl_extend("keep", items, shown)) do
    show(bufnr, items[bufnr])
  end
  M.refresh_window()
  proof.look()
  if store.count() > 0 then
    keymaps.keep()
  else
    keymaps.release_soon()
  end
  vim.cmd.redrawstatus({ bang = true })
end

local watching = false

local function watch()
  if watching then
    return
  end
  watching = true
  vim.api.nvim_create_autocmd({ "BufReadPost", "BufWinEnter" }, {
    group = group,
    callback = function(args)
      if store.count() > 0 then
        M.refresh(args.buf)
      end
    end,
  })
  vim.api.nvim_create_autocmd({ "TextChanged", "TextChangedI" }, {
    group = group,
    callback = function(args)
      if shown[args.buf] then
        M.refresh(args.buf)
        proof.look()
      end
    end,
  })
  vim.api.nvim_create_autocmd("CursorMoved", {
    group = group,
    callback = function(args)
      if shown[args.buf] or vim.b[args.buf].agentq_hunk or vim.b[args.buf].agentq_review then
        proof.look()
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

---@param client_id integer
---@param proposal agentq.Proposal
function M.on_proposal(client_id, proposal)
  watch()
  store.put(client_id, proposal)
  -- Text sync must cover every document of the proposal that is open, whatever its file type.
  for _, document in ipairs(proposal.documents) do
    local bufnr = buffers.loaded(document.uri)
    if bufnr and vim.bo[bufnr].buftype == "" and not vim.lsp.buf_is_attached(bufnr, client_id) then
      vim.lsp.buf_attach_client(bufnr, client_id)
    end
  end
  M.refresh_all()
  require("agentq.review.quickfix").update()
  if config.get().notify then
    local count = #proposal.hunks
    say.info(("%d hunk%s: :AgentQ review. %s"):format(count, count == 1 and "" or "s", visible.text(proposal.title)))
  end
  events.fire("Proposal", { proposal = proposal })
end

---@param client_id integer
---@param proposal agentq.Proposal
function M.on_changed(client_id, proposal)
  watch()
  store.put(client_id, proposal)
  M.refresh_all()
  vim.iter(store.pending()):each(require("agentq.review.proposed").redraw)
  if not require("agentq.review.decide").in_flight() then
    require("agentq.review.proposed").close_decided()
    require("agentq.review.quickfix").update()
  end
  events.fire("ProposalChanged", { proposal = proposal })
end

require("agentq.client").on_exit(function(client_id)
  store.forget_client(client_id)
  M.refresh_all()
  require("agentq.review.proposed").close_decided()
end)

return M
