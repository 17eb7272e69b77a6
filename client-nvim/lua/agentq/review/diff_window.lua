-- The tab page in which a file stands beside the text that its hunks would make of it. Only a person's command opens it,
-- and closing it decides nothing.
local anchors = require("agentq.review.anchors")
local diff = require("agentq.review.diff")
local header = require("agentq.review.header")
local keymaps = require("agentq.review.keymaps")
local own_window = require("agentq.own_window")
local say = require("agentq.say")
local store = require("agentq.review.store")
local visible = require("agentq.review.visible")

local M = {}

--- With fewer columns the two sides stand above each other.
local BESIDE = 100

--- What the line above a side says: which hunk the cursor is on, and what to press. For 'winbar'.
---@return string
function M.bar()
  local bufnr, shown = vim.api.nvim_get_current_buf(), diff.opened()
  if not shown or not diff.shows(bufnr) then
    return ""
  end
  local is_left = bufnr == shown.left
  local name = visible.text(vim.fs.basename(vim.uri_to_fname(shown.uri)))
  local parts = { is_left and name .. " as it is" or "with its hunks: change it as you like" }
  if tonumber(vim.g.actual_curwin) == vim.api.nvim_get_current_win() then
    local item = diff.under_cursor()
    if item then
      parts = { ("▎hunk %d of %d"):format(item.number, item.total), header.fixes(item) }
    end
    if is_left then
      parts[#parts + 1] = "a accept  r reject  e edit  ? keys"
    else
      for _, hint in ipairs(header.hints(bufnr, { "accept", "reject", "next" })) do
        parts[#parts + 1] = hint[1]
      end
    end
    parts[#parts + 1] = "q later"
  end
  return (table.concat(parts, " · "):gsub("%%", "%%%%")) .. "%<"
end

--- Goes back to where the person came from; what waits goes on waiting.
function M.close()
  local shown = diff.opened()
  local window = shown and vim.fn.win_findbuf(shown.left)[1]
  if window then
    vim.api.nvim_win_close(window, true)
  end
end

--- Of two sides one alone says nothing: they close together.
---@param windows integer[]
---@param tab integer the tab page that the person came from
local function close_together(windows, tab)
  local own = vim.api.nvim_get_current_tabpage()
  local group = vim.api.nvim_create_augroup("agentq.diff", { clear = true })
  vim.api.nvim_create_autocmd("WinClosed", {
    group = group,
    pattern = vim.tbl_map(tostring, windows),
    callback = function(args)
      vim.api.nvim_del_augroup_by_id(group)
      local other = tonumber(args.match) == windows[1] and windows[2] or windows[1]
      vim.schedule(function()
        if vim.api.nvim_win_is_valid(other) and #vim.api.nvim_list_wins() > 1 then
          vim.api.nvim_win_close(other, true)
        elseif vim.api.nvim_win_is_valid(other) then
          vim.api.nvim_win_call(other, function()
            vim.cmd("diffoff | enew")
          end)
        end
        if not vim.api.nvim_tabpage_is_valid(own) and vim.api.nvim_tabpage_is_valid(tab) then
          vim.api.nvim_set_current_tabpage(tab)
        end
      end)
    end,
  })
end

local function help()
  require("agentq.review.window_keys").help({
    "]c [c next, previous difference",
    "q     later: the hunks go on waiting",
    "",
    "Here these keys answer on the left side; on the right side, which you change,",
    "those of files do. Your text of a hunk goes in with the hunk.",
  })
end

---@param name string
---@param buftype "nofile"|"acwrite"
---@return integer bufnr
local function new_buffer(name, buftype)
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(bufnr, "agentq://diff/" .. name)
  vim.bo[bufnr].buftype = buftype
  vim.bo[bufnr].bufhidden = "wipe"
  vim.bo[bufnr].swapfile = false
  vim.bo[bufnr].modifiable = buftype == "acwrite"
  vim.b[bufnr].agentq_diff = true
  vim.keymap.set("n", "q", M.close, { buffer = bufnr, nowait = true, desc = "AgentQ: close the diff" })
  if buftype == "nofile" then
    require("agentq.review.window_keys").set_answers(bufnr, help)
  end
  return bufnr
end

--- Shows a buffer in the current window, in diff mode.
local function show_here()
  vim.w.agentq_own = true
  own_window.set(0, {
    foldenable = true,
    winhighlight = "Folded:AgentqHint",
    winbar = "%{%v:lua.require'agentq.review.diff_window'.bar()%}",
  })
  vim.cmd.diffthis()
  -- Diff mode cuts long lines at the edge of the window.
  vim.api.nvim_set_option_value("wrap", true, { scope = "local", win = 0 })
end

---@param uri string
---@return agentq.review.Diff
local function open_tab(uri)
  local tab = vim.api.nvim_get_current_tabpage()
  local left, right = new_buffer("now", "nofile"), new_buffer("proposed", "acwrite")
  diff.follow({ uri = uri, left = left, right = right, tab = tab, text = {}, segments = {} })
  keymaps.set(right)
  vim.cmd("tab sbuffer " .. left)
  show_here()
  vim.cmd(("%s sbuffer %d"):format(vim.o.columns < BESIDE and "belowright" or "belowright vertical", right))
  show_here()
  close_together({ vim.fn.bufwinid(left), vim.fn.bufwinid(right) }, tab)
  return assert(diff.opened())
end

--- Opens the diff of a hunk's file, with the cursor on the hunk.
---@param item? agentq.review.Item the first that waits when absent
function M.open(item)
  item = item or store.pending()[1]
  if not item then
    return say.info("no hunk waits for a decision")
  elseif item.hunk.kind == "entry" or item.hunk.kind == "rename" then
    return say.info(("to %s has no text to compare"):format(item.hunk.title))
  end
  require("agentq.highlights").define()
  local shown = diff.opened() or open_tab(item.hunk.uri)
  vim.api.nvim_set_current_win(vim.fn.win_findbuf(shown.right)[1])
  diff.show(item)
end

--- Goes to the next or previous hunk that waits, round the end and across files.
---@param step 1|-1
function M.move(step)
  local here, items =
    diff.current(), vim.tbl_map(function(stop)
      return stop.item
    end, require("agentq.review.navigate").stops())
  items = vim.tbl_filter(function(item)
    return item.hunk.kind ~= "entry" and item.hunk.kind ~= "rename"
  end, items)
  local at = step == 1 and 0 or #items + 1
  for index, item in ipairs(items) do
    if here and anchors.key(here) == anchors.key(item) then
      at = index
    end
  end
  if #items > 0 then
    diff.show(items[(at + step - 1) % #items + 1])
  end
end

--- After a decision: the cursor goes to a hunk that waits, unless it is on one.
function M.go_on()
  if not diff.current() and #store.pending() > 0 then
    M.move(1)
  end
end

return M
