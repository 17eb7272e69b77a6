-- What the compiler says of parts of a proposal, in words. On plain tables: nothing is asked here.
local M = {}

---@param count integer
---@param words string with one "%s" for the plural
local function counted(count, words)
  return ("%d " .. words):format(count, count == 1 and "" or "s")
end

---@param lines agentq.DiagnosticLine[]
---@param without agentq.DiagnosticLine[]
---@return agentq.DiagnosticLine[] those of the first list that the second does not have as often
local function only_in(lines, without)
  local function key(line)
    return ("%s %s %s"):format(line.uri or "", line.code or "", line.message)
  end
  local left, found = {}, {}
  for _, line in ipairs(without) do
    left[key(line)] = (left[key(line)] or 0) + 1
  end
  for _, line in ipairs(lines) do
    local count = left[key(line)] or 0
    if count > 0 then
      left[key(line)] = count - 1
    else
      found[#found + 1] = line
    end
  end
  return found
end

--- How many errors go because of a hunk.
---@param with agentq.Check of the hunk and all others that wait
---@param without agentq.Check of the others alone
---@return integer
function M.fixed(with, without)
  return #only_in(with.resolved, without.resolved)
end

--- What it means to leave a hunk out.
---@param with agentq.Check of the hunk and all others that wait
---@param without agentq.Check of the others alone
---@return string? words such as "+1 error if you reject this hunk"; nil where no error comes, stays or goes
---@return agentq.DiagnosticLine? first error that comes in
function M.rejection(with, without)
  local more = only_in(without.introduced, with.introduced)
  local stay = M.fixed(with, without)
  local less = #only_in(with.introduced, without.introduced) + #only_in(without.resolved, with.resolved)
  local parts = {}
  if #more > 0 then
    parts[#parts + 1] = "+" .. counted(#more, "error%s")
  end
  if stay > 0 then
    parts[#parts + 1] = counted(stay, "error%s") .. (stay == 1 and " stays" or " stay")
  end
  if less > 0 then
    parts[#parts + 1] = counted(less, "error%s") .. " less"
  end
  return #parts > 0 and table.concat(parts, ", ") .. " if you reject this hunk" or nil, more[1]
end

--- What stands in the documents by now, in words; nil where that has the errors of before.
---@param check agentq.Check
---@return string? words
---@return boolean is_broken
function M.so_far(check)
  local count = #check.introduced
  if count == 0 and #check.resolved == 0 then
    return nil, false
  end
  local gone = #check.resolved > 0 and (", %d gone"):format(#check.resolved) or ""
  local errors = count == 0 and "no new error" or counted(count, "new error%s")
  return ("accepted so far: %s%s"):format(errors, gone), count > 0
end

return M
