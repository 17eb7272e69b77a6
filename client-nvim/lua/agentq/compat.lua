-- Calls that Neovim 0.10 takes in another form than 0.11 and newer. No other file asks for the version of Neovim,
-- except the gate in plugin/agentq.lua and the report of health.lua.
local M = {}

local is_old = vim.fn.has("nvim-0.11") == 0

--- Starts a client without a buffer of its own, or answers one that `reuse` takes.
---@param options vim.lsp.ClientConfig
---@param reuse fun(client: vim.lsp.Client, options: vim.lsp.ClientConfig): boolean
---@return integer? client_id
function M.start_client(options, reuse)
  if is_old then
    ---@diagnostic disable-next-line: deprecated
    return vim.lsp.start_client(options)
  end
  return vim.lsp.start(options, { attach = false, reuse_client = reuse })
end

---@param client vim.lsp.Client
---@param method string
---@param params table
---@param handler lsp.Handler
---@param bufnr? integer
---@return boolean sent
---@return integer? request_id
function M.request(client, method, params, handler, bufnr)
  if is_old then
    ---@diagnostic disable-next-line: param-type-mismatch -- the methods of 0.10 get no client
    return client.request(method, params, handler, bufnr)
  end
  return client:request(method, params, handler, bufnr)
end

--- Waits for the answer.
---@param client vim.lsp.Client
---@param method string
---@param params table
---@param timeout_ms integer
---@return {err: lsp.ResponseError?, result: any}? answer
---@return string? err what kept the request from being answered
function M.request_sync(client, method, params, timeout_ms)
  if is_old then
    ---@diagnostic disable-next-line: param-type-mismatch -- the methods of 0.10 get no client
    return client.request_sync(method, params, timeout_ms)
  end
  return client:request_sync(method, params, timeout_ms)
end

---@param client vim.lsp.Client
---@param method string
---@param params table
function M.notify(client, method, params)
  if is_old then
    ---@diagnostic disable-next-line: param-type-mismatch -- the methods of 0.10 get no client
    client.notify(method, params)
  else
    client:notify(method, params)
  end
end

--- How many UTF-16 units stand before a byte of a line.
---@param line string
---@param byte integer
---@return integer
function M.units(line, byte)
  if is_old then
    ---@diagnostic disable-next-line: param-type-mismatch -- as 0.10 knows the function
    return (select(2, vim.str_utfindex(line, math.min(byte, #line))))
  end
  return vim.str_utfindex(line, "utf-16", byte, false)
end

--- Byte index of a position's character in its line; past the end of the line means its end.
---@param line string
---@param character integer
---@param encoding "utf-8"|"utf-16"|"utf-32"
---@return integer
function M.byte_index(line, character, encoding)
  if encoding == "utf-8" then
    return math.min(character, #line)
  end
  local ok, index
  if is_old then
    ok, index = pcall(vim.str_byteindex, line, character, encoding == "utf-16")
  else
    ok, index = pcall(vim.str_byteindex, line, encoding, character, false)
  end
  return ok and index or #line
end

return M
