-- Whether the server that runs fits the program that is installed, and this client: each is updated by itself.
local M = {}

--- The version of the protocol that this client speaks.
local PROTOCOL = 1

---@class agentq.Skew
---@field words string
---@field advice string

--- The number in what a program or a server says of itself, without the Node that runs it.
---@param said string
---@return string?
function M.version_in(said)
  return said:match("(%d+%.%d+%.%d+[%w.-]*)")
end

--- The requests that this client sends, as its files name them.
---@return string[]
local function requests()
  local named = {}
  local here = vim.fs.dirname(debug.getinfo(1, "S").source:sub(2))
  for path, kind in vim.fs.dir(here, { depth = 3 }) do
    -- Those two name what the server sends.
    if kind == "file" and path ~= "handlers.lua" and path ~= "types.lua" then
      local text = table.concat(vim.fn.readfile(here .. "/" .. path), "\n")
      for method in text:gmatch('"(agentq/%a+)"') do
        named[method] = true
      end
    end
  end
  return vim.tbl_keys(named)
end

---@param connection vim.lsp.Client
---@return agentq.Skew?
local function with_client(connection)
  local spoken = vim.tbl_get(connection.server_capabilities or {}, "experimental", "agentq") or {}
  local version = spoken.version
  local methods = vim.list_extend({}, spoken.methods or {})
  local unknown = vim.tbl_filter(function(method)
    return not vim.list_contains(methods, method)
  end, requests())
  table.sort(unknown)
  if version ~= PROTOCOL then
    local is_newer = type(version) == "number" and version > PROTOCOL
    return {
      words = ("the server speaks version %s of the protocol, this plugin version %d"):format(version, PROTOCOL),
      advice = is_newer and "Update this plugin"
        or "Update the server (in a checkout: `npm run build`), then :AgentQ restart",
    }
  elseif #unknown > 0 then
    return {
      words = "the server is older than this plugin: it does not know " .. table.concat(unknown, ", "),
      advice = "Update the server (in a checkout: `npm run build`), then :AgentQ restart",
    }
  end
end

--- An update on the disk changes no server that runs.
---@param running string
---@param installed string? nil where nobody knows
---@return agentq.Skew?
local function with_installed(running, installed)
  if installed and M.version_in(running) ~= installed then
    return {
      words = ("the server that runs is %s, the one that is installed %s"):format(running, installed),
      advice = ":AgentQ restart starts the installed one; the conversation goes on",
    }
  end
end

---@param connection vim.lsp.Client
---@param running string what the server says its version is
---@param installed string? the version of the program that starts servers
---@return agentq.Skew[]
function M.find(connection, running, installed)
  local found = {}
  found[1] = with_installed(running, installed)
  found[#found + 1] = with_client(connection)
  return found
end

return M
