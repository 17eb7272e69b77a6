-- Where a server starts, what the editor announces to it, and who waits until it is ready.
local client = require("agentq.client")
local compat = require("agentq.compat")
local config = require("agentq.config")
local project = require("agentq.project")
local say = require("agentq.say")
local sync = require("agentq.sync")

local M = {}

--- Whether any server was started in this editor.
local has_begun = false

--- Starts the server. Neovim hears of an orderly end however the server ends: its own message about another one waits
--- for Enter on a narrow screen, and names neither what is lost nor what to type, as the message of chats.lua does.
---@param how {code: integer, signal: integer} filled when the server has ended
---@return fun(dispatchers: vim.lsp.rpc.Dispatchers): vim.lsp.rpc.PublicClient
local function start(how)
  return function(dispatchers)
    local own = vim.tbl_extend("force", dispatchers, {
      on_exit = function(code, signal)
        how.code, how.signal = code, signal
        dispatchers.on_exit(0, 0)
      end,
    })
    return vim.lsp.rpc.start(config.command(), own, { env = config.get().cmd_env })
  end
end

--- The client configuration, for vim.lsp.start and for lsp/agentq.lua alike.
---@return vim.lsp.ClientConfig
function M.config()
  has_begun = true
  local how = { code = 0, signal = 0 }
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  capabilities.experimental = vim.tbl_extend("force", capabilities.experimental --[[@as table?]] or {}, {
    agentq = { version = 1, proposals = true, approvals = true, buffers = true, hunkChanges = true },
  })
  return {
    name = client.name,
    cmd = start(how),
    capabilities = capabilities,
    init_options = vim.tbl_extend("keep", config.get().init_options, { languageFeatures = "off" }),
    handlers = require("agentq.handlers").table(),
    commands = require("agentq.handlers").commands(),
    on_init = function(connection)
      require("agentq.handlers").on_start(connection)
      vim.schedule(function()
        sync.attach_open(connection)
      end)
    end,
    on_attach = function(_, bufnr)
      sync.clear_options(bufnr)
    end,
    on_exit = function(_, _, client_id)
      vim.schedule(function()
        require("agentq.handlers").on_exit(client_id, how.code, how.signal)
      end)
    end,
  }
end

---@param connection vim.lsp.Client
---@param wanted vim.lsp.ClientConfig
local function same_root(connection, wanted)
  local lives = not connection:is_stopped() and not client.is_ending(connection.id)
  return connection.name == client.name and lives and connection.config.root_dir == wanted.root_dir
end

---@type table<string, integer> by folder: a server that is starting is in no list yet
local started = {}

--- A buffer came, or is of another kind or name. What is a file joins the server of its project; none is started for it
--- before somebody asks the agent for something, unless the server is the language server too and the file is a source.
---@param bufnr integer
function M.on_file(bufnr)
  local options = config.get()
  local starts = options.auto_start
  if starts == nil then
    starts = options.init_options.languageFeatures == "on"
  end
  -- Neovim's client is not even loaded for one who does not use the agent.
  if not starts and not has_begun then
    return
  elseif not sync.takes(bufnr) then
    return sync.leave(bufnr)
  end
  local root, is_project = client.root(bufnr)
  if starts and is_project and project.is_source(bufnr) or client.of_root(root) then
    M.attach(bufnr)
  end
end

--- Starts the server of this buffer's project, or joins the one that runs. Other buffers than files are left alone.
---@param bufnr integer
---@return integer? client_id
function M.attach(bufnr)
  if not vim.api.nvim_buf_is_valid(bufnr) or not project.is_named_file(bufnr) then
    return nil
  end
  sync.keep_options(bufnr)
  local options = M.config()
  options.root_dir = client.root(bufnr)
  local id = vim.lsp.start(options, { bufnr = bufnr, reuse_client = same_root })
  started[options.root_dir or ""] = id
  return id
end

