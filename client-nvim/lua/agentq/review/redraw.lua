-- Brings everything that shows hunks up to what is known of them: files, and windows of the review.
local proposed = require("agentq.review.proposed")
local review = require("agentq.review.review")

local M = {}

function M.all()
  review.refresh_all()
  proposed.redraw_all()
  proposed.close_decided()
end

return M
