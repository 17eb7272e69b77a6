-- Measures a review in this Neovim, whose 'runtimepath' has the client: `_G.bench` is { folder, files, hunks, rounds,
-- plugin, result }. Prints nothing; writes milliseconds as JSON into the file `result`.
local bench = _G.bench

local function uri_of(file)
  return vim.uri_from_fname(("%s/file%03d.ts"):format(bench.folder, file))
end

---@return agentq.Proposal
local function proposal()
  local hunks, documents, edits, annotations = {}, {}, {}, {}
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
    local hunk = hunks[#hunks]
    edits[#edits + 1] = {
      textDocument = { uri = hunk.uri, version = vim.NIL },
      edits = { { range = hunk.range, newText = hunk.newText, annotationId = hunk.id } },
    }
    annotations[hunk.id] = { label = hunk.id, needsConfirmation = true }
  end
  for file = 0, bench.files - 1 do
    documents[#documents + 1] = { uri = uri_of(file), version = vim.NIL, sha256 = "" }
  end
  return {
    proposalId = "p1",
    title = "Change values",
    why = "for the measure",
    edit = { documentChanges = edits, changeAnnotations = annotations },
    documents = documents,
    hunks = hunks,
    check = { state = "unavailable" },
    state = "pending",
  }
end

local made = proposal()

--- Nanoseconds that went into what only the server does.
local serving = 0

--- The news come as JSON, as over the wire.
---@param dispatchers vim.lsp.rpc.Dispatchers
---@param hunks agentq.Hunk[] that changed
local function tell(dispatchers, hunks)
  local began = vim.uv.hrtime()
  local news =
    { proposalId = made.proposalId, hunks = hunks, documents = made.documents, check = made.check, state = made.state }
  local text = vim.json.encode(news)
  serving = serving + vim.uv.hrtime() - began
  dispatchers.notification("agentq/hunksChanged", vim.json.decode(text))
end

--- What a server answers to a decision: the edit, after the news of the proposal.
---@param params agentq.DecideParams
---@param dispatchers vim.lsp.rpc.Dispatchers
local function decide(params, dispatchers)
  local changes, decided = {}, {}
  for _, decision in ipairs(params.hunks) do
    for _, hunk in ipairs(made.hunks) do
      if hunk.id == decision.id then
        hunk.state = decision.decision == "accept" and "accepted" or "rejected"
        decided[#decided + 1] = hunk
        changes[#changes + 1] = hunk.state == "accepted"
            and {
              textDocument = { uri = hunk.uri, version = vim.NIL },
              edits = { { range = hunk.range, newText = hunk.newText } },
            }
          or nil
      end
    end
  end
  tell(dispatchers, decided)
  return { conflicts = {}, edit = #changes > 0 and { documentChanges = changes } or nil }
end

--- A server that answers decisions at once, so that what is measured is the client's own work.
---@param dispatchers vim.lsp.rpc.Dispatchers
local function prompt_server(dispatchers)
  local closing = false
  local answers = {
    initialize = function()
      return { capabilities = { textDocumentSync = 2 } }
    end,
    ["agentq/decide"] = function(params)
      return decide(params, dispatchers)
    end,
    ["agentq/didApply"] = function()
      tell(dispatchers, {})
      return { verified = true, mismatched = {} }
    end,
  }
  return {
    request = function(method, params, callback)
      if method == "initialize" then
        callback(nil, answers.initialize())
      elseif answers[method] then
        vim.schedule(function()
          callback(nil, answers[method](params))
        end)
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

---@param work fun()
---@return number milliseconds until everything is drawn
local function timed(work)
  local began = vim.uv.hrtime()
  serving = 0
  work()
  vim.cmd.redraw()
  return (vim.uv.hrtime() - began - serving) / 1e6
end

local function measure()
  -- Half of the files are open, as after a search for places.
  for file = 0, math.ceil(bench.files / 2) - 1 do
    vim.cmd.edit(vim.fn.fnameescape(vim.uri_to_fname(uri_of(file))))
  end
  local client_id = vim.lsp.start({
    name = "agentq",
    cmd = prompt_server,
    root_dir = bench.folder,
    handlers = require("agentq.handlers").table(),
  })
  local arrivals, navigate = require("agentq.review.arrivals"), require("agentq.review.navigate")
  local actions, decisions = require("agentq.review.actions"), require("agentq.review.decide")
  local figures = { next = {}, accepted = {}, scrolled = {} }
  figures.arrival = { timed(function()
    arrivals.on_proposal(client_id, vim.deepcopy(made))
  end) }
  for _ = 1, bench.rounds do
    table.insert(
      figures.next,
      timed(function()
        navigate.move(1)
      end)
    )
    table.insert(
      figures.scrolled,
      timed(function()
        vim.cmd.normal({ vim.keycode("<C-e>"), bang = true })
      end)
    )
    navigate.move(1)
    table.insert(
      figures.accepted,
      timed(function()
        actions.accept()
        vim.wait(5000, function()
          return not decisions.in_flight()
        end, 0)
      end)
    )
  end
  return figures
end

vim.notify = function() end
vim.cmd.source(vim.fn.fnameescape(bench.plugin))
local ok, figures = xpcall(measure, debug.traceback)
local file = assert(io.open(bench.result, "w"))
file:write(vim.json.encode(ok and figures or { failed = figures }))
file:close()
vim.cmd("qa!")
