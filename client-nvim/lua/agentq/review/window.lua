-- The review window: all hunks of all files as real lines, in a tab page of its own. Only a person's command opens it.
local anchors = require("agentq.review.anchors")
local buffers = require("agentq.buffers")
local header = require("agentq.review.header")
local hunks = require("agentq.review.hunks")
local page = require("agentq.review.page")
local proposed = require("agentq.review.proposed")
local say = require("agentq.say")
local store = require("agentq.review.store")
local syntax = require("agentq.review.syntax")
local visible = require("agentq.review.visible")

local M = {}

local namespace = vim.api.nvim_create_namespace("agentq.review.window")

--- With more rows than that, no syntax is coloured: every key would wait for it.
local MOST_COLOURED = 3000

---@class agentq.review.Window
---@field bufnr integer
---@field tab integer? the tab page that the person came from
---@field proposals table<string, boolean> whose hunks are shown, also once they are decided
---@field undone table<string, boolean> by hunk key
---@field hidden table<string, boolean> proposals that only take a decision back
---@field rows agentq.review.PageRow[]
---@field shown table<string, agentq.review.Shown>

---@type agentq.review.Window?
local opened

---@param entry agentq.review.Entry
---@param hunk agentq.Hunk
local function key_of(entry, hunk)
  return entry.proposal.proposalId .. "/" .. hunk.id
end

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
local function all_shown(window)
  local items, texts, loaded, order, all = {}, {}, {}, {}, {}
  for _, item in ipairs(store.pending()) do
    items[anchors.key(item)] = item
    if not window.hidden[item.entry.proposal.proposalId] then
      window.proposals[item.entry.proposal.proposalId] = true
    end
  end
  for _, entry in ipairs(store.all()) do
    for _, hunk in ipairs(window.proposals[entry.proposal.proposalId] and entry.proposal.hunks or {}) do
      local key, uri = key_of(entry, hunk), hunk.uri
      if not texts[uri] then
        texts[uri], loaded[uri] = lines_of(uri), buffers.loaded(uri)
      end
      local item = items[key]
      local place
      if item and loaded[uri] and not hunks.is_apart(hunk) then
        place = anchors.place(loaded[uri], item, texts[uri])
      end
      local own = item and proposed.edited_text(item)
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
        is_undone = window.undone[key] or false,
        path = path_of(entry, uri),
        view = view,
        first = place and place.first or view.first,
        own = own ~= nil,
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

local groups = {
  title = "AgentqHunk",
  head = "AgentqHunk",
  label = "AgentqHint",
  old = "AgentqDelete",
  new = "AgentqAdd",
  current = "AgentqCurrent",
}

---@param bufnr integer
---@param index integer 1-based row
---@param row agentq.review.PageRow
---@param each? agentq.review.Shown
local function colour(bufnr, index, row, each)
  local function mark(column, options)
    options.strict = false
    vim.api.nvim_buf_set_extmark(bufnr, namespace, index - 1, column, options)
  end
  local group = groups[row.kind]
  if group then
    mark(0, { end_row = index, end_col = 0, hl_group = group, hl_eol = row.sign ~= nil, priority = 100 })
  end
  if row.sign then
    local sign = { ("%4d %s "):format(row.number, row.sign), group or "AgentqHint" }
    mark(0, { virt_text = { sign }, virt_text_pos = "inline", priority = 10 })
    local first, last = page.difference(each.view, row)
    if first and last > first then
      mark(
        first,
        { end_col = last, hl_group = row.kind == "old" and "AgentqDeleteText" or "AgentqAddText", priority = 160 }
      )
    end
  end
  for _, place in ipairs(visible.hidden(row.text)) do
    mark(place.first - 1, { virt_text = { { place.name, "AgentqHidden" } }, virt_text_pos = "inline", priority = 20 })
  end
  if row.kind == "head" and each and each.item then
    local told = header.told(each.item, math.max(vim.api.nvim_win_get_width(0), 20))
    if #told > 0 then
      mark(0, { virt_lines = told })
    end
  end
end

