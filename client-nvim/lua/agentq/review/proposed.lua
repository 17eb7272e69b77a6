-- Buffers that hold the proposed text of a hunk: they show a file that does not exist yet, and a person changes the
-- text there before accepting it. Such a buffer is no file: no server attaches to it, and `:w` only says that the text
-- is kept.
local buffers = require("agentq.buffers")
local header = require("agentq.review.header")
local hunks = require("agentq.review.hunks")
local keymaps = require("agentq.review.keymaps")
local own_text = require("agentq.review.own_text")
local proposed_header = require("agentq.review.proposed_header")
local say = require("agentq.say")
local store = require("agentq.review.store")
local syntax = require("agentq.review.syntax")
local viewport = require("agentq.review.viewport")

local M = {}

--- Draws the buffer of a hunk again, where there is one.
---@param item agentq.review.Item
function M.redraw(item)
  local known = own_text.of(item)
  if known and vim.api.nvim_buf_is_loaded(known.bufnr) then
    proposed_header.draw(known.bufnr)
  end
end

--- Draws all of these buffers again.
function M.redraw_all()
  for _, known in pairs(own_text.all()) do
    if vim.api.nvim_buf_is_loaded(known.bufnr) then
      proposed_header.draw(known.bufnr)
    end
  end
end

---@param bufnr integer
local function tell(bufnr)
  local item = vim.api.nvim_buf_is_valid(bufnr) and own_text.item_in(bufnr)
  if item then
    own_text.changed(item)
  end
end

--- Draws the buffer again when the person changed the text, and tells whoever shows the hunk elsewhere.
---@param bufnr integer
local function follow(bufnr)
  vim.api.nvim_create_autocmd({ "TextChanged", "TextChangedI" }, {
    buffer = bufnr,
    callback = function()
      proposed_header.draw(bufnr)
      tell(bufnr)
    end,
  })
  vim.api.nvim_create_autocmd("BufWinEnter", {
    buffer = bufnr,
    callback = function()
      proposed_header.draw(bufnr)
    end,
  })
  vim.api.nvim_create_autocmd("BufWriteCmd", {
    buffer = bufnr,
    callback = function()
      vim.bo[bufnr].modified = false
      say.info(("your text is kept; %s takes it"):format(header.how(bufnr, "accept")))
    end,
  })
  -- The text counts as soon as it is typed: closing the window loses nothing.
  vim.api.nvim_create_autocmd("BufHidden", {
    buffer = bufnr,
    callback = function()
      vim.bo[bufnr].modified = false
    end,
  })
  -- `:quit!` throws the text away.
  vim.api.nvim_create_autocmd("BufUnload", {
    buffer = bufnr,
    callback = function()
      viewport.forget(bufnr)
      vim.schedule(function()
        tell(bufnr)
      end)
    end,
  })
end

--- The buffer with the proposed text of a hunk, made on first use.
---@param item agentq.review.Item
---@return integer bufnr
function M.buffer(item)
  require("agentq.highlights").define()
  local known = own_text.of(item)
  if known and vim.api.nvim_buf_is_loaded(known.bufnr) then
    return known.bufnr
  elseif known and vim.api.nvim_buf_is_valid(known.bufnr) then
    vim.api.nvim_buf_delete(known.bufnr, { force = true })
  end
  local path = vim.uri_to_fname(item.hunk.uri)
  local bufnr = vim.api.nvim_create_buf(false, true)
  -- A merge begins with what stands there; a new file shows what is proposed.
  local current = item.hunk.state == "conflict" and item.hunk.kind ~= "create" and item.hunk.currentText
    or item.hunk.kind == "entry" and item.hunk.newText == "" and item.hunk.oldText
  local over = item.hunk.state == "conflict" and item.hunk.currentText or item.hunk.oldText
  local lines = own_text.lines_of(item.hunk, current or item.hunk.newText)
  own_text.begin(item, { bufnr = bufnr, lines = lines, over = over })
  vim.api.nvim_buf_set_name(bufnr, ("agentq://proposed/%s/%s"):format(item.key, vim.fs.basename(path)))
  vim.bo[bufnr].buftype = "acwrite"
  vim.bo[bufnr].bufhidden = "hide"
  vim.bo[bufnr].swapfile = false
  vim.b[bufnr].agentq_preview = true
  vim.b[bufnr].agentq_client = item.entry.client_id
  vim.b[bufnr].agentq_hunk = { proposal = item.entry.proposal.proposalId, hunk = item.hunk.id }
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, lines)
  vim.bo[bufnr].modified = false
  vim.bo[bufnr].modifiable = item.hunk.kind ~= "entry"
  syntax.set(bufnr, path)
  keymaps.set(bufnr)
  follow(bufnr)
  return bufnr
