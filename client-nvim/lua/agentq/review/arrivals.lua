-- Proposals as they come from the server, and as they change there.
local buffers = require("agentq.buffers")
local config = require("agentq.config")
local decide = require("agentq.review.decide")
local events = require("agentq.events")
local hunks = require("agentq.review.hunks")
local redraw = require("agentq.review.redraw")
local review = require("agentq.review.review")
local say = require("agentq.say")
local store = require("agentq.review.store")

-- It asks as soon as something is shown.
require("agentq.review.asking")

local M = {}

--- How long plugins that show messages wait for more proposals: they would stack a message for each. In the command line
--- the last message takes the place of the one before.
local TOGETHER_MS = 200

---@type agentq.Proposal[] what nobody was told of yet
local arrived = {}

local function announce()
  local count = 0
  for _, proposal in ipairs(arrived) do
    count = count + #proposal.hunks
  end
  local what = #arrived == 1 and hunks.subject(arrived[1]) or ("%d proposals"):format(#arrived)
  arrived = {}
  say.info(("%d hunk%s: :AgentQ review. %s"):format(count, count == 1 and "" or "s", what))
end

---@param client_id integer
---@param proposal agentq.Proposal
function M.on_proposal(client_id, proposal)
  review.watch()
  store.put(client_id, proposal)
  -- Text sync must cover every document of the proposal that is open, whatever its file type.
  for _, document in ipairs(proposal.documents) do
    local bufnr = buffers.loaded(document.uri)
    if bufnr and vim.bo[bufnr].buftype == "" and not vim.lsp.buf_is_attached(bufnr, client_id) then
      vim.lsp.buf_attach_client(bufnr, client_id)
    end
  end
  redraw.all()
  if config.get().notify then
    arrived[#arrived + 1] = proposal
    if say.is_command_line() then
      announce()
    elseif #arrived == 1 then
      vim.defer_fn(announce, TOGETHER_MS)
    end
  end
  events.fire("Proposal", { proposal = proposal })
end

---@param proposal agentq.Proposal as it is now
local function show_changed(proposal)
  review.watch()
  -- The server tells of a decision before it answers: the end of the decision shows what became of the hunks.
  if not decide.in_flight() then
    redraw.all()
  end
  events.fire("ProposalChanged", { proposal = proposal })
end

---@param client_id integer
---@param proposal agentq.Proposal
function M.on_changed(client_id, proposal)
  store.put(client_id, proposal)
  show_changed(proposal)
end

---@param changed agentq.HunksChanged
---@return agentq.Proposal? proposal as it is now; nil for one that is not known
function M.on_hunks_changed(changed)
  local proposal = store.merge(changed)
  if proposal then
    show_changed(proposal)
  end
  return proposal
end

require("agentq.client").on_exit(function(client_id)
  store.forget_client(client_id)
  redraw.all()
end)

return M