--- Colours the code of the sides of the hunks.
---@param window agentq.review.Window
local function colour_syntax(window)
  local languages, from = {}, 1
  while from <= #window.rows do
    local row, to = window.rows[from], from
    while
      row.sign
      and window.rows[to + 1]
      and window.rows[to + 1].kind == row.kind
      and window.rows[to + 1].key == row.key
    do
      to = to + 1
    end
    if row.sign then
      languages[row.path] = languages[row.path] or syntax.language(row.path) or ""
      local lines = vim.tbl_map(function(each)
        return each.text
      end, vim.list_slice(window.rows, from, to))
      for index, spans in pairs(syntax.spans(lines, languages[row.path] ~= "" and languages[row.path] or nil)) do
        for _, span in ipairs(spans) do
          vim.api.nvim_buf_set_extmark(window.bufnr, namespace, from + index - 2, span.first, {
            end_col = math.min(span.last, #(lines[index] or "")),
            hl_group = span.group,
            priority = 120,
            strict = false,
          })
        end
      end
    end
    from = to + 1
  end
end

---@param window agentq.review.Window
---@param key string
---@return integer? row 1-based, of the head of a hunk
local function head_row(window, key)
  for index, row in ipairs(window.rows) do
    if row.kind == "head" and row.key == key then
      return index
    end
  end
end

---@return integer? the window that shows the review
local function shown_in()
  return opened and vim.fn.win_findbuf(opened.bufnr)[1]
end

--- Writes the page anew; the cursor stays on its row of its hunk.
---@param window agentq.review.Window
local function write(window)
  local win = shown_in()
  local row = win and vim.api.nvim_win_get_cursor(win)[1] or 1
  local at = window.rows[row]
  local before = at and at.key and at.kind ~= "file" and head_row(window, at.key)
  local all = all_shown(window)
  window.rows, window.shown = page.rows(all), {}
  for _, each in ipairs(all) do
    window.shown[each.key] = each
  end
  vim.bo[window.bufnr].modifiable = true
  local lines = vim.tbl_map(function(each)
    return each.text
  end, window.rows)
  vim.api.nvim_buf_set_lines(window.bufnr, 0, -1, true, lines)
  vim.bo[window.bufnr].modifiable = false
  vim.bo[window.bufnr].modified = false
  vim.api.nvim_buf_clear_namespace(window.bufnr, namespace, 0, -1)
  local function draw()
    for index, each in ipairs(window.rows) do
      colour(window.bufnr, index, each, each.key and window.shown[each.key])
    end
  end
  if win then
    vim.api.nvim_win_call(win, draw)
  else
    draw()
  end
  if #window.rows <= MOST_COLOURED then
    colour_syntax(window)
  end
  local now = before and head_row(window, at.key)
  if win and now then
    local is_open = window.shown[at.key].is_open
    vim.api.nvim_win_set_cursor(win, { math.min(is_open and now + row - before or now, #lines), 0 })
  end
end

--- Draws the review window again, where there is one.
function M.refresh()
  if opened and vim.api.nvim_buf_is_valid(opened.bufnr) then
    write(opened)
  end
end

---@param bufnr integer
---@return boolean
function M.is_page(bufnr)
  return opened ~= nil and opened.bufnr == bufnr
end

---@return agentq.review.Shown?
local function shown_here()
  local row = opened and opened.rows[vim.api.nvim_win_get_cursor(0)[1]]
  return row and row.key and opened.shown[row.key]
end

--- The hunk under the cursor of the review window, while it waits.
---@return agentq.review.Item?
function M.current()
  local here = shown_here()
  return here and here.item
end

--- Goes to the head of a hunk, and scrolls only when not all of the hunk is in sight.
---@param row integer 1-based
local function go_to(row)
  local rows, last = assert(opened).rows, row
  while rows[last + 1] and rows[last + 1].key == rows[row].key do
    last = last + 1
  end
  local is_seen = vim.fn.line("w0") <= row and vim.fn.line("w$") >= last
  vim.api.nvim_win_set_cursor(0, { row, 0 })
  if not is_seen then
    vim.cmd("normal! zt")
  end
end

--- Goes to the next or previous hunk that waits, round the end.
---@param step 1|-1
function M.move(step)
  local window = assert(opened)
  local row, heads, target = vim.api.nvim_win_get_cursor(0)[1], {}, nil
  for index, each in ipairs(window.rows) do
    if each.kind == "head" and window.shown[each.key].is_open then
      heads[#heads + 1] = index
    end
  end
  if #heads == 0 then
    return say.info("no hunk waits for a decision; q closes the review")
  end
  local here = window.rows[row].kind ~= "file" and window.rows[row].key
  local own = here and head_row(window, here) or row
  for _, head in ipairs(heads) do
    if step == 1 and head > own and not target then
      target = head
    elseif step == -1 and head < own then
      target = head
    end
  end
  go_to(target or heads[step == 1 and 1 or #heads])
end

--- After a decision: the cursor goes to a hunk that waits, unless it is on one.
function M.go_on()
  if not M.current() and #store.pending() > 0 then
    M.move(1)
  end
end

--- Goes back to where the person came from; what waits goes on waiting.
function M.close()
  local window = opened
  local win = shown_in()
  if not window or not win then
    return
  end
  if #vim.api.nvim_list_tabpages() > 1 then
    vim.api.nvim_set_current_win(win)
    vim.cmd("tabclose")
    if window.tab and vim.api.nvim_tabpage_is_valid(window.tab) then
      vim.api.nvim_set_current_tabpage(window.tab)
    end
  else
    vim.cmd("enew")
  end
end

--- Leaves the review for the hunk's place in its file.
local function enter_file()
  local here = shown_here()
  if not here then
    return
  end
  M.close()
  if here.item then
    return require("agentq.review.navigate").go_to(here.item)
  end
  local bufnr, err = buffers.load(here.hunk.uri)
  if not bufnr then
    return say.error(err)
  end
  local window = require("agentq.chat.window").for_files()
  vim.api.nvim_set_current_win(window)
  vim.api.nvim_win_set_buf(window, bufnr)
  vim.api.nvim_win_set_cursor(window, { math.min(here.first + 1, vim.api.nvim_buf_line_count(bufnr)), 0 })
end

--- Takes the decision about the hunk under the cursor back; the server hears of that.
local function undo()
  local here, window = shown_here(), opened
  if not here or not window then
    return
  elseif here.is_open then
    return say.info("nothing was decided about this hunk")
  elseif here.is_undone then
    return say.info("this hunk was taken back already")
  end
  require("agentq.review.undo").take_back(here.entry, here.hunk, {
    began = function(proposal_id)
      window.hidden[proposal_id] = true
      window.proposals[proposal_id] = nil
    end,
    done = function()
      window.undone[here.key] = true
      M.refresh()
    end,
  })
end

local keys = {
  { "a", "accept", "accept the hunk" },
  { "r", "reject", "reject it, with a reason" },
  { "e", "edit", "change its text" },
  { "s", "split", "split it" },
  { "t", "test", "run the tests of the proposed text" },
  { "A", "accept_all", "accept all of the proposal" },
  { "R", "reject_all", "reject all of the proposal" },
}

local function help()
  local lines = {}
  for _, each in ipairs(keys) do
    lines[#lines + 1] = ("%-5s %s"):format(each[1], each[3])
  end
  vim.list_extend(lines, {
    "u     take the decision under the cursor back",
    "]c [c next, previous hunk that waits",
    "<CR>  go to its place in the file",
    "q     later: the hunks go on waiting",
  })
  require("agentq.float").show(lines, { title = "Review" })
end

---@param bufnr integer
local function set_keys(bufnr)
  local function map(lhs, run, desc)
    vim.keymap.set("n", lhs, run, { buffer = bufnr, nowait = true, desc = "AgentQ: " .. desc })
  end
  for _, each in ipairs(keys) do
    map(each[1], function()
      require("agentq.review.actions")[each[2]]()
    end, each[3])
  end
  map("u", undo, "take the decision back")
  map("]c", function()
    M.move(1)
  end, "next hunk")
  map("[c", function()
    M.move(-1)
  end, "previous hunk")
  map("<CR>", enter_file, "go to the hunk's place in the file")
  map("q", M.close, "close the review")
  map("?", help, "help")
end

---@return integer bufnr
local function new_buffer()
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(bufnr, "agentq://review")
  vim.bo[bufnr].bufhidden = "wipe"
  vim.bo[bufnr].filetype = "agentq-review"
  vim.b[bufnr].agentq_review = true
  set_keys(bufnr)
  vim.api.nvim_create_autocmd("BufWipeout", {
    buffer = bufnr,
    callback = function()
      opened = nil
    end,
  })
  return bufnr
end

--- Opens the review window, with the cursor on a hunk.
---@param item? agentq.review.Item
function M.open(item)
  if #store.pending() == 0 then
    return say.info("no hunk waits for a decision")
  end
  require("agentq.highlights").define()
  local win = shown_in()
  if win then
    vim.api.nvim_set_current_win(win)
  else
    local tab = vim.api.nvim_get_current_tabpage()
    local bufnr = new_buffer()
    opened = { bufnr = bufnr, tab = tab, proposals = {}, undone = {}, hidden = {}, rows = {}, shown = {} }
    vim.cmd("tab sbuffer " .. bufnr)
    vim.w.agentq_own = true
    for name, value in pairs({
      wrap = true,
      breakindent = true,
      number = false,
      relativenumber = false,
      signcolumn = "no",
      foldcolumn = "0",
      foldenable = false,
      spell = false,
      list = false,
      winbar = "a accept  r reject  e edit  u undo  A all  R none  ]c [c  <CR> file  q later  ? keys%<",
    }) do
      vim.api.nvim_set_option_value(name, value, { scope = "local", win = 0 })
    end
  end
  M.refresh()
  local row = item and opened and head_row(opened, anchors.key(item))
  if row then
    go_to(row)
  elseif not M.current() then
    M.move(1)
  end
end

return M