end

--- Puts the other of the two texts of a conflict into its buffer: the one that stands there now, or the proposed one.
--- Undo brings back what was there.
---@param item agentq.review.Item
local function begin_anew(item)
  local known, hunk = assert(own_text.of(item)), item.hunk
  local current, proposed = own_text.lines_of(hunk, hunk.currentText or ""), own_text.lines_of(hunk, hunk.newText)
  local is_current = known.over == hunk.currentText
    and vim.deep_equal(vim.api.nvim_buf_get_lines(known.bufnr, 0, -1, true), current)
  known.lines, known.over = is_current and proposed or current, hunk.currentText
  vim.api.nvim_buf_set_lines(known.bufnr, 0, -1, true, known.lines)
  proposed_header.draw(known.bufnr)
end

--- Takes what the person made of a hunk elsewhere as their text.
---@param place agentq.review.Place
---@param lines string[]
---@return boolean taken false for a hunk without a text of its own, or one that begins or ends inside of a line
function M.put(place, lines)
  local item = place.item
  local text = own_text.edited(item) or item.hunk.newText
  local is_whole = vim.deep_equal(place.view.new, text == "" and {} or own_text.lines_of(item.hunk, text))
  if not is_whole or not vim.list_contains({ "edit", "create" }, item.hunk.kind) then
    return false
  end
  local bufnr = M.buffer(item)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, #lines > 0 and lines or { "" })
  vim.bo[bufnr].modified = false
  proposed_header.draw(bufnr)
  own_text.changed(item)
  return true
end

--- Opens the proposed text of a hunk below the current window, for changing it before it is accepted.
---@param item agentq.review.Item
function M.open(item)
  local bufnr = M.buffer(item)
  local window = vim.fn.bufwinid(bufnr)
  local known = assert(own_text.of(item))
  local untouched = vim.deep_equal(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), known.lines)
  -- A buffer that was opened before the lines changed begins anew as long as nothing was typed into it.
  local stale = item.hunk.currentText and known.over ~= item.hunk.currentText and untouched
  if item.hunk.state == "conflict" and item.hunk.currentText and (stale or bufnr == vim.api.nvim_get_current_buf()) then
    begin_anew(item)
  end
  if window ~= -1 then
    vim.api.nvim_set_current_win(window)
    return
  end
  vim.cmd("belowright sbuffer " .. bufnr)
  vim.w.agentq_own = true
  for name, value in pairs({ wrap = true, winfixheight = true }) do
    vim.api.nvim_set_option_value(name, value, { scope = "local", win = 0 })
  end
  proposed_header.draw(bufnr)
  local rows = vim.api.nvim_win_text_height(0, {}).all
  vim.api.nvim_win_set_height(0, math.max(4, math.min(rows, math.floor(vim.o.lines / 2))))
end

---@param bufnr integer
local function leave_windows(bufnr)
  local proposal = store.get(vim.b[bufnr].agentq_hunk.proposal)
  local successor
  for _, hunk in ipairs(proposal and proposal.proposal.hunks or {}) do
    if hunk.id == vim.b[bufnr].agentq_hunk.hunk and hunks.is_apart(hunk) then
      successor = buffers.loaded(hunk.uri)
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
        keymaps.set(target)
      end
    elseif #vim.api.nvim_list_wins() > 1 then
      vim.api.nvim_win_close(window, true)
    end
  end
end

--- Removes buffers whose hunk waits no longer. A window that showed a new file shows the file itself when it exists by
--- now, else what it showed before.
function M.close_decided()
  for name, known in pairs(own_text.all()) do
    local bufnr = known.bufnr
    if not vim.api.nvim_buf_is_valid(bufnr) then
      own_text.forget(name)
    elseif not own_text.item_in(bufnr) then
      own_text.forget(name)
      leave_windows(bufnr)
      vim.api.nvim_buf_delete(bufnr, { force = true })
    end
  end
end

return M
