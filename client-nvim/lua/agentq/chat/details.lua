-- The lines below the head of a block, shown only while the person has the block open.
local hunks = require("agentq.review.hunks")
local visible = require("agentq.review.visible")

local M = {}

local MARK = "│ "

--- What becomes of a hunk that nobody decided about, by the state of its proposal.
local WAITS = { pending = "waits for your decision", withdrawn = "withdrawn" }

--- Adds the lines of a text. Of a text that is too long the end matters as much as the beginning: that is where a
--- failure stands.
---@param lines string[]
---@param text string
---@param limit integer
function M.add(lines, text, limit)
  M.add_lines(lines, vim.split((text:gsub("\r\n?", "\n")), "\n", { plain = true }), limit)
end

---@param lines string[]
---@param all string[] lines of a text
---@param limit integer
---@param sign? string before each of them
function M.add_lines(lines, all, limit, sign)
  local cut = #all - limit
  local tail = cut > 0 and math.floor(limit / 4) or 0
  for index, line in ipairs(all) do
    if cut <= 0 or index <= limit - tail or index > #all - tail then
      lines[#lines + 1] = MARK .. (sign or "") .. line
    elseif index == limit - tail + 1 then
      lines[#lines + 1] = ("%s… %d lines are left out here …"):format(MARK, cut)
    end
  end
end

--- Adds a line that is part of no text.
---@param lines string[]
---@param line string
function M.head(lines, line)
  lines[#lines + 1] = MARK .. line
end

--- Adds the lines that go and those that come.
---@param lines string[]
---@param groups table<integer, string> filled with the highlight groups by index of the lines
---@param old string[]
---@param new string[]
---@param limit integer of each side
local function add_sides(lines, groups, old, new, limit)
  for _, side in ipairs({ { old, "- ", "AgentqDelete" }, { new, "+ ", "AgentqAdd" } }) do
    local first = #lines + 1
    M.add_lines(lines, vim.tbl_map(visible.text, side[1]), limit, side[2])
    for index = first, #lines do
      groups[index] = side[3]
    end
  end
end

--- Adds edits as a model wrote them, of which no proposal is known.
---@param lines string[]
---@param groups table<integer, string> filled with the highlight groups by index of the lines
---@param edits table[]
---@param limit integer of each side of an edit
function M.add_edits(lines, groups, edits, limit)
  local function rows(text)
    return type(text) == "string" and vim.split(text, "\n", { plain = true }) or {}
  end
  for _, edit in ipairs(edits) do
    M.head(lines, visible.text(("%s %s"):format(edit.op or "edit", edit.path or edit.symbol or "")))
    groups[#lines] = "AgentqHunk"
    add_sides(lines, groups, rows(edit.original), rows(edit.modified), limit)
  end
end

--- Adds the hunks of a proposal with what became of each.
---@param lines string[]
---@param proposal agentq.Proposal
---@param limit integer of each side of a hunk
---@return table<integer, string> groups highlight groups by index of the lines
function M.add_hunks(lines, proposal, limit)
  local groups = {}
  M.add(lines, visible.text(proposal.why), limit)
  for _, hunk in ipairs(proposal.hunks) do
    M.head(
      lines,
      ("%s · %s"):format(visible.text(hunk.title), hunks.state_words(hunk) or WAITS[proposal.state] or "?")
    )
    groups[#lines] = "AgentqHunk"
    local old, new = hunks.sides(hunk)
    add_sides(lines, groups, old, new, limit)
  end
  return groups
end

--- A line of the transcript with a text below it.
---@param id string
---@param head string
---@param hl string
---@param text fun(): string
---@return agentq.chat.Op
function M.block(id, head, hl, text)
  local function lines()
    local shown = {}
    M.add(shown, text(), math.huge)
    return shown
  end
  return { kind = "block", id = id, head = head, hl = hl, details = lines }
end

return M
