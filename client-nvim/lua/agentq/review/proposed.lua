-- Buffers that hold a hunk's proposed text: how a file that does not exist yet is shown, and where a person changes
-- the text before accepting it. They are no files: nothing attaches to them and writing them does nothing.
local store = require("agentq.review.store")

local M = {}

local namespace = vim.api.nvim_create_namespace("agentq.proposed")

---@type table<string, integer> buffer by hunk key
local opened = {}

local function key(item)
  return item.entry.proposal.proposalId .. "/" .. item.hunk.id
end

---@param bufnr integer
---@param item agentq.review.Item
local function fill(bufnr, item)
  local text = item.hunk.newText:gsub("\r\n", "\n"):gsub("\n$", "")
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, vim.split(text, "\n", { plain = true }))
  vim.bo[bufnr].modified = false
  local creates = item.hunk.kind == "create"
  local keys = require("agentq.config").get().review.keymaps
  local words = creates and "new file" or "proposed text"
  vim.api.nvim_buf_set_extmark(bufnr, namespace, 0, 0, {
    virt_text = {
      { ("▎%d/%d %s "):format(item.number, item.total, words), "AgentqHunk" },
      {
        ("%s accept · %s reject · edits count"):format(keys.accept or "accept", keys.reject or "reject"),
        "AgentqHint",
      },
    },
  })
  for row = 0, creates and vim.api.nvim_buf_line_count(bufnr) - 1 or -1 do
    vim.api.nvim_buf_set_extmark(bufnr, namespace, row, 0, { line_hl_group = "AgentqAdd" })
  end
end

--- The buffer with the proposed text of a hunk, made on first use.
---@param item agentq.review.Item
---@return integer bufnr
function M.buffer(item)
  require("agentq.highlights").define()
  local known = opened[key(item)]
  if known and vim.api.nvim_buf_is_valid(known) then
    return known
  end
  local path = vim.uri_to_fname(item.hunk.uri)
  local bufnr = vim.api.nvim_create_buf(false, true)
  opened[key(item)] = bufnr
  vim.api.nvim_buf_set_name(bufnr, ("agentq://proposed/%s/%s"):format(key(item), vim.fs.basename(path)))
  vim.bo[bufnr].bufhidden = "hide"
  vim.bo[bufnr].swapfile = false
  vim.b[bufnr].agentq_preview = true
  vim.b[bufnr].agentq_client = item.entry.client_id
  vim.b[bufnr].agentq_hunk = { proposal = item.entry.proposal.proposalId, hunk = item.hunk.id }
  fill(bufnr, item)
  -- Highlighting without 'filetype': no file type plugin and no language server takes this for a file.
  vim.bo[bufnr].syntax = vim.filetype.match({ filename = path }) or ""
  require("agentq.review.keymaps").set(bufnr)
  return bufnr
end

--- The hunk a buffer of this kind shows.
---@param bufnr integer
---@return agentq.review.Item?
function M.item(bufnr)
  local named = vim.b[bufnr].agentq_hunk
  return named and store.item(named.proposal, named.hunk)
end

--- The person's own text for a hunk, when they opened and changed the proposed one.
---@param item agentq.review.Item
---@return string? text
function M.edited_text(item)
  local bufnr = opened[key(item)]
  if not bufnr or not vim.api.nvim_buf_is_loaded(bufnr) then
    return nil
  end
  local proposed = item.hunk.newText
  local ending = proposed:find("\r\n", 1, true) and "\r\n" or "\n"
  local text = table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), ending)
  if vim.endswith(proposed, "\n") and text ~= "" then
    text = text .. ending
  end
  return text ~= proposed and text or nil
end

--- Opens the proposed text of a hunk below the current window, for changing it before it is accepted.
---@param item agentq.review.Item
function M.open(item)
  local bufnr = M.buffer(item)
  vim.cmd("belowright sbuffer " .. bufnr)
  vim.w.agentq_own = true
end

--- Removes buffers whose hunk waits no longer. A window that showed a new file shows the file itself when it exists by
--- now, else what it showed before.
function M.close_decided()
  for name, bufnr in pairs(opened) do
    if not vim.api.nvim_buf_is_valid(bufnr) then
      opened[name] = nil
    elseif not M.item(bufnr) then
      opened[name] = nil
      M.leave_windows(bufnr)
      vim.api.nvim_buf_delete(bufnr, { force = true })
    end
  end
end

---@param bufnr integer
function M.leave_windows(bufnr)
  local proposal = store.get(vim.b[bufnr].agentq_hunk.proposal)
  local successor
  for _, hunk in ipairs(proposal and proposal.proposal.hunks or {}) do
    if hunk.id == vim.b[bufnr].agentq_hunk.hunk and hunk.kind == "create" then
      successor = require("agentq.buffers").loaded(hunk.uri)
    end
  end
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    local before = vim.api.nvim_win_call(window, function()
      return vim.fn.bufnr("#")
    end)
    local target = successor or (before > 0 and before ~= bufnr and vim.api.nvim_buf_is_valid(before) and before)
    if target and not vim.w[window].agentq_own then
      vim.api.nvim_win_set_buf(window, target)
      -- The key that decided this hunk may be pressed once more.
      if vim.bo[target].buftype == "" then
        require("agentq.review.keymaps").set(target)
      end
    elseif #vim.api.nvim_list_wins() > 1 then
      vim.api.nvim_win_close(window, true)
    end
  end
end

return M
