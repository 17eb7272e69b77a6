-- Draws pending hunks into the buffer they would change: old lines highlighted, new lines as virtual lines below.
local config = require("agentq.config")

local M = {}

local namespace = vim.api.nvim_create_namespace("agentq.hunks")

---@param lines string[]
---@param bufnr integer
---@return [string, string][][]
local function virtual_lines(lines, bufnr)
  local tab = (" "):rep(vim.bo[bufnr].tabstop)
  return vim.tbl_map(function(line)
    local text = line:gsub("\t", tab)
    -- The padding lets the background reach the edge of the window.
    return { { text .. (" "):rep(math.max(vim.o.columns - vim.fn.strdisplaywidth(text), 0)), "AgentqAdd" } }
  end, lines)
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
  table.insert(lines, 1, label(place))
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
---@param places agentq.review.Place[]
function M.draw(bufnr, places)
  require("agentq.highlights").define()
  M.clear(bufnr)
  local count = vim.api.nvim_buf_line_count(bufnr)
  for _, place in ipairs(places) do
    local lines = virtual_lines(place.view.new, bufnr)
    if #place.view.old == 0 then
      draw_insertion(bufnr, place, lines)
    else
      local last = math.min(place.first + #place.view.old, count)
      for row = place.first, last - 1 do
        vim.api.nvim_buf_set_extmark(bufnr, namespace, row, 0, {
          line_hl_group = place.intact and "AgentqDelete" or nil,
          virt_text = row == place.first and label(place) or nil,
          virt_lines = row == last - 1 and place.intact and lines or nil,
          priority = 150,
        })
      end
    end
  end
end

return M
