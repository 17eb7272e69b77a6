-- The colours of the review window: signs and line numbers beside the code, what differs inside of a line, its syntax.
local header = require("agentq.review.header")
local page = require("agentq.review.page")
local syntax = require("agentq.review.syntax")
local visible = require("agentq.review.visible")

local M = {}

local namespace = vim.api.nvim_create_namespace("agentq.review.window")

--- With more rows than that, no syntax is coloured: every key would wait for it.
local MOST_COLOURED = 3000

local groups = {
  title = "AgentqHunk",
  head = "AgentqHunk",
  label = "AgentqHint",
  old = "AgentqDelete",
  new = "AgentqAdd",
  current = "AgentqCurrent",
}

---@param window agentq.review.Window
---@param index integer 1-based row
---@param row agentq.review.PageRow
local function colour(window, index, row)
  local bufnr, each = window.bufnr, row.key and window.shown[row.key]
  local function mark(column, options)
    options.strict = false
    vim.api.nvim_buf_set_extmark(bufnr, namespace, index - 1, column, options)
  end
  local group = groups[row.kind]
  if group then
    mark(0, { end_row = index, end_col = 0, hl_group = group, hl_eol = row.sign ~= nil, priority = 100 })
  end
  if row.sign and each then
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
    local told = header.told(each.item, math.max(vim.api.nvim_win_get_width(0), 20), function(key)
      return window.shown[key] and window.shown[key].number
    end)
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

--- Colours the rows of the page anew.
---@param window agentq.review.Window
---@param win? integer that shows the page
function M.paint(window, win)
  vim.api.nvim_buf_clear_namespace(window.bufnr, namespace, 0, -1)
  local function draw()
    for index, each in ipairs(window.rows) do
      colour(window, index, each)
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
end

return M
