-- Buffers that hold the proposed text of a hunk: they show a file that does not exist yet, and a person changes the
-- text there before accepting it. Such a buffer is no file: no server attaches to it, and `:w` only says that the text
-- is kept.
local header = require("agentq.review.header")
local hunks = require("agentq.review.hunks")
local store = require("agentq.review.store")
local viewport = require("agentq.review.viewport")
local visible = require("agentq.review.visible")

local M = {}

local namespace = vim.api.nvim_create_namespace("agentq.proposed")

---@class agentq.review.Proposed
---@field bufnr integer
---@field lines string[] what the person began with
---@field over string what stood at the hunk's place then

---@type table<string, agentq.review.Proposed> by hunk key
local opened = {}

local function key(item)
  return item.entry.proposal.proposalId .. "/" .. item.hunk.id
end

---@param hunk agentq.Hunk
---@param text string
---@return string[]
local function lines_of(hunk, text)
  text = hunks.is_crlf(hunk) and text:gsub("\r\n", "\n") or text
  return vim.split((text:gsub("\n$", "")), "\n", { plain = true })
end

--- What stands above the text with which a person answers a conflict.
---@param bufnr integer
---@param item agentq.review.Item
---@return [string, string][] facts
---@return [string, string][] hints
local function merge_header(bufnr, item)
  local known, hunk = opened[key(item)], item.hunk
  local facts = {}
  if hunk.conflict then
    facts[1] = { visible.text(hunk.conflict), "AgentqConflict" }
  end
  local stale = hunk.currentText and known.over ~= hunk.currentText and M.edited_text(item) ~= nil
  local what = M.edited_text(item) and "your merge"
    or vim.deep_equal(known.lines, lines_of(hunk, hunk.newText)) and "proposed text"
    or "the text as it is now"
  facts[#facts + 1] = { stale and what .. ", of an older text" or what, stale and "AgentqConflict" or "AgentqHunk" }
  local hints = header.hints(bufnr, { "accept", "reject" }, hunk.kind == "create" and not M.edited_text(item))
  if hunk.currentText then
    local other = what == "the text as it is now" and not stale and "the proposed text" or "the text as it is now"
    hints[#hints + 1] = { ("%s from %s"):format(header.how(bufnr, "edit"), other), "AgentqHint" }
  end
  return facts, hints
end

--- The header above the text, and what one does not see of the text written out.
---@param bufnr integer
local function decorate(bufnr)
  local item = M.item(bufnr)
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  if not item then
    return
  end
  local room = viewport.of(bufnr)
  local creates = item.hunk.kind == "create"
  local what = creates and "new file" or M.edited_text(item) and "your text" or "proposed text, change it as you like"
  local entry = item.hunk.kind == "entry"
  if entry then
    what = visible.text(item.hunk.title)
  end
  local facts, hints = { { what, "AgentqHunk" } }, header.hints(bufnr, { "accept", "reject" })
  if item.hunk.state == "conflict" and entry then
    facts[2] = { visible.text(item.hunk.conflict or "it cannot be put there"), "AgentqConflict" }
  elseif item.hunk.state == "conflict" then
    facts, hints = merge_header(bufnr, item)
  end
  local rows = header.rows(item, room.width, facts, hints)
  vim.api.nvim_buf_set_extmark(bufnr, namespace, 0, 0, { virt_lines = rows, virt_lines_above = true })
  if creates or entry then
    vim.api.nvim_buf_set_extmark(bufnr, namespace, 0, 0, {
      end_row = vim.api.nvim_buf_line_count(bufnr),
      end_col = 0,
      hl_group = entry and item.hunk.newText == "" and "AgentqDelete" or "AgentqAdd",
      hl_eol = true,
      strict = false,
    })
  end
  for row, line in ipairs(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)) do
    for _, place in ipairs(visible.hidden(line)) do
      vim.api.nvim_buf_set_extmark(bufnr, namespace, row - 1, place.first - 1, {
        virt_text = { { place.name, "AgentqHidden" } },
        virt_text_pos = "inline",
      })
    end
  end
  viewport.show_above(bufnr, { [0] = #rows })
  viewport.watch(bufnr, room, decorate)
end

--- Draws the buffer of a hunk again, where there is one.
---@param item agentq.review.Item
function M.redraw(item)
  local known = opened[key(item)]
  if known and vim.api.nvim_buf_is_loaded(known.bufnr) then
    decorate(known.bufnr)
  end
end

---@param bufnr integer
local function redraw_file(bufnr)
  local item = vim.api.nvim_buf_is_valid(bufnr) and M.item(bufnr)
  local file = item and require("agentq.buffers").loaded(item.hunk.uri)
  if file then
    require("agentq.review.review").refresh(file)
  end
end

--- Draws the buffer and the file's hunks again when the person changed the text.
---@param bufnr integer
local function follow(bufnr)
  vim.api.nvim_create_autocmd({ "TextChanged", "TextChangedI" }, {
    buffer = bufnr,
    callback = function()
      decorate(bufnr)
      redraw_file(bufnr)
      require("agentq.review.proof").look()
    end,
  })
  vim.api.nvim_create_autocmd("BufWinEnter", {
    buffer = bufnr,
    callback = function()
      decorate(bufnr)
    end,
  })
  vim.api.nvim_create_autocmd("BufWriteCmd", {
    buffer = bufnr,
    callback = function()
      vim.bo[bufnr].modified = false
      require("agentq.say").info(("your text is kept; %s takes it"):format(header.how(bufnr, "accept")))
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
        redraw_file(bufnr)
      end)
    end,
  })
end

--- The buffer with the proposed text of a hunk, made on first use.
---@param item agentq.review.Item
---@return integer bufnr
function M.buffer(item)
  require("agentq.highlights").define()
  local known = opened[key(item)]
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
  opened[key(item)] = { bufnr = bufnr, lines = lines_of(item.hunk, current or item.hunk.newText), over = over }
  vim.api.nvim_buf_set_name(bufnr, ("agentq://proposed/%s/%s"):format(key(item), vim.fs.basename(path)))
  vim.bo[bufnr].buftype = "acwrite"
  vim.bo[bufnr].bufhidden = "hide"
  vim.bo[bufnr].swapfile = false
  vim.b[bufnr].agentq_preview = true
  vim.b[bufnr].agentq_client = item.entry.client_id
  vim.b[bufnr].agentq_hunk = { proposal = item.entry.proposal.proposalId, hunk = item.hunk.id }
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, opened[key(item)].lines)
  vim.bo[bufnr].modified = false
  vim.bo[bufnr].modifiable = item.hunk.kind ~= "entry"
  -- Highlighting without 'filetype': no file type plugin and no language server takes this for a file.
  vim.bo[bufnr].syntax = vim.filetype.match({ filename = path }) or ""
  require("agentq.review.keymaps").set(bufnr)
  follow(bufnr)
  return bufnr
end

--- The hunk a buffer of this kind shows.
---@param bufnr integer
---@return agentq.review.Item?
function M.item(bufnr)
  local named = vim.b[bufnr].agentq_hunk
  return named and store.item(named.proposal, named.hunk)
end

--- The text in the buffer of a hunk.
---@param item agentq.review.Item
---@param known agentq.review.Proposed
---@return string
local function text_in(item, known)
  local hunk = item.hunk
  local ending = hunks.is_crlf(hunk) and "\r\n" or "\n"
  local text = table.concat(vim.api.nvim_buf_get_lines(known.bufnr, 0, -1, true), ending)
  -- Text in place of other lines ends as those did, so that what follows stays on lines of its own.
  local model = hunk.newText ~= "" and hunk.newText or hunk.oldText
  if hunk.state == "conflict" and (hunk.currentText or "") ~= "" then
    model = hunk.currentText
  end
  return text ~= "" and vim.endswith(model, "\n") and text .. ending or text
end

--- The person's own text for a hunk, when they opened and changed the one that they began with.
---@param item agentq.review.Item
---@return string? text
---@return string? over what stood at the hunk's place when they began
function M.edited_text(item)
  local known = opened[key(item)]
  if not known or not vim.api.nvim_buf_is_loaded(known.bufnr) then
    return nil
  end
  local lines = vim.api.nvim_buf_get_lines(known.bufnr, 0, -1, true)
  if vim.deep_equal(lines, known.lines) then
    return nil
  end
  return text_in(item, known), known.over
end

--- Like `edited_text`; who accepts a merge in its own buffer takes the text there, changed or not.
---@param item agentq.review.Item
---@return string? text
---@return string? over
function M.own_text(item)
  local known, hunk = opened[key(item)], item.hunk
  local here = known and known.bufnr == vim.api.nvim_get_current_buf()
  if here and hunk.state == "conflict" and not hunks.is_apart(hunk) then
    return text_in(item, known), known.over
  end
  return M.edited_text(item)
end

--- Puts the other of the two texts of a conflict into its buffer: the one that stands there now, or the proposed one.
--- Undo brings back what was there.
---@param item agentq.review.Item
local function begin_anew(item)
  local known, hunk = opened[key(item)], item.hunk
  local current, proposed = lines_of(hunk, hunk.currentText or ""), lines_of(hunk, hunk.newText)
  local is_current = known.over == hunk.currentText
    and vim.deep_equal(vim.api.nvim_buf_get_lines(known.bufnr, 0, -1, true), current)
  known.lines, known.over = is_current and proposed or current, hunk.currentText
  vim.api.nvim_buf_set_lines(known.bufnr, 0, -1, true, known.lines)
  decorate(known.bufnr)
end

--- What an acceptance of a hunk says: that the person's own text goes in, where there is one.
---@param item agentq.review.Item
---@return agentq.HunkDecision
function M.acceptance(item)
  local own, over = M.own_text(item)
  return own and { id = item.hunk.id, decision = "edit", newText = own, currentText = over }
    or { id = item.hunk.id, decision = "accept" }
end

--- Opens the proposed text of a hunk below the current window, for changing it before it is accepted.
---@param item agentq.review.Item
function M.open(item)
  local bufnr = M.buffer(item)
  local window = vim.fn.bufwinid(bufnr)
  local known = opened[key(item)]
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
  decorate(bufnr)
  local rows = vim.api.nvim_win_text_height(0, {}).all
  vim.api.nvim_win_set_height(0, math.max(4, math.min(rows, math.floor(vim.o.lines / 2))))
end

--- Removes buffers whose hunk waits no longer. A window that showed a new file shows the file itself when it exists by
--- now, else what it showed before.
function M.close_decided()
  for name, known in pairs(opened) do
    local bufnr = known.bufnr
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
    if hunk.id == vim.b[bufnr].agentq_hunk.hunk and hunks.is_apart(hunk) then
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
