-- The arguments of a call that waits for an answer, changed by the person: `:write` runs the call with what they wrote.
local draft = require("agentq.draft")
local say = require("agentq.say")

local M = {}

---@param value any
---@return string
local function text_of(value)
  return type(value) == "string" and value or vim.json.encode(value)
end

--- What was written, as the kind of value that the call had.
---@param before any
---@param text string
---@return any value nil when it cannot be read
local function value_of(before, text)
  if type(before) == "string" then
    return text
  end
  local ok, value = pcall(vim.json.decode, text)
  if not ok or type(value) ~= type(before) then
    return nil
  end
  return value
end

---@param approval agentq.Approval
---@param name string
---@param run fun(arguments: table<string, any>, done: fun()) `done` is called when the server has taken them
local function edit(approval, name, run)
  local before = approval.arguments[name]
  draft.open({
    name = ("arguments/%s/%s"):format(approval.approvalId, name),
    text = text_of(before),
    heading = ("%s of %s · :w runs it so · :q leaves the question open"):format(name, approval.tool),
    write = function(text, bufnr)
      local value = value_of(before, text)
      if value == nil then
        return say.error(("%s has to be JSON of the same kind as before; nothing was run"):format(name))
      end
      vim.bo[bufnr].modified = false
      run(vim.tbl_extend("force", approval.arguments, { [name] = value }), function()
        if vim.api.nvim_buf_is_valid(bufnr) then
          vim.api.nvim_buf_delete(bufnr, { force = true })
        end
      end)
    end,
  })
  local language = require("agentq.chat.question").language(name)
  if language then
    -- The filetype itself would start language servers, which know no file here.
    pcall(vim.treesitter.start, 0, language)
  end
end

--- Opens an argument of the call in a window; of several the person chooses one.
---@param approval agentq.Approval
---@param run fun(arguments: table<string, any>, done: fun())
function M.edit(approval, run)
  local names = vim.tbl_keys(approval.arguments)
  table.sort(names)
  if #names == 1 then
    return edit(approval, names[1], run)
  end
  vim.ui.select(names, { prompt = "Change which argument?" }, function(name)
    if name then
      edit(approval, name, run)
    end
  end)
end

return M
