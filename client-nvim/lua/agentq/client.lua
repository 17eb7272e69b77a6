-- The vim.lsp client: where it starts, what it announces, how requests leave it, and who hears of its end.
local compat = require("agentq.compat")
local config = require("agentq.config")
local project = require("agentq.project")
local say = require("agentq.say")
local wire = require("agentq.wire")

local M = {}

M.name = "agentq"

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
  capabilities.experimental = vim.tbl_extend("force", capabilities.experimental or {}, {
    agentq = { version = 1, proposals = true, approvals = true, buffers = true },
  })
  return {
    name = M.name,
    cmd = start(how),
    capabilities = capabilities,
    init_options = vim.tbl_extend("keep", config.get().init_options, { languageFeatures = "off" }),
    handlers = require("agentq.handlers").table(),
    commands = require("agentq.handlers").commands(),
    on_init = function(client)
      require("agentq.repl.state").on_start(client)
      vim.schedule(function()
        require("agentq.sync").attach_open(client)
      end)
    end,
    on_exit = function(_, _, client_id)
      vim.schedule(function()
        require("agentq.handlers").on_exit(client_id, how.code, how.signal)
      end)
    end,
  }
end

---@type table<integer, true> clients that were asked to end: what is asked now is for the one that comes
local ending = {}

---@param client vim.lsp.Client
---@param wanted vim.lsp.ClientConfig
local function same_root(client, wanted)
  local lives = not client:is_stopped() and not ending[client.id]
  return client.name == M.name and lives and client.config.root_dir == wanted.root_dir
end

--- Whether somebody asked that the server ends.
---@param client_id integer
---@return boolean
function M.is_ending(client_id)
  return ending[client_id] == true
end

--- Neovim lists a server a little longer than the server lives.
---@return vim.lsp.Client[]
local function living()
  return vim.tbl_filter(function(client)
    return not ending[client.id] and not client:is_stopped()
  end, vim.lsp.get_clients({ name = M.name }))
end

--- The server of a project, where one runs.
---@param root? string
---@return vim.lsp.Client?
function M.of_root(root)
  for _, client in ipairs(living()) do
    if client.config.root_dir == root then
      return client
    end
  end
end

--- A source file was opened. It joins the server of its project; none is started for it before somebody asks the agent
--- for something, unless the server is the language server too.
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
  end
  local root, is_project = project.root(bufnr)
  if starts and is_project or M.of_root(root) then
    M.attach(bufnr)
  end
end

--- Starts the server of this buffer's project, or joins the one that runs. Other buffers than files are left alone.
---@param bufnr integer
---@return integer? client_id
function M.attach(bufnr)
  if not vim.api.nvim_buf_is_valid(bufnr) or not project.is_file(bufnr) or vim.api.nvim_buf_get_name(bufnr) == "" then
    return nil
  end
  local options = M.config()
  options.root_dir = project.root(bufnr)
  return vim.lsp.start(options, { bufnr = bufnr, reuse_client = same_root })
end

--- The client that a command given in `bufnr` speaks to: the buffer's own, else the one of the chat or of the last
--- use, else the only one that runs. A source file's server may be starting; another project's is not meant then.
---@param bufnr? integer
---@return vim.lsp.Client?
function M.current(bufnr)
  bufnr = (bufnr == nil or bufnr == 0) and vim.api.nvim_get_current_buf() or bufnr
  local clients = living()
  for _, client in ipairs(clients) do
    if client.attached_buffers[bufnr] or client.id == vim.b[bufnr].agentq_client then
      return client
    end
  end
  local same = M.of_root((project.root(bufnr)))
  if same then
    return same
  end
  local is_of_project = project.is_source(bufnr) or vim.b[bufnr].agentq_root ~= nil
  return #clients == 1 and not is_of_project and clients[1] or nil
end

--- Those of a list that are of the current buffer's project, then the others; else in their order.
---@generic T: {client_id: integer}
---@param entries T[]
---@return T[]
function M.ours_first(entries)
  local current = M.current()
  local ours, others = {}, {}
  for _, entry in ipairs(entries) do
    table.insert(current and entry.client_id == current.id and ours or others, entry)
  end
  return vim.list_extend(ours, others)
end

