-- The public functions. Everything loads when it is first used; see |agentq-lua|.
local M = {}

--- Optional: the same options may stand in `vim.g.agentq`.
---@param opts? table see |agentq-config|
function M.setup(opts)
  require("agentq.config").setup(opts)
end

--- A status line component; empty while there is nothing to say.
---@return string
function M.statusline()
  return require("agentq.status").line()
end

--- How many hunks wait for a decision.
---@return integer
function M.pending()
  return require("agentq.review.store").count()
end

--- Sends a prompt without opening a window.
---@param text string
function M.prompt(text)
  require("agentq.start").with_client(function(client)
    require("agentq.chat.chats").of(client.id):prompt(text)
  end)
end

return M
