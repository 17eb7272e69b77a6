-- Draws pending hunks into the buffer they would change: old lines highlighted, new lines as virtual lines below.
local config = require("agentq.config")
local hunks = require("agentq.review.hunks")

local M = {}

local namespace = vim.api.nvim_create_namespace("agentq.hunks")

--- Line by line, where old and new differ, when they stand for each other.
---@param view agentq.HunkView
---@param index integer
local function difference(view, index)
  if #view.old == #view.new then
    return hunks.difference(view.old[index], view.new[index])
  end
end

---@param view agentq.HunkView
---@param bufnr integer
---@return [string, string][][]
local function virtual_lines(view, bufnr)
  local tab = (" "):rep(vim.bo[bufnr].tabstop)
  local lines = {}
  for index, line in ipairs(view.new) do
    local first, _, last = difference(view, index)
    local chunks = { { line, "AgentqAdd" } }
    if first then
      chunks = {
        { line:sub(1, first), "AgentqAdd" },
        { line:sub(first + 1, last), "AgentqAddText" },
        { line:sub(last + 1), "AgentqAdd" },
      }
    end
    for _, chunk in ipairs(chunks) do
      chunk[1] = chunk[1]:gsub("\t", tab)
    end
    -- The padding lets the background reach the edge of the window.
    local width = vim.fn.strdisplaywidth((line:gsub("\t", tab)))
    chunks[#chunks + 1] = { (" "):rep(math.max(vim.o.columns - width, 0)), "AgentqAdd" }
    lines[index] = chunks
  end
  return lines
end

---@param place agentq.review.Place
---@return [string, string][]
local function label(place)
  local keys = config.get().review.keymaps
  local item = place.item
  local text = ("▎%d/%d"):format(item.number, item.total)
  if not place.intact then
    return { { text .. " these lines changed: it cannot be applied; reject it to go on", "AgentqConflict" } }
  end
  local hints = {}
  for _, action in ipairs({ "accept", "reject" }) do
    if keys[action] then
      hints[#hints + 1] = keys[action] .. " " .. action
    end
  end
  return { { text .. " ", "AgentqHunk" }, { table.concat(hints, " · "), "AgentqHint" } }
end

---@param bufnr integer
function M.clear(bufnr)
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
end

---@param bufnr integer
---@param place agentq.review.Place
local function draw_insertion(bufnr, place, lines)
  local above = place.first == 0
  vim.api.nvim_buf_set_extmark(bufnr, namespace, above and 0 or place.first - 1, 0, {
    virt_lines = lines,
    virt_lines_above = above,
  })
  if not above then
    return
  end
  -- Lines above the first one are off screen unless the window is scrolled to show them.
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    vim.api.nvim_win_call(window, function()
      if vim.fn.line("w0") == 1 then
        vim.fn.winrestview({ topline = 1, topfill = #lines })
      end
    end)
  end
end

---@param bufnr integer
---@param place agentq.review.Place
---@param lines [string, string][][]
local function draw_change(bufnr, place, lines)
  local last = math.min(place.first + #place.view.old, vim.api.nvim_buf_line_count(bufnr))
  for row = place.first, last - 1 do
    vim.api.nvim_buf_set_extmark(bufnr, namespace, row, 0, {
      line_hl_group = place.intact and "AgentqDelete" or nil,
      virt_lines = row == last - 1 and lines or nil,
      priority = 150,
    })
    local from, to = difference(place.view, row - place.first + 1)
    if from and place.intact then
      vim.api.nvim_buf_set_extmark(bufnr, namespace, row, from, {
        end_col = to,
        hl_group = "AgentqDeleteText",
        priority = 160,
      })
    end
  end
end

---@param bufnr integer
---@param places agentq.review.Place[]
function M.draw(bufnr, places)
  require("agentq.highlights").define()
  M.clear(bufnr)
  for _, place in ipairs(places) do
    local lines = place.intact and virtual_lines(place.view, bufnr) or {}
    -- On a line of its own it is seen however long the others are.
    table.insert(lines, 1, label(place))
    if #place.view.old == 0 then
      draw_insertion(bufnr, place, lines)
    else
      draw_change(bufnr, place, lines)
    end
  end
end

return M
