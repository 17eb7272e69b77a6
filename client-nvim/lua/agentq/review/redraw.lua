-- Brings everything that shows hunks up to what is known of them: files, windows of the review, the quickfix list.
local proposed = require("agentq.review.proposed")
local quickfix = require("agentq.review.quickfix")
local review = require("agentq.review.review")

local M = {}

function M.all()
  review.refresh_all()
  proposed.redraw_all()
  proposed.close_decided()
  quickfix.update()
end

return M
