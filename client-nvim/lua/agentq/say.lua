-- A message for the person. Neovim's own vim.notify stops everything with "Press ENTER" when a text is longer than the
-- command line; there it is cut, and what matters stands in the REPL's log or the transcript as well.
local M = {}

--- Whether nobody replaced vim.notify. From 0.12 on Neovim's own functions do not tell their source.
---@return boolean
local function is_command_line()
  local source = debug.getinfo(vim.notify, "S").source
  return vim.startswith(source, "@vim/") or source == "?" or source == "=?"
end

---@param message string
---@param level? integer
function M.say(message, level)
  local text = "AgentQ: " .. message
  local room = vim.v.echospace
  if is_command_line() and vim.o.cmdheight > 0 then
    text = text:gsub("\n", " · ")
    if vim.fn.strdisplaywidth(text) > room then
      text = vim.fn.strcharpart(text, 0, room - 1) .. "…"
    end
  end
  vim.notify(text, level or vim.log.levels.INFO)
end

return M