--- The client of a buffer without a look at the disk, for status lines; nil where it takes more to tell.
---@param bufnr integer
---@return vim.lsp.Client?
function M.near(bufnr)
  local clients = vim.lsp.get_clients({ name = M.name })
  for _, client in ipairs(clients) do
    local root = vim.b[bufnr].agentq_root
    local is_tied = client.id == vim.b[bufnr].agentq_client or root ~= nil and client.config.root_dir == root
    if client.attached_buffers[bufnr] or is_tied then
      return client
    end
  end
  return #clients == 1 and clients[1] or nil
end

---@type table<string, integer> by folder: a server that is starting is in no list yet
local detached = {}

--- Starts the server of a folder without a buffer of its files.
---@param root string?
---@return integer? client_id
local function start_detached(root)
  local options = M.config()
  options.root_dir = root
  local known = vim.lsp.get_client_by_id(detached[root or ""] or -1)
  if known and same_root(known, options) then
    return known.id
  end
  local id = compat.start_client(options, same_root)
  detached[root or ""] = id
  return id
end

local NOT_STARTED = "the server did not start; :checkhealth agentq says why"

--- Calls `use` with the client of the current buffer, starting it when none runs.
---@param use fun(client: vim.lsp.Client)
function M.with_client(use)
  local client = M.current()
  if client == nil then
    local bufnr = vim.api.nvim_get_current_buf()
    local id = M.attach(bufnr) or start_detached((project.root(bufnr)))
    client = id and vim.lsp.get_client_by_id(id) or nil
  end
  if client == nil then
    return say.error(NOT_STARTED)
  end
  M.when_ready(client, use, say.error)
end

--- Calls `use` with the client of a project, starting it when none runs.
---@param root string
---@param use fun(client: vim.lsp.Client)
---@param refuse fun(why: string) called instead when there is none
function M.with_root(root, use, refuse)
  local client = M.of_root(root)
  if client == nil then
    local id = start_detached(root)
    client = id and vim.lsp.get_client_by_id(id) or nil
  end
  if client == nil then
    return refuse(NOT_STARTED)
  end
  M.when_ready(client, use, refuse)
end

--- Requests sent before `initialize` was answered would be refused, so they wait for it.
---@param client vim.lsp.Client
---@param use fun(client: vim.lsp.Client)
---@param refuse? fun(why: string)
function M.when_ready(client, use, refuse)
  if client.initialized then
    return use(client)
  end
  refuse = refuse or say.error
  local waited = vim.uv.now()
  local function look()
    if client.initialized then
      use(client)
    elseif client:is_stopped() then
      refuse("the server stopped while starting; :checkhealth agentq")
    elseif vim.uv.now() - waited > 15000 then
      refuse("the server did not answer initialize within 15 s")
    else
      vim.defer_fn(look, 10)
    end
  end
  look()
end

--- Sends a request. Edits of `bufnr` that vim.lsp still holds back are sent first.
---@param client vim.lsp.Client
---@param method string
---@param params table
---@param callback fun(err: lsp.ResponseError?, result: any)
---@param bufnr? integer
---@return integer? request_id
function M.request(client, method, params, callback, bufnr)
  local body = next(params) == nil and vim.empty_dict() or params
  local function handler(err, result)
    callback(err, wire.without_null(result))
  end
  -- Neovim 0.10 knows held back edits by the buffer's own number only.
  if bufnr == 0 then
    bufnr = vim.api.nvim_get_current_buf()
  end
  local sent, id = compat.request(client, method, body, handler, bufnr)
  if not sent then
    callback({ code = -32099, message = "the AgentQ server is not running" }, nil)
  end
  return id
end

---@type fun(client_id: integer)[]
local listeners = {}

--- Every feature that keeps something for a server forgets it when the server has ended.
---@param forget fun(client_id: integer)
function M.on_exit(forget)
  listeners[#listeners + 1] = forget
end

---@param client_id integer
function M.ended(client_id)
  for _, forget in ipairs(listeners) do
    forget(client_id)
  end
end

--- A new process for the same project; its buffers come along.
---@param client vim.lsp.Client
function M.restart(client)
  local buffers = vim.tbl_keys(client.attached_buffers)
  local root = client.config.root_dir
  local asked = vim.uv.now()
  ending[client.id] = true
  client:stop()
  local function again()
    if client:is_stopped() then
      M.with_root(root, function(successor)
        for _, bufnr in ipairs(vim.tbl_filter(vim.api.nvim_buf_is_loaded, buffers)) do
          vim.lsp.buf_attach_client(bufnr, successor.id)
        end
      end, say.error)
      return
    end
    if vim.uv.now() - asked > 2000 then
      client:stop(true)
    end
    vim.defer_fn(again, 20)
  end
  again()
end

return M
