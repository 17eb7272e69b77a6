-- :checkhealth agentq
local client = require("agentq.client")
local config = require("agentq.config")
local skew = require("agentq.skew")
local start = require("agentq.start")

local M = {}

local health = vim.health
local OLDEST_NODE = { 22, 15, 0 }

---@param command string[]
---@return {code: integer, stdout: string, stderr: string}
local function run(command)
  local ok, process = pcall(vim.system, command, { text = true })
  if not ok then
    return { code = -1, stdout = "", stderr = tostring(process) }
  end
  return process:wait(10000)
end

local function check_editor()
  health.start("Editor")
  local version = tostring(vim.version())
  if vim.fn.has("nvim-0.10") == 1 then
    health.ok("Neovim " .. version)
  else
    health.error("Neovim " .. version .. " is too old: 0.10 or newer is needed")
  end
  local problems = config.problems(vim.g.agentq == nil and {} or vim.g.agentq)
  if #problems == 0 then
    health.ok("configuration is understood")
  else
    health.error("vim.g.agentq: " .. table.concat(problems, "; "), "See :help agentq-config")
  end
end

---@return string
local function node_hint()
  local node = config.checkout_node()
  return node and ("Let vim.g.agentq.cmd start with %s, which this checkout brings"):format(node)
    or "Install Node 22.15 or newer; a checkout brings one as node_modules/node/bin/node after `npm install`"
end

local function check_node()
  local found = run({ "node", "--version" })
  local version = vim.version.parse(vim.trim(found.stdout))
  if found.code ~= 0 or not version then
    health.error("node does not run: " .. vim.trim(found.stderr), node_hint())
  elseif vim.version.lt(version, OLDEST_NODE) then
    health.error(("Node %s is too old"):format(version), node_hint())
  else
    health.ok(("Node %s"):format(version))
  end
end

---@return boolean does the program run?
---@return string? version of the program, where it tells one
local function check_server()
  health.start("Server")
  local command = config.command()
  -- A configured program may bring a Node of its own; the one on PATH matters to the others.
  if vim.fs.basename(command[1]) ~= "node" or command[1] == "node" then
    check_node()
  end
  local asked = vim.tbl_filter(function(word)
    return word ~= "--stdio"
  end, command)
  asked[#asked + 1] = "--version"
  local answer = run(asked)
  local shown = table.concat(command, " ")
  if answer.code == 0 then
    health.ok(("%s answers: %s"):format(shown, vim.trim(answer.stdout)))
    return true, skew.version_in(answer.stdout)
  end
  local node = config.checkout_node() or "node"
  local script = node == "node" and "/path/to/agentq/bin/agentq.js"
    or node:gsub("/node_modules/node/bin/node$", "/bin/agentq.js")
  health.error(("%s does not run: %s"):format(shown, vim.trim(answer.stderr .. answer.stdout)), {
    ("Put `agentq` on PATH, or set vim.g.agentq = { cmd = { '%s', '%s', '--stdio' } }"):format(node, script),
    "In a checkout run `npm run build` first",
  })
  return false
end

---@param status agentq.Status
---@param chosen? string the running program that the person's forms go to
local function report_status(status, chosen)
  health.start("TypeScript")
  local typescript = status.typescript
  local name = ("TypeScript %s: %s"):format(typescript.version, typescript.state)
  if typescript.state == "dead" then
    health.error(name .. " — " .. (typescript.reason or "no reason given"))
  elseif typescript.state == "ready" or typescript.state == "notStarted" then
    health.ok(name)
  else
    health.info(name)
  end
  for _, project in ipairs(typescript.projects) do
    health.info(("%s: %d files"):format(project.name, project.files))
  end

  health.start("REPL")
  local repl = status.repl
  health.info(repl.confinementDetail)
  if repl.state == "dead" then
    health.error("the REPL is dead: " .. (repl.reason or "no reason given"), ":AgentQ repl restart")
  else
    health.info(
      ("state %s%s, Node %s"):format(repl.state, repl.locked and ", locked for the agent" or "", repl.nodeVersion)
    )
  end

  if chosen then
    health.info("forms go to " .. chosen)
  end

  local wall = status.wall
  if wall then
    health.start("Level")
    local told = ("%s: %s"):format(wall.level, wall.detail)
    if wall.level == "walled" then
      health.ok(told)
    else
      health.warn(told, wall.missing and { wall.missing } or nil)
    end
  end

  health.start("Model")
  local model = status.model
  if model.ready then
    health.ok(("%s at %s"):format(model.model, model.baseUrl))
  else
    health.warn(("%s at %s is not ready: %s"):format(model.model, model.baseUrl, model.reason or "no reason given"), {
      "Set ANTHROPIC_API_KEY in the environment Neovim is started from",
      "or point ANTHROPIC_BASE_URL at a local server that speaks the Messages API",
      "Tools, review and :AgentQ eval work without a model",
    })
  end
end

---@param installed string? the version of the program that starts servers
local function check_client(installed)
  health.start("Client")
  local clients = vim.lsp.get_clients({ name = client.name })
  if #clients == 0 then
    health.info("no server is running for this editor; :AgentQ starts that of the project")
    return
  end
  for _, connection in ipairs(clients) do
    local root = connection.config.root_dir or "no folder"
    health.ok(("serving %s, %d buffer(s) attached"):format(root, vim.tbl_count(connection.attached_buffers)))
    local answered, status, problem = false, nil, nil
    start.when_ready(connection, function()
      client.request(connection, "agentq/status", {}, function(err, result)
        answered, problem, status = true, err, result
      end)
    end)
    vim.wait(10000, function()
      return answered
    end, 10)
    if status then
      for _, found in ipairs(skew.find(connection, status.version, installed)) do
        health.warn(found.words, found.advice)
      end
      report_status(status, require("agentq.repl.process").words(require("agentq.repl.logs").known(connection.id)))
    else
      health.error("the server does not answer agentq/status: " .. (problem and problem.message or "10 s passed"))
    end
  end
end

function M.check()
  check_editor()
  local runs, installed = check_server()
  if runs then
    check_client(installed)
  end
end

return M
