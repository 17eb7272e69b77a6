-- What stands on disk, compared with buffers, and the saving of what was approved.
local buffers = require("agentq.buffers")
local say = require("agentq.say")

local M = {}

---@param path string
---@return string? text nil for a file that cannot be read
function M.text(path)
  local file = io.open(path, "rb")
  local text = file and file:read("*a")
  if file then
    file:close()
  end
  -- Neovim and the server keep a byte order mark to themselves.
  return text and (text:gsub("^\239\187\191", "")) or nil
end

--- Whether the file holds the buffer's text, in the buffer's encoding; so does a file that is not there yet.
---@param bufnr integer
---@return boolean
function M.agrees(bufnr)
  local text = M.text(vim.api.nvim_buf_get_name(bufnr))
  local own = buffers.text(bufnr)
  if not text or text == own or (text == "" and buffers.is_empty(bufnr)) then
    return true
  end
  local encoding = vim.bo[bufnr].fileencoding
  if encoding == "" or encoding == "utf-8" then
    return false
  end
  local decoded = vim.iconv(text, encoding, "utf-8")
  return decoded ~= nil and decoded:gsub("^\239\187\191", "") == own
end

--- The first line of an error, without the places in code that it went through.
---@param err string
---@return string
local function brief(err)
  local lines = vim.split(vim.trim(err), "\n", { plain = true })
  return (lines[1]:gsub("^.*:%d+: ", ""))
end

---@param target agentq.review.Target
---@return boolean saved
---@return string? error
local function write(target)
  if not target.disk_agrees then
    return false, "the file changed on disk since it was read"
  elseif buffers.text(target.bufnr) ~= target.text then
    return false, "something changed its text at once"
  end
  return pcall(vim.api.nvim_buf_call, target.bufnr, function()
    vim.fn.mkdir(vim.fs.dirname(vim.api.nvim_buf_get_name(target.bufnr)), "p")
    vim.cmd("silent noautocmd lockmarks write" .. (vim.bo.readonly and "" or "!"))
  end)
end

---@param target agentq.review.Target
local function save(target)
  local saved, err = write(target)
  if not saved then
    return say.warn("applied but not saved: " .. brief(tostring(err)))
  end
  local ok, complaint = pcall(vim.api.nvim_buf_call, target.bufnr, function()
    vim.cmd("silent doautocmd <nomodeline> BufWritePost")
  end)
  if not ok then
    say.warn("saved; a command after the writing failed: " .. brief(tostring(complaint)))
  end
end

--- Saves what the option `review.save_after_apply` says. Commands of the BufWritePre event do not run: formatting a
--- file on the way would write text nobody approved. BufWritePost runs, so that servers and signs hear of it.
---@param targets agentq.review.Target[]
function M.save(targets)
  local when = require("agentq.config").get().review.save_after_apply
  for _, target in ipairs(targets) do
    if when == "always" or (when == "unmodified" and not target.was_modified) then
      save(target)
    end
  end
end

return M
