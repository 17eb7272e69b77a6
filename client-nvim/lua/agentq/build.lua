-- Builds the server of a checkout while the editor goes on, for the hooks of plugin managers: that it begins is said, and
-- how it ends, a failure with what npm has said last. A hook runs this file before the plugin is on 'runtimepath', so
-- the file needs no other.

local LAST_LINES = 8

---@param message string
---@param level? integer
local function tell(message, level)
  vim.notify("AgentQ: " .. message, level or vim.log.levels.INFO)
end

---@param done vim.SystemCompleted
local function tell_end(done)
  vim.g.agentq_is_building = nil
  if done.code == 0 then
    return tell("the server is built")
  end
  local said = vim.split(vim.trim(done.stdout .. "\n" .. done.stderr), "\n")
  local last = table.concat(vim.list_slice(said, math.max(1, #said - LAST_LINES + 1)), "\n")
  tell("npm run build failed, so there is no server; :checkhealth agentq says more\n" .. last, vim.log.levels.ERROR)
end

---@param folder string the checkout
return function(folder)
  tell("the server is being built, which takes a minute or two …")
  vim.g.agentq_is_building = true
  local options = { cwd = folder, text = true }
  local ok, err = pcall(vim.system, { "npm", "run", "build" }, options, vim.schedule_wrap(tell_end))
  if not ok then
    tell_end({ code = -1, signal = 0, stdout = "", stderr = tostring(err) })
  end
end
