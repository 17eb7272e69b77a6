-- The editor's buffers for the agent: their names and texts, also of those that text sync does not carry. The server
-- decides which of them may be read.
local M = {}

--- Longer lines are cut: a terminal or a minified file may have a line without an end.
local MAX_LINE = 5000

--- Neovim keeps its messages in no buffer.
local MESSAGES = ":messages"

--- What the client itself shows: the agent knows all of it.
---@param bufnr integer
---@return boolean
local function is_own(bufnr)
  local is_tied = vim.b[bufnr].agentq_root ~= nil or vim.b[bufnr].agentq_client ~= nil
  return is_tied or vim.startswith(vim.api.nvim_buf_get_name(bufnr), "agentq://")
end

---@return integer[]
local function shown()
  return vim.tbl_filter(function(bufnr)
    return vim.api.nvim_buf_is_loaded(bufnr) and not is_own(bufnr)
  end, vim.api.nvim_list_bufs())
end

--- The buffer of the window that the person was in last, of those that are told of.
---@param buffers integer[]
---@return integer?
local function current(buffers)
  local window = require("agentq.person").window(function(bufnr)
    return vim.list_contains(buffers, bufnr)
  end)
  return window and vim.api.nvim_win_get_buf(window)
end

---@param bufnr integer
---@return string
local function kind_of(bufnr)
  local buftype = vim.bo[bufnr].buftype
  if buftype ~= "" and buftype ~= "nofile" and buftype ~= "acwrite" and buftype ~= "nowrite" then
    return buftype
  end
  return vim.bo[bufnr].filetype ~= "" and vim.bo[bufnr].filetype or buftype
end

--- The file that a buffer shows or writes. What a plugin shows is its own, whatever it is called: Neovim makes a path of
--- every name.
---@param bufnr integer
---@return string?
local function uri_of(bufnr)
  local name = vim.api.nvim_buf_get_name(bufnr)
  if name == "" or vim.bo[bufnr].buftype ~= "" then
    return nil
  end
  return name:match("^%a[%w+.-]*://") and name or vim.uri_from_fname(name)
end

--- A name without the folder that Neovim put before it, unless it is that of a file, which may be one that is never read.
---@param path string
---@return string
local function as_given(path)
  local stat = vim.uv.fs_stat(path)
  if path:match("^%a[%w+.-]*://") or stat and stat.type ~= "directory" then
    return path
  end
  local below = vim.fn.fnamemodify(path, ":.")
  return below ~= path and below or vim.fs.basename(path)
end

---@param bufnr integer
---@return string
local function name_of(bufnr)
  local name, buftype = vim.api.nvim_buf_get_name(bufnr), vim.bo[bufnr].buftype
  if buftype == "help" then
    return "help " .. vim.fs.basename(name)
  end
  if buftype == "quickfix" then
    return ("[Quickfix %d]"):format(bufnr)
  end
  if name == "" then
    return ("[No Name %d]"):format(bufnr)
  end
  return buftype == "" and name or as_given(name)
end

---@param bufnr integer
---@param here? integer
---@return agentq.EditorBuffer
local function describe(bufnr, here)
  return {
    id = tostring(bufnr),
    name = name_of(bufnr),
    kind = kind_of(bufnr),
    uri = uri_of(bufnr),
    lines = vim.api.nvim_buf_line_count(bufnr),
    modified = vim.bo[bufnr].modified,
    isCurrent = bufnr == here,
    isVisible = #vim.fn.win_findbuf(bufnr) > 0,
  }
end

---@return string[]
local function messages()
  return vim.split(vim.trim(vim.fn.execute("messages")), "\n")
end

---@param lines string[]
---@return agentq.EditorBuffer
local function describe_messages(lines)
  return { id = MESSAGES, name = MESSAGES, kind = "messages", lines = #lines }
end

---@return agentq.EditorBuffers
function M.list()
  local buffers = shown()
  local here = current(buffers)
  local found = vim.tbl_map(function(bufnr)
    return describe(bufnr, here)
  end, buffers)
  found[#found + 1] = describe_messages(messages())
  return { buffers = found }
end

---@param lines string[]
---@return string[]
local function cut(lines)
  return vim.tbl_map(function(line)
    -- Neovim keeps a NUL of the text as a line break.
    line = line:gsub("\n", "\0")
    return #line > MAX_LINE and line:sub(1, MAX_LINE) .. "…" or line
  end, lines)
end

--- Some lines, counted from 0, the last one exclusive; nil where there is no such buffer.
---@param params agentq.ReadBufferParams
---@return agentq.BufferText?
function M.read(params)
  if params.id == MESSAGES then
    local lines = messages()
    local some = vim.list_slice(lines, params.start + 1, params["end"])
    return { buffer = describe_messages(lines), version = #lines, lines = cut(some) }
  end
  local bufnr = tonumber(params.id)
  if not bufnr or not vim.api.nvim_buf_is_valid(bufnr) or not vim.api.nvim_buf_is_loaded(bufnr) or is_own(bufnr) then
    return nil
  end
  return {
    buffer = describe(bufnr),
    version = vim.api.nvim_buf_get_changedtick(bufnr),
    lines = cut(vim.api.nvim_buf_get_lines(bufnr, params.start, params["end"], false)),
  }
end

--- Buffers without edits of the person follow their files: the next form would run with the old text. One with edits
--- is left alone: Neovim itself asks before it writes over a file that is not the one it read.
---@param uris string[]
---@return string[] gone paths of buffers that have no file any more
---@return string[] edited paths of buffers with edits
function M.follow(uris)
  local gone, edited = {}, {}
  for _, uri in ipairs(uris) do
    local path = vim.uri_to_fname(uri)
    local bufnr = require("agentq.buffers").loaded(uri)
    if bufnr and not vim.uv.fs_stat(path) then
      gone[#gone + 1] = path
    elseif bufnr and vim.bo[bufnr].modified then
      edited[#edited + 1] = path
    elseif bufnr then
      local asks = not vim.bo[bufnr].autoread
      vim.bo[bufnr].autoread = true
      vim.cmd(("silent! checktime %d"):format(bufnr))
      if asks then
        vim.bo[bufnr].autoread = false
      end
    end
  end
  return gone, edited
end

return M
