-- A message for the person. Neovim's own vim.notify stops everything with "Press ENTER" when a text is longer than the
-- command line; there it is cut, and what matters stands in the REPL's log or the transcript as well.
local M = {}

---@return boolean
local function is_command_line()
  return vim.startswith(debug.getinfo(vim.notify, "S").source, "@vim/")
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
