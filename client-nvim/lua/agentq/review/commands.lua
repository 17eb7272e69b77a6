-- What :AgentQ does with proposals and their hunks.
local optional = require("agentq.wire").optional
local say = require("agentq.say")

---@type table<string, agentq.Subcommand>
return {
  review = {
    run = function(rest)
      if rest == "diff" then
        return require("agentq.review.diff_window").open(require("agentq.review.stops").current())
      elseif rest ~= "" then
        return say.error(":AgentQ review [diff]")
      end
      require("agentq.review.navigate").begin()
    end,
  },
  reviewall = {
    run = function()
      require("agentq.review.window").open(require("agentq.review.stops").current())
    end,
  },
  next = {
    run = function()
      require("agentq.review.navigate").move(1)
    end,
  },
  prev = {
    run = function()
      require("agentq.review.navigate").move(-1)
    end,
  },
  accept = {
    run = function(_, args)
      local actions = require("agentq.review.actions")
      if args.range > 0 then
        actions.accept_lines(args.line1 - 1, args.line2 - 1)
      else
        actions.accept()
      end
    end,
  },
  split = {
    run = function()
      require("agentq.review.actions").split()
    end,
  },
  reject = {
    run = function(rest, args)
      require("agentq.review.actions").reject(optional(rest), args.bang)
    end,
  },
  edit = {
    run = function()
      require("agentq.review.actions").edit()
    end,
  },
  acceptall = {
    run = function(_, args)
      require("agentq.review.actions").accept_all(args.by_key)
    end,
  },
  rejectall = {
    run = function(rest, args)
      require("agentq.review.actions").reject_all(optional(rest), args.bang, args.by_key)
    end,
  },
  testhunks = {
    run = function(_, args)
      require("agentq.review.actions").test(args.bang)
    end,
  },
  undo = {
    run = function()
      require("agentq.review.later").undo()
    end,
  },
  reopen = {
    run = function()
      require("agentq.review.later").reopen()
    end,
  },
  rewind = {
    run = function()
      require("agentq.review.later").rewind()
    end,
  },
  patch = {
    run = function()
      require("agentq.review.later").patch()
    end,
  },
}
