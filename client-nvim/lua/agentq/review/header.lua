-- The lines that head a hunk: which one it is, how to answer, and what the compiler says of the proposal.
local keymaps = require("agentq.review.keymaps")
local tests = require("agentq.review.tests")
local visible = require("agentq.review.visible")
local wrap = require("agentq.review.wrap")

local M = {}

---@type {action: string, command: string, words: string}[] in the order in which they are needed
local answers = {
  { action = "accept", command = "accept", words = "accept" },
  { action = "reject", command = "reject", words = "reject" },
  { action = "edit", command = "edit", words = "edit" },
  { action = "accept_all", command = "acceptall", words = "all" },
  { action = "reject_all", command = "rejectall", words = "none" },
  { action = "next", command = "next", words = "next" },
}

--- What to press in a buffer for an action, else what to type.
---@param bufnr integer
---@param action string
---@return string
function M.how(bufnr, action)
  for _, answer in ipairs(answers) do
    if answer.action == action then
      return keymaps.key(bufnr, action) or (":AgentQ %s"):format(answer.command)
    end
  end
  return action
end

--- How to answer a hunk in a buffer.
---@param bufnr integer
---@param actions? string[] all of them when absent
---@return [string, string][]
function M.hints(bufnr, actions)
  local parts = {}
  for _, answer in ipairs(answers) do
    if not actions or vim.list_contains(actions, answer.action) then
      local key = keymaps.key(bufnr, answer.action)
      local words = key and ("%s %s"):format(key, answer.words) or M.how(bufnr, answer.action)
      parts[#parts + 1] = { words, "AgentqHint" }
    end
  end
  return parts
end

---@param item agentq.review.Item
---@param line agentq.DiagnosticLine
---@return string
local function place_of(item, line)
  local path = line.uri and vim.uri_to_fname(line.uri)
  local client = vim.lsp.get_client_by_id(item.entry.client_id)
  local root = client and client.config.root_dir
  if path and root and vim.startswith(path, root .. "/") then
    path = path:sub(#root + 2)
  end
  local row = path and line.range and (":%d"):format(line.range.start.line + 1) or ""
  return path and ("%s%s "):format(path, row) or ""
end

--- What the compiler says of the proposal in one sentence, nil when it was not asked.
---@param item agentq.review.Item
---@return string?
---@return string group
function M.check(item)
  local check = item.entry.proposal.check or { state = "unavailable" }
  if check.state == "running" then
    return "compiler: checking…", "AgentqHint"
  elseif check.state ~= "done" then
    return check.reason and "not checked: " .. check.reason, "AgentqHint"
  end
  local count, solved = #check.introduced, #check.resolved
  local ends = solved > 0 and (", %d solved"):format(solved) or ""
  if count == 0 then
    return "compiler: no new error" .. ends, "AgentqHint"
  end
  local first = check.introduced[1]
  local message = vim.split(first.message, "\n", { plain = true })[1]
  local words = ("compiler: %d new error%s%s: %s%s"):format(
    count,
    count == 1 and "" or "s",
    ends,
    place_of(item, first),
    message
  )
  return words .. (count > 1 and (" (and %d more)"):format(count - 1) or ""), "AgentqConflict"
end

--- The rows of a header.
---@param item agentq.review.Item
---@param width integer
---@param facts [string, string][]
---@param hints [string, string][]
---@return [string, string][][]
function M.rows(item, width, facts, hints)
  local files = item.files > 1 and (" in %d files"):format(item.files) or ""
  local parts = { { ("▎%d/%d%s"):format(item.number, item.total, files), "AgentqHunk" } }
  vim.list_extend(parts, facts)
  vim.list_extend(parts, hints)
  local rows = wrap.parts(parts, " · ", width)
  local words, group = M.check(item)
  if words then
    local chunks = visible.chunks(words, group)
    table.insert(chunks, 1, { "▎", "AgentqHunk" })
    vim.list_extend(rows, wrap.rows(chunks, width))
  end
  local told, colour = tests.told(item.entry)
  if told then
    local chunks = visible.chunks(told, colour)
    table.insert(chunks, 1, { "▎", "AgentqHunk" })
    vim.list_extend(rows, wrap.rows(chunks, width))
  end
  return rows
end

return M
