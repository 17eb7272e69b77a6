-- A page of a value as lines, with the member that each line shows.
local M = {}

---@class agentq.PageView
---@field lines string[]
---@field members table<integer, agentq.ValueMember> by 1-based line
---@field groups table<integer, string> highlight groups by 1-based line

---@param text string
---@return string
local function one_line(text)
  return (text:gsub("\n", "⏎"))
end

---@param member agentq.ValueMember
---@return string
local function member_line(member)
  local arrow = member.kind == "entry" and " => " or ": "
  local marks = {}
  if member.from then
    marks[#marks + 1] = "of " .. member.from
  end
  if member.hidden then
    marks[#marks + 1] = "hidden"
  end
  local tail = #marks > 0 and ("   (%s)"):format(table.concat(marks, ", ")) or ""
  return ("%s %s%s%s%s"):format(
    member.opens and "▸" or " ",
    one_line(member.name),
    arrow,
    one_line(member.preview),
    tail
  )
end

---@param page agentq.ValuePage
---@param log agentq.Log of its REPL
---@param process? string the program that has the value
---@return agentq.PageView
function M.view(page, log, process)
  local view = { lines = {}, members = {}, groups = {} }
  local function add(line, group)
    view.lines[#view.lines + 1] = line
    view.groups[#view.lines] = group
  end
  local way = { page.value }
  vim.list_extend(way, page.path)
  local where = process and (" · in %s"):format(process) or ""
  add(("%s : %s%s"):format(table.concat(way, " › "), page.type, where), "AgentqHeading")
  if page.source then
    local at = require("agentq.repl.places").find(log, page.source --[[@as agentq.Origin]], process)
    local file = require("agentq.repl.describe").place(log, at.uri)
    add(("  written at %s:%d"):format(file, at.line + 1), "AgentqDetail")
  end
  for _, fact in ipairs(page.facts) do
    add(("  %s: %s"):format(fact.name, one_line(fact.text)), "AgentqDetail")
  end
  -- The page number stands above the members, since a small window would not show it below them.
  if page.pages > 1 then
    local what = page.kind == "string" and "characters" or page.kind == "typedArray" and "rows" or "members"
    add(("  page %d of %d, %d %s (] and [ turn)"):format(page.page, page.pages, page.total, what), "AgentqHint")
  end
  if page.text then
    for _, line in ipairs(vim.split(page.text, "\n", { plain = true })) do
      add(line)
    end
  elseif #page.items == 0 and #page.extras == 0 then
    add("  " .. one_line(page.preview), "AgentqValue")
  end
  for _, list in ipairs({ page.items, page.extras }) do
    for _, member in ipairs(list) do
      add(member_line(member), member.kind == "getter" and "AgentqDetail" or nil)
      view.members[#view.lines] = member
    end
  end
  if not page.complete then
    add("  time was up: some members show … in place of their value", "AgentqWarning")
  end
  return view
end

return M
