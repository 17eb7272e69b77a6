-- The lines that head a hunk: which one it is, how to answer, and what the compiler says of the proposal.
local checks = require("agentq.review.checks")
local hunks = require("agentq.review.hunks")
local keymaps = require("agentq.review.keymaps")
local page = require("agentq.review.page")
local proof = require("agentq.review.proof")
local store = require("agentq.review.store")
local tested = require("agentq.review.tested")
local visible = require("agentq.review.visible")
local wrap = require("agentq.review.wrap")

local M = {}

--- Bytes of a sentence about a hunk: a longer one would leave no row for the hunk.
local MOST_SAID = 1000

---@type {action: string, command: string, words: string}[] in the order in which they are needed
local answers = {
  { action = "accept", command = "accept", words = "accept" },
  { action = "reject", command = "reject", words = "reject" },
  { action = "edit", command = "edit", words = "edit" },
  { action = "split", command = "split", words = "split" },
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

local words_in_conflict = { accept = "try again", edit = "merge" }

--- How to answer a hunk in a buffer.
---@param bufnr integer
---@param actions? string[] all of them when absent
---@param in_conflict? boolean
---@return [string, string][]
function M.hints(bufnr, actions, in_conflict)
  local parts = {}
  for _, answer in ipairs(answers) do
    if not actions or vim.list_contains(actions, answer.action) then
      local key = keymaps.key(bufnr, answer.action)
      local says = in_conflict and words_in_conflict[answer.action] or answer.words
      local words = key and ("%s %s"):format(key, says) or M.how(bufnr, answer.action)
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
---@param item {entry: agentq.review.Entry}
---@param known? agentq.review.Known
---@return string?
---@return string group
function M.check(item, known)
  local check = known and known.rest or item.entry.proposal.check or { state = "unavailable" }
  if check.state == "running" then
    return "compiler: checking…", "AgentqHint"
  elseif check.state ~= "done" then
    return check.reason and "not checked: " .. check.reason, "AgentqHint"
  end
  local count, solved = #check.introduced, #check.resolved
  local ends = solved > 0 and (", %d gone with all"):format(solved) or ""
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

--- What the person's next decision means, where errors come or go with it, as parts of a row.
---@param item agentq.review.Item
---@param known agentq.review.Known
---@return [string, string][]
local function meaning(item, known)
  local parts = {}
  if known.so_far then
    local words, is_broken = checks.so_far(known.so_far)
    parts[#parts + 1] = words and { words, is_broken and "AgentqConflict" or "AgentqHint" } or nil
  end
  if known.without then
    local words, first = checks.rejection(known.rest, known.without)
    local message = first and (": %s%s"):format(place_of(item, first), vim.split(first.message, "\n")[1]) or ""
    parts[#parts + 1] = words and { words .. message, first and "AgentqConflict" or "AgentqHint" } or nil
  end
  return parts
end

--- The hunks that go in with this one because this one needs them.
---@param item agentq.review.Item
---@param number_of fun(key: string): integer? what stands in the head of a hunk
---@return [string, string][]
local function needs(item, number_of)
  local names = {}
  for _, hunk in ipairs(item.hunk.requires and item.entry.proposal.hunks or {}) do
    if vim.list_contains(item.hunk.requires, hunk.id) and not hunks.is_in(hunk) then
      local number = number_of(store.key(item.entry, hunk))
      local rejected = hunk.state == "rejected" and ", rejected" or ""
      names[#names + 1] = ("%s(%s)%s"):format(number and number .. " " or "", visible.text(hunk.title), rejected)
    end
  end
  return #names > 0 and { { "needs hunk " .. table.concat(names, ", "), "AgentqHunk" } } or {}
end

--- What the compiler and the tests say of a hunk that waits.
---@param item agentq.review.Item
---@param width integer
---@param number_of? fun(key: string): integer? what stands in the head of a hunk, where that is no head in a file
---@return [string, string][][] rows
function M.told(item, width, number_of)
  local known = proof.known(item)
  local words, group = M.check(item, known)
  -- A head in a file says itself what is well.
  local is_told = words and (number_of or group ~= "AgentqHint")
  local said = is_told and {
    {
      words --[[@as string]],
      group,
    },
  } or {}
  vim.list_extend(said, needs(item, number_of or store.number))
  vim.list_extend(said, known and meaning(item, known) or {})
  local told, colour = tested.told(item.entry)
  vim.list_extend(said, told and { { told, colour } } or {})
  local rows, row, used = {}, {}, 0
  -- Parts share a row while they fit; a long one begins a row and wraps.
  for index, part in ipairs(said) do
    local whole = part[1]
    local text = #whole > MOST_SAID and visible.beginning(whole, MOST_SAID) .. "…" or whole
    local cells = vim.api.nvim_strwidth(visible.text(text))
    if index > 1 and used + 3 + cells > width then
      vim.list_extend(rows, wrap.rows(row, width))
      row, used = {}, 0
    end
    local gap = #row == 0 and "▎" or " · "
    vim.list_extend(row, { { gap, #row == 0 and "AgentqHunk" or "AgentqHint" } })
    vim.list_extend(row, visible.chunks(text, part[2]))
    used = used + vim.api.nvim_strwidth(gap) + cells
  end
  return #row > 0 and vim.list_extend(rows, wrap.rows(row, width)) or rows
end

--- Changes with what the compiler and the tests say of a whole proposal.
---@param entry agentq.review.Entry
---@return string
function M.signature(entry)
  local known = proof.known_of(entry)
  local words = M.check({ entry = entry }, known)
  local so_far = known and known.so_far and checks.so_far(known.so_far)
  return table.concat({ words or "", so_far or "", tested.told(entry) or "" }, "\n")
end

--- Changes with what is said of one hunk and of no other.
---@param item agentq.review.Item
---@return string
function M.item_signature(item)
  local known = proof.known(item)
  local parts = { M.fixes(item) or "" }
  for _, part in ipairs(known and known.without and meaning(item, known) or {}) do
    parts[#parts + 1] = part[1]
  end
  for _, part in ipairs(item.hunk.requires and needs(item, store.number) or {}) do
    parts[#parts + 1] = part[1]
  end
  return table.concat(parts, "\n")
end

--- The errors that go with a hunk, as far as the compiler was asked.
---@param item agentq.review.Item
---@return string? words such as "fixes 1 error"
function M.fixes(item)
  local known, check = proof.known(item), item.entry.proposal.check
  local count = 0
  if known and known.without then
    count = checks.fixed(known.rest, known.without)
  elseif #item.entry.proposal.hunks == 1 and check.state == "done" then
    count = #check.resolved
  end
  return count > 0 and ("fixes %d error%s"):format(count, count == 1 and "" or "s") or nil
end

--- The rows of a header.
---@param item agentq.review.Item
---@param width integer
---@param facts [string, string][]
---@param hints [string, string][]
---@return [string, string][][]
function M.rows(item, width, facts, hints)
  local path = vim.uri_to_fname(item.hunk.uri)
  local position = page.position(item.number, item.total, path, item.of_file, item.in_file)
  local parts = { { position, "AgentqHunk" } }
  local fixed = M.fixes(item)
  if fixed then
    parts[#parts + 1] = { fixed, "AgentqHunk" }
  end
  local is_one = item.hunk.state == "conflict"
  local others = item.conflicts - (is_one and 1 or 0)
  parts[#parts + 1] = is_one and { "in conflict", "AgentqConflict" } or nil
  if others > 0 then
    parts[#parts + 1] = { ("%d other%s in conflict"):format(others, others == 1 and "" or "s"), "AgentqConflict" }
  end
  vim.list_extend(parts, facts)
  vim.list_extend(parts, hints)
  local words, group = M.check(item, proof.known(item))
  if words and group == "AgentqHint" then
    parts[#parts + 1] = { visible.short(words, MOST_SAID), group }
  end
  return vim.list_extend(wrap.parts(parts, " · ", width), M.told(item, width))
end

return M
