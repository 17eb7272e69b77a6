-- Measures a review in this Neovim, whose 'runtimepath' has the client: `_G.bench` is { folder, files, hunks, rounds,
-- result }. Prints nothing; writes milliseconds as JSON into the file `result`.
local bench = _G.bench

--- A server that takes everything and answers nothing, so that what is measured is the client's own work.
local function silent_server()
  local closing = false
  return {
    request = function(method, _, callback)
      if method == "initialize" then
        callback(nil, { capabilities = { textDocumentSync = 2 } })
      end
      return true, 1
    end,
    notify = function()
      return true
    end,
    is_closing = function()
      return closing
    end,
    terminate = function()
      closing = true
    end,
  }
end

local function uri_of(file)
  return vim.uri_from_fname(("%s/file%03d.ts"):format(bench.folder, file))
end

---@return agentq.Proposal
local function proposal()
  local hunks, documents = {}, {}
  for index = 0, bench.hunks - 1 do
    local file, line = index % bench.files, math.floor(index / bench.files) * 10
    hunks[#hunks + 1] = {
      id = "h" .. index + 1,
      uri = uri_of(file),
      kind = "edit",
      state = "pending",
      range = { start = { line = line, character = 0 }, ["end"] = { line = line + 1, character = 0 } },
      oldText = ("export const value%d = 1;\n"):format(line),
      newText = ("export const value%d = 2;\n"):format(line),
    }
  end
  for file = 0, bench.files - 1 do
    documents[#documents + 1] = { uri = uri_of(file), version = vim.NIL, sha256 = "" }
  end
  return {
    proposalId = "p1",
    title = "Change values",
    why = "for the measure",
    edit = {},
    documents = documents,
    hunks = hunks,
    check = { state = "unavailable" },
    state = "pending",
  }
end

---@param work fun()
---@return number milliseconds until everything is drawn
local function timed(work)
  local began = vim.uv.hrtime()
  work()
  vim.cmd.redraw()
  return (vim.uv.hrtime() - began) / 1e6
end

vim.notify = function() end
-- Half of the files are open, as after a search for places.
for file = 0, math.ceil(bench.files / 2) - 1 do
  vim.cmd.edit(vim.fn.fnameescape(vim.uri_to_fname(uri_of(file))))
end
local client_id = vim.lsp.start({ name = "agentq", cmd = silent_server, root_dir = bench.folder })
local made = proposal()
local review, navigate = require("agentq.review.review"), require("agentq.review.navigate")
local figures = { next = {}, decided = {} }
figures.arrival = { timed(function()
  review.on_proposal(client_id, made)
end) }
for round = 1, bench.rounds do
  table.insert(figures.next, timed(function()
    navigate.move(1)
  end))
  made.hunks[round].state = "rejected"
  table.insert(figures.decided, timed(function()
    review.on_changed(client_id, made)
    navigate.go_on(require("agentq.review.store").get("p1"))
  end))
end
local file = assert(io.open(bench.result, "w"))
file:write(vim.json.encode(figures))
file:close()
vim.cmd("qa!")
