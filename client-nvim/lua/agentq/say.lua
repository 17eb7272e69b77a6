-- Every message to the person goes through here. Neovim's own vim.notify stops the editor with "Press ENTER" when a
-- text is longer than the command line, so the text is cut there; the REPL's log or the transcript has the whole of it.
local M = {}

--- Whether nobody replaced vim.notify. From 0.12 on Neovim's own functions do not tell their source.
---@return boolean
local function is_command_line()
  local source = debug.getinfo(vim.notify, "S").source
  return vim.startswith(source, "@vim/") or source == "?" or source == "=?"
end

--- On one line that fits into the room of the command line.
---@param text string
---@return string
local function short(text)
  text = require("agentq.review.visible").text((text:gsub("\n", " · ")))
  local room = vim.v.echospace
  return vim.fn.strdisplaywidth(text) > room and vim.fn.strcharpart(text, 0, room - 1) .. "…" or text
end

--- Where the command line has no row of its own, a message stands below the command that was just typed, and two lines
--- ask for Enter: there the message comes once Neovim waits for a key, in place of one that came in the same moment.
---@param text string
---@param group? string highlight group
---@param is_kept boolean |:messages| keeps it
local function echo(text, group, is_kept)
  local function show()
    vim.api.nvim_echo({ { short(text), group } }, is_kept, {})
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

local groups = { [vim.log.levels.WARN] = "WarningMsg", [vim.log.levels.ERROR] = "ErrorMsg" }

---@param message string
---@param level integer
local function notify(message, level)
  local text = "AgentQ: " .. message
  if is_command_line() then
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
