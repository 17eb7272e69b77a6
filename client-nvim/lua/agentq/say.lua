-- Every message to the person goes through here. Neovim's own vim.notify stops the editor with "Press ENTER" when a
-- text is longer than the command line, so the text is cut there; |:messages| has the whole of it.
local M = {}

--- Whether nobody replaced vim.notify. From 0.12 on Neovim's own functions do not tell their source.
---@return boolean
function M.is_command_line()
  local source = debug.getinfo(vim.notify, "S").source
  return vim.startswith(source, "@vim/") or source == "?" or source == "=?"
end

--- The rows that a text takes, each of which fits into the room of the command line.
---@param text string
---@param room integer
---@return string[]
local function rows_of(text, room)
  local rows = {}
  for _, line in ipairs(vim.split(text, "\n", { plain = true })) do
    line = require("agentq.review.visible").text(line)
    local characters = vim.fn.strdisplaywidth(line) > vim.fn.strchars(line) and math.floor(room / 2) or room
    for first = 0, math.max(vim.fn.strchars(line) - 1, 0), characters do
      rows[#rows + 1] = vim.fn.strcharpart(line, first, characters)
    end
  end
  return rows
end

--- Writes a text, of which the screen then shows the beginning. For a text with more than one row Neovim asks for Enter
--- at once, so each goes into the history by itself.
---@param text string
---@param group? string highlight group
---@param is_kept boolean |:messages| keeps it
local function write(text, group, is_kept)
  local room = vim.v.echospace
  local rows = rows_of(text, room)
  if #rows == 1 then
    return vim.api.nvim_echo({ { rows[1], group } }, is_kept, {})
  end
  for _, row in ipairs(is_kept and rows or {}) do
    vim.api.nvim_echo({ { row, group } }, true, {})
    vim.cmd.redraw()
  end
  local line = require("agentq.review.visible").text((text:gsub("\n", " · ")))
  local is_long = vim.fn.strdisplaywidth(line) > room
  vim.api.nvim_echo({ { is_long and vim.fn.strcharpart(line, 0, room - 1) .. "…" or line, group } }, false, {})
end

--- Where the command line has no row of its own, a message stands below the command that was just typed, and two lines
--- ask for Enter: there the message comes once Neovim waits for a key, in place of one that came in the same moment.
---@param text string
---@param group? string highlight group
---@param is_kept boolean |:messages| keeps it
local function echo(text, group, is_kept)
  local function show()
    write(text, group, is_kept)
  end
  if vim.o.cmdheight > 0 then
    return show()
  end
  vim.api.nvim_create_autocmd("SafeState", {
    once = true,
    callback = function()
      vim.cmd.redraw()
      show()
    end,
  })
end

--- How often something was said that is not well.
M.complaints = 0

local groups = { [vim.log.levels.WARN] = "WarningMsg", [vim.log.levels.ERROR] = "ErrorMsg" }

---@param message string
---@param level integer
local function notify(message, level)
  local text = "AgentQ: " .. message
  M.complaints = M.complaints + (level >= vim.log.levels.WARN and 1 or 0)
  if M.is_command_line() then
    -- For an error Neovim's own vim.notify asks for Enter where the command line has no row.
    echo(text, groups[level], true)
  else
    vim.notify(text, level)
  end
end

--- Words about what was just done, which |:messages| does not keep.
---@param text string
---@param group? string highlight group
function M.brief(text, group)
  echo(text, group, false)
end

---@param message string
function M.info(message)
  notify(message, vim.log.levels.INFO)
end

---@param message string
function M.warn(message)
  notify(message, vim.log.levels.WARN)
end

---@param message string
function M.error(message)
  notify(message, vim.log.levels.ERROR)
end

return M
