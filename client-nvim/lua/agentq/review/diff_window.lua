-- The tab page in which a file stands beside the text that its hunks would make of it. Only a person's command opens it,
-- and closing it decides nothing.
local answer_keys = require("agentq.review.answer_keys")
local cursor = require("agentq.review.diff_cursor")
local diff = require("agentq.review.diff")
local header = require("agentq.review.header")
local highlights = require("agentq.highlights")
local keymaps = require("agentq.review.keymaps")
local nothing = require("agentq.review.nothing")
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
  if not shown then
    return ""
  end
  local is_left = bufnr == shown.left
  local name = visible.text(vim.fs.basename(vim.uri_to_fname(shown.uri)))
  local parts = { is_left and name .. " as it is" or "with its hunks: change it as you like" }
  if tonumber(vim.g.actual_curwin) == vim.api.nvim_get_current_win() then
    local item = cursor.item()
    if item then
      parts = { ("▎hunk %d of %d"):format(item.number, item.total), header.fixes(item) }
    end
    if is_left then
      parts[#parts + 1] = "a accept  r reject  e edit  ? keys"
    else
      for _, hint in ipairs(header.hints(bufnr, { "accept", "reject" })) do
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

local function help()
  answer_keys.help({
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
    answer_keys.set(bufnr, help)
  end
  return bufnr
end

--- Shows a buffer in the current window, in diff mode.
---@param colours string for 'winhighlight'
local function show_here(colours)
  vim.w.agentq_own = true
  own_window.set(0, {
    foldenable = true,
    winhighlight = "Folded:AgentqHint,DiffDelete:AgentqVoid" .. colours,
    winbar = "%{%v:lua.require'agentq.review.diff_window'.bar()%}",
  })
  vim.cmd.diffthis()
  -- Diff mode cuts long lines at the edge of the window.
  vim.api.nvim_set_option_value("wrap", true, { scope = "local", win = 0 })
end

---@param uri string
---@return agentq.review.Diff
local function open_tab(uri)
  local left, right = new_buffer("now", "nofile"), new_buffer("proposed", "acwrite")
  diff.follow({ uri = uri, left = left, right = right, text = {}, segments = {} })
  keymaps.set(right)
  vim.cmd("tab sbuffer " .. left)
  -- What stands at the left alone goes.
  show_here(",DiffAdd:AgentqDelete")
  vim.cmd(("%s sbuffer %d"):format(vim.o.columns < BESIDE and "belowright" or "belowright vertical", right))
  show_here("")
  -- Of two sides one alone says nothing.
  own_window.close_together({ vim.fn.bufwinid(left), vim.fn.bufwinid(right) }, function(window)
    vim.api.nvim_win_call(window, function()
      vim.cmd("diffoff | enew")
    end)
  end)
  return assert(diff.opened())
end

--- Opens the diff of a hunk's file, with the cursor on the hunk.
---@param item? agentq.review.Item the first that waits when absent
function M.open(item)
  item = item or store.pending()[1]
  if not item then
    return nothing.say()
  elseif not diff.has_text(item) then
    return say.info(("to %s has no text to compare"):format(visible.text(item.hunk.title)))
  end
  highlights.define()
  local shown = diff.opened() or open_tab(item.hunk.uri)
  vim.api.nvim_set_current_win(vim.fn.win_findbuf(shown.right)[1])
  if diff.show(item) then
    cursor.go_to(item)
  end
end

return M
