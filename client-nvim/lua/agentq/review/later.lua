-- :AgentQ undo, reopen, patch and rewind: what can still be done with proposals after their review.
local client = require("agentq.client")
local hunks = require("agentq.review.hunks")
local local_time = require("agentq.local_time")
local say = require("agentq.say")
local start = require("agentq.start")
local visible = require("agentq.review.visible")
local waiting = require("agentq.chat.waiting")

local M = {}

---@param proposal agentq.Proposal
---@return string
local function describe(proposal)
  return ("%s %s (%s)"):format(local_time(proposal.at), hunks.subject(proposal), waiting.outcome(proposal))
end

--- Asks which proposal is meant where there are several, the newest first, and hands it on.
---@param makes_sense fun(proposal: agentq.Proposal): boolean
---@param nothing string what to say when there is none
---@param use fun(proposal: agentq.Proposal, connection: vim.lsp.Client)
local function with_proposal(makes_sense, nothing, use)
  start.with_client(function(connection)
    client.request(connection, "agentq/listProposals", vim.empty_dict(), function(err, page)
      if err then
        return say.error(err.message)
      end
      local found = {}
      for index = #page.items, 1, -1 do
        if makes_sense(page.items[index]) then
          found[#found + 1] = page.items[index]
        end
      end
      if #found == 0 then
        return say.info(nothing)
      elseif #found == 1 then
        return use(found[1], connection)
      end
      vim.ui.select(found, { prompt = "Which proposal?", format_item = describe }, function(proposal)
        if proposal then
          use(proposal, connection)
        end
      end)
    end)
  end)
end

---@param proposal agentq.Proposal
---@param left agentq.LeftHunk[]
local function tell_left(proposal, left)
  local titles = {}
  for _, hunk in ipairs(proposal.hunks) do
    titles[hunk.id] = hunk.title
  end
  for _, each in ipairs(left) do
    say.warn(("left out: %s: %s"):format(titles[each.id] or each.id, each.why))
  end
end

---@param method string
---@param is_left fun(hunk: agentq.Hunk): boolean whether there is something to propose of a hunk
---@param nothing string what to say when there is no such proposal
---@param none string what to say when the server has nothing to propose
local function propose_later(method, is_left, nothing, none)
  local function makes_sense(proposal)
    return proposal.state ~= "pending" and vim.iter(proposal.hunks):any(is_left)
  end
  with_proposal(makes_sense, nothing, function(proposal, connection)
    client.request(connection, method, { proposalId = proposal.proposalId }, function(err, result)
      if err then
        return say.error(err.message)
      end
      tell_left(proposal, result.left)
      -- The new proposal arrives as any other does, and is reviewed like it.
      if not result.proposalId and #result.left == 0 then
        say.info(none)
      end
    end)
  end)
end

--- Proposes to take back what was applied of a proposal.
function M.undo()
  local none = "nothing of that proposal is there any more"
  propose_later("agentq/undoProposal", hunks.is_in, "no proposal was applied", none)
end

--- Proposes again what was rejected of a proposal, or was in conflict.
function M.reopen()
  local none = "all of that proposal is there already"
  local function is_out(hunk)
    return not hunks.is_in(hunk)
  end
  propose_later("agentq/reopenProposal", is_out, "no proposal was rejected", none)
end

--- A message of the person's as a line of a list.
---@param turn agentq.TurnInfo
---@return string
local function describe_turn(turn)
  local text = visible.short(turn.text, 50)
  local applied = turn.applied == 1 and "1 hunk applied" or ("%d hunks applied"):format(turn.applied)
  return ("%s (%s)"):format(text, applied)
end

---@param turn agentq.TurnInfo
---@param connection vim.lsp.Client
local function rewind_to(turn, connection)
  local params = { sessionId = turn.sessionId, turnId = turn.turnId }
  client.request(connection, "agentq/rewind", params, function(err, result)
    if err then
      return say.error(err.message)
    end
    for _, each in ipairs(result.left) do
      say.warn(("left out: %s: %s"):format(each.title, each.why))
    end
    -- The new proposal arrives as any other does, and is reviewed like it.
    if result.proposalId then
      say.info(result.note)
    elseif #result.left == 0 then
      say.info("nothing that was applied since that message is there any more")
    end
  end)
end

--- Proposes to bring the files back to what they were before a message, which the person chooses, newest first.
function M.rewind()
  start.with_client(function(connection)
    client.request(connection, "agentq/listTurns", vim.empty_dict(), function(err, page)
      if err then
        return say.error(err.message)
      elseif #page.items == 0 then
        return say.info("there is no message to go back to")
      end
      local turns = vim.fn.reverse(page.items)
      vim.ui.select(turns, { prompt = "Back to before which message?", format_item = describe_turn }, function(turn)
        if turn then
          rewind_to(turn, connection)
        end
      end)
    end)
  end)
end

--- Shows a proposal as a patch for `git apply`.
function M.patch()
  local function any()
    return true
  end
  with_proposal(any, "there is no proposal", function(proposal, connection)
    local params = { proposalId = proposal.proposalId }
    client.request(connection, "agentq/exportProposal", params, function(err, result)
      if err then
        return say.error(err.message)
      end
      tell_left(proposal, result.left)
      if result.patch == "" then
        return say.info("all of that proposal was rejected; reopen it first")
      end
      vim.cmd("botright new")
      local bufnr = vim.api.nvim_get_current_buf()
      vim.bo[bufnr].bufhidden = "wipe"
      vim.bo[bufnr].swapfile = false
      vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, vim.split(result.patch:gsub("\n$", ""), "\n", { plain = true }))
      vim.bo[bufnr].filetype = "diff"
      vim.bo[bufnr].modified = false
      say.info((":w {file} saves the patch of %s"):format(proposal.title))
    end)
  end)
end

return M
