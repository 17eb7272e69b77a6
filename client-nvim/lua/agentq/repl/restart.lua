-- A fresh process for the REPL.
local client = require("agentq.client")
local logs = require("agentq.repl.logs")
local say = require("agentq.say")

local M = {}

--- A fresh process, in which these forms run again.
---@param connection vim.lsp.Client
---@param replay? string[] evaluation ids, or { "all" } for what the present state was built from
---@param done? fun()
function M.restart(connection, replay, done)
  client.request(connection, "agentq/restartRepl", { replay = replay }, function(err, result)
    local words = err and err.message or ("the REPL is %s"):format(result.state)
    if not err and result.replayed then
      local count = #result.replayed
      local failed = #vim.tbl_filter(function(item)
        return item.outcome ~= "value"
      end, result.replayed)
      words = ("%s, %d form%s run again%s"):format(
        words,
        count,
        count == 1 and "" or "s",
        failed > 0 and (", %d of them failed"):format(failed) or ""
      )
    end
    if not err and result.unknown then
      words = ("nothing was restarted: no form that succeeded has the id %s"):format(table.concat(result.unknown, ", "))
    end
    local log = logs.of(connection.id)
    if not err and log.process then
      words = ("%s; %s, where forms go, is started anew by you"):format(words, log.process)
    end
    log:append({ words, "" }, { err and "AgentqError" or "AgentqNotice" })
    local tell = err and say.error or say.info
    tell(words)
    if done then
      done()
    end
  end)
end

return M
