-- :AgentQ {subcommand}: those about the server stand here, the others beside what they are about.
local client = require("agentq.client")
local here = require("agentq.here")
local say = require("agentq.say")
local optional = require("agentq.wire").optional
local start = require("agentq.start")

local M = {}

---@class agentq.Subcommand
---@field run fun(rest: string, args: table)
---@field takes? string what follows, for messages

---@type table<string, agentq.Subcommand>
local subcommands = vim.tbl_extend(
  "error",
  require("agentq.chat.commands"),
  require("agentq.repl.commands"),
  require("agentq.review.commands"),
  {
    mcp = {
      run = function(rest)
        local word, name = rest:match("^(%S*)%s*(.-)$")
        if word ~= "restart" then
          return say.error(":AgentQ mcp restart [name]")
        end
        start.with_client(function(connection)
          require("agentq.mcp").restart(connection, optional(name))
        end)
      end,
    },
    status = {
      run = function()
        start.with_client(require("agentq.status").show)
      end,
    },
    restart = {
      run = function()
        local function tell()
          say.info("the server runs")
        end
        local connection = client.current()
        if connection then
          start.restart(connection, tell)
        else
          start.with_client(tell)
        end
      end,
    },
  }
)

for _, name in ipairs({ "remembered", "tools", "metrics" }) do
  subcommands[name] = {
    run = function()
      start.with_client(require("agentq.records")[name])
    end,
  }
end

---@return string[]
function M.names()
  local names = vim.tbl_keys(subcommands)
  table.sort(names)
  return names
end

---@param args {args: string, range: integer, line1: integer, line2: integer, bang: boolean, by_key?: boolean}
function M.run(args)
  local name, rest = args.args:match("^%s*([^%s|]*)%s*(.-)%s*$")
  name = name == "" and "chat" or name
  -- A bar is a part of what is said or evaluated; but nothing of that begins with one, so there it ends the command.
  local next_command = rest:match("^|(.*)$")
  rest = next_command and "" or rest
  local subcommand = subcommands[name]
  if not subcommand then
    say.error(("there is no %q; try one of %s"):format(name, table.concat(M.names(), ", ")))
  elseif subcommand.takes and rest == "" then
    say.error((":AgentQ %s {%s}"):format(name, subcommand.takes))
  else
    -- A map with <Cmd> runs while the text is selected, and has no range.
    if args.range == 0 and vim.fn.mode():find("[vV\22]") then
      vim.cmd.normal({ "\27", bang = true })
      args = vim.tbl_extend("force", args, { range = 2, line1 = vim.fn.line("'<"), line2 = vim.fn.line("'>") })
    end
    subcommand.run(rest, args)
    if next_command then
      vim.cmd(next_command)
    end
  end
end

--- The module in whose scope a command line's code will run: that of the current file where the line begins with a
--- range.
---@param line string
---@return string?
local function module_of(line)
  local range = vim.trim(line:match("^%s*:?(.-)AgentQ") or "")
  return range:find("[%d.$%%'<>]$") and here.module() or nil
end

--- Completes subcommands; what follows them is free text.
---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local before = line:match("^.*AgentQ!?%s+(.*)$") or ""
  local words = before:match("^repl%s+%S*$") and { "history", "lock", "restart", "type", "unlock" }
    or before:match("^export%s+%S*$") and { "json", "markdown" }
    or before:match("^review%s+%S*$") and { "diff" }
    or before:match("^mcp%s+%S*$") and { "restart" }
    or before:match("^repl%s+restart%s+%S*$") and { "all" }
    or before:match("^changes%s+%S*$") and { "keep", "revert" }
    or before:match("^changes%s+%S+%s+%S*$") and require("agentq.repl.changes").files()
    or before:match("^approve%s+%S*$") and { "session", "workspace" }
    or before:match("^process%s+%S*$") and require("agentq.repl.process").ids()
    or before:match("^interrupt%s+%S*$") and require("agentq.repl.interrupt").ids()
  if words then
    return vim.tbl_filter(function(word)
      return vim.startswith(word, lead)
    end, words)
  end
  local code = before:match("^eval%s+(.*)$") or before:match("^inspect%s+(.*)$")
  if code then
    return require("agentq.repl.complete").complete(code, lead, module_of(line))
  end
  if before:find("%s") then
    return {}
  end
  return vim.tbl_filter(function(name)
    return vim.startswith(name, lead)
  end, M.names())
end

return M
