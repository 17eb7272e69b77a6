-- The hunks that the review window is about, in the order of their files and places, with what stands around them.
local anchors = require("agentq.review.anchors")
local buffers = require("agentq.buffers")
local header = require("agentq.review.header")
local hunks = require("agentq.review.hunks")
local own_text = require("agentq.review.own_text")
local store = require("agentq.review.store")

local M = {}

---@param entry agentq.review.Entry
---@param uri string
---@return string
local function path_of(entry, uri)
  local path = vim.uri_to_fname(uri)
  local client = vim.lsp.get_client_by_id(entry.client_id)
  local root = client and client.config.root_dir
  return root and vim.startswith(path, root .. "/") and path:sub(#root + 2) or vim.fn.fnamemodify(path, ":~:.")
end

---@param uri string
---@return string[]
local function lines_of(uri)
  local bufnr = buffers.loaded(uri)
  if bufnr then
    return vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
  end
  local ok, lines = pcall(vim.fn.readfile, vim.uri_to_fname(uri))
  return ok and lines or {}
end

--- All hunks of the proposals that the window is about, by file and place.
---@param window agentq.review.Window
---@return agentq.review.Shown[]
function M.collect(window)
  local items, texts, loaded, order, all = {}, {}, {}, {}, {}
  for _, item in ipairs(store.pending()) do
    items[item.key] = item
    if not window.hidden[item.entry.proposal.proposalId] then
      window.proposals[item.entry.proposal.proposalId] = true
    end
  end
  for _, entry in ipairs(store.all()) do
    for _, hunk in ipairs(window.proposals[entry.proposal.proposalId] and entry.proposal.hunks or {}) do
      local key, uri = store.key(entry, hunk), hunk.uri
      if not texts[uri] then
        texts[uri], loaded[uri] = lines_of(uri), buffers.loaded(uri)
      end
      local item = items[key]
      local place
      if item and loaded[uri] and not hunks.is_apart(hunk) then
        place = anchors.place(loaded[uri], item, texts[uri])
      end
      local own = item and own_text.edited(item)
      local view = place and place.view
        or hunks.view(own and vim.tbl_extend("force", hunk, { newText = own }) or hunk, function(row)
          return texts[uri][row + 1] or ""
        end, "utf-16")
      order[uri] = order[uri] or #all
      all[#all + 1] = {
        entry = entry,
        hunk = hunk,
        key = key,
        is_open = item ~= nil,
        item = item,
        is_reopened = window.reopened[key] or false,
        path = path_of(entry, uri),
        view = view,
        first = place and place.first or view.first,
        own = own ~= nil,
        fixes = item and header.fixes(item),
        around = hunks.is_apart(hunk) and {} or texts[uri],
      }
    end
  end
  local number = {}
  for index, each in ipairs(all) do
    number[each.key] = index
  end
  table.sort(all, function(a, b)
    if a.hunk.uri ~= b.hunk.uri then
      return order[a.hunk.uri] < order[b.hunk.uri]
    end
    return a.first == b.first and number[a.key] < number[b.key] or a.first < b.first
  end)
  return all
end

return M
