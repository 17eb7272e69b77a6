-- Every message to the person goes through here. Neovim's own vim.notify stops the editor with "Press ENTER" when a
-- text is longer than the command line, so the text is cut there; the REPL's log or the transcript has the whole of it.
local M = {}

--- Whether nobody replaced vim.notify. From 0.12 on Neovim's own functions do not tell their source.
---@return boolean
local function is_command_line()
  local source = debug.getinfo(vim.notify, "S").source
  return vim.startswith(source, "@vim/") or source == "?" or source == "=?"
end

---@param message string
---@param level integer
local function notify(message, level)
  local text = "AgentQ: " .. message
  local room = vim.v.echospace
  if is_command_line() and vim.o.cmdheight > 0 then
    text = text:gsub("\n", " · ")
    if vim.fn.strdisplaywidth(text) > room then
      text = vim.fn.strcharpart(text, 0, room - 1) .. "…"
    end
  end
  vim.notify(text, level)
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