--- Starts the server of a folder without a buffer of its files.
---@param root string?
---@return integer? client_id
local function start_detached(root)
  local options = M.config()
  options.root_dir = root
  local known = vim.lsp.get_client_by_id(started[root or ""] or -1)
  if known and same_root(known, options) then
    return known.id
  end
  local id = compat.start_client(options, same_root)
  started[root or ""] = id
  return id
end

local NOT_STARTED = "the server did not start; :checkhealth agentq says why"

--- The client of the current buffer, started when none runs: nothing waits for its answer here.
---@return vim.lsp.Client?
function M.client()
  local connection = client.current()
  if connection == nil and vim.g.agentq_is_building then
    return say.warn("the server is being built; a message tells when that has ended")
  elseif connection == nil then
    local bufnr = vim.api.nvim_get_current_buf()
    local id = M.attach(bufnr) or start_detached((client.root(bufnr)))
    connection = id and vim.lsp.get_client_by_id(id) or nil
  end
  if connection == nil then
    say.error(NOT_STARTED)
  end
  return connection
end

--- Calls `use` with the client of the current buffer, starting it when none runs.
---@param use fun(client: vim.lsp.Client)
function M.with_client(use)
  local connection = M.client()
  if connection then
    M.when_ready(connection, use, say.error)
  end
end

--- Calls `use` with the client of a project, starting it when none runs.
---@param root string
---@param use fun(client: vim.lsp.Client)
---@param refuse fun(why: string) called instead when there is none
function M.with_root(root, use, refuse)
  local connection = client.of_root(root)
  if connection == nil then
    local id = start_detached(root)
    connection = id and vim.lsp.get_client_by_id(id) or nil
  end
  if connection == nil then
    return refuse(NOT_STARTED)
  end
  M.when_ready(connection, use, refuse)
end

---@class agentq.Waiter
---@field use fun(client: vim.lsp.Client)
---@field refuse fun(why: string)

---@type table<integer, agentq.Waiter[]> by client, in the order in which they came
local waiters = {}

--- Looks until the server has answered or will not, then tells all who wait.
---@param connection vim.lsp.Client
---@param since integer
local function look(connection, since)
  local why
  if connection:is_stopped() then
    why = "the server stopped while starting; :checkhealth agentq"
  elseif not connection.initialized and vim.uv.now() - since > 15000 then
    why = "the server did not answer initialize within 15 s"
  elseif not connection.initialized then
    return vim.defer_fn(function()
      look(connection, since)
    end, 10)
  end
  local told = waiters[connection.id]
  waiters[connection.id] = nil
  for _, waiter in ipairs(told) do
    if why then
      waiter.refuse(why)
    else
      waiter.use(connection)
    end
  end
end

--- Requests sent before `initialize` was answered would be refused, so they wait for it.
---@param connection vim.lsp.Client
---@param use fun(client: vim.lsp.Client)
---@param refuse? fun(why: string)
function M.when_ready(connection, use, refuse)
  local known = waiters[connection.id]
  if connection.initialized and not known then
    return use(connection)
  end
  waiters[connection.id] = known or {}
  table.insert(waiters[connection.id], { use = use, refuse = refuse or say.error })
  if not known then
    look(connection, vim.uv.now())
  end
end

--- A new process for the same project; its buffers come along.
---@param connection vim.lsp.Client
---@param done fun() called when the process answers
function M.restart(connection, done)
  local buffers = vim.tbl_keys(connection.attached_buffers)
  local root = connection.config.root_dir --[[@as string]]
  local asked = vim.uv.now()
  client.end_soon(connection)
  local function again()
    if connection:is_stopped() then
      M.with_root(root, function(successor)
        for _, bufnr in ipairs(vim.tbl_filter(vim.api.nvim_buf_is_loaded, buffers)) do
          vim.lsp.buf_attach_client(bufnr, successor.id)
        end
        done()
      end, say.error)
      return
    end
    if vim.uv.now() - asked > 2000 then
      connection:stop(true)
    end
    vim.defer_fn(again, 20)
  end
  again()
end

return M
