-- The keys of a transcript: they show what is not in the buffer, the details of tool calls and thoughts.
local M = {}

---@param bufnr integer
function M.set(bufnr)
  ---@param lhs string
  ---@param is_open boolean? the other way round than now when absent
  ---@param everywhere? boolean
  local function map(lhs, is_open, everywhere, words)
    vim.keymap.set("n", lhs, function()
      local chat = require("agentq.chat.chats").shown_in(bufnr)
      local row = not everywhere and vim.api.nvim_win_get_cursor(0)[1] - 1 or nil
      if chat then
        chat.writer:toggle(row, is_open)
      end
    end, { buffer = bufnr, desc = "AgentQ: " .. words })
  end
  for _, lhs in ipairs({ "<CR>", "za" }) do
    map(lhs, nil, false, "open or close the details under the cursor")
  end
  map("zo", true, false, "open the details under the cursor")
  map("zc", false, false, "close the details under the cursor")
  map("zR", true, true, "open all details")
  map("zM", false, true, "close all details")
end

return M
