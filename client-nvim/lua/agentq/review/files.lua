-- Moves and deletes whole files: on disk, and with them the buffers that show them.
local buffers = require("agentq.buffers")

local M = {}

---@class agentq.review.Operation
---@field kind "rename"|"delete"
---@field from string
---@field to? string of a rename

--- Whether two names stand for one file, as on a disk that does not tell capital letters apart.
---@param one uv.fs_stat.result
---@param other uv.fs_stat.result
local function is_same(one, other)
  return one.ino == other.ino and one.dev == other.dev and one.ino ~= 0
end

---@param path string
---@return integer? bufnr
local function loaded(path)
  return buffers.loaded(vim.uri_from_fname(path))
end

--- Why no file can be put below a path, or nil.
---@param path string
---@return string? error
local function no_room(path)
  for folder in vim.fs.parents(path) do
    local stat = vim.uv.fs_stat(folder)
    if stat then
      return stat.type ~= "directory" and folder .. " is a file, so nothing can be put below it" or nil
    end
  end
end

---@param operation agentq.review.Operation
---@param left table<string, boolean> paths that operations before this one leave
---@return string? error
local function problem(operation, left)
  local from, to = operation.from, operation.to
  local bufnr = loaded(from)
  -- Before the file: a new one that was never saved is in its buffer alone.
  if operation.kind == "delete" and bufnr and vim.bo[bufnr].modified then
    return from .. " has unsaved changes"
  end
  local stat = vim.uv.fs_lstat(from)
  if not stat and operation.kind == "delete" then
    return nil
  elseif not stat then
    return from .. " does not exist any more"
  elseif stat.type ~= "file" then
    return from .. " is not a regular file"
  end
  if operation.kind == "delete" then
    return nil
  end
  ---@cast to string
  local taken = vim.uv.fs_lstat(to)
  if taken and not left[to] and not is_same(stat, taken) then
    return to .. " exists by now"
  end
  local other = not left[to] and loaded(to)
  if other and other ~= bufnr and not buffers.is_empty(other) then
    return to .. " has text in an open buffer"
  end
  return no_room(to)
end

--- The operations of an edit on whole files, in their order, or why they cannot be done.
---@param edit lsp.WorkspaceEdit
---@return agentq.review.Operation[]?
---@return string|table<string, boolean> error or the paths that become free
function M.plan(edit)
  local operations, left = {}, {}
  for _, change in ipairs(edit.documentChanges or {}) do
    local operation
    if change.kind == "rename" then
      operation = {
        kind = "rename",
        from = vim.uri_to_fname(change.oldUri),
        to = vim.uri_to_fname(change.newUri),
      }
    elseif change.kind == "delete" then
      operation = { kind = "delete", from = vim.uri_to_fname(change.uri) }
    end
    if operation then
      local err = problem(operation, left)
      if err then
        return nil, err
      end
      left[operation.from] = true
      operations[#operations + 1] = operation
    end
  end
  return operations, left
end

--- Shows something else in the windows of a buffer, so that none closes when the buffer goes.
---@param bufnr integer
local function leave_windows(bufnr)
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    local before = vim.api.nvim_win_call(window, function()
      return vim.fn.bufnr("#")
    end)
    local target = before > 0 and before ~= bufnr and vim.api.nvim_buf_is_loaded(before) and before
    vim.api.nvim_win_set_buf(window, target or vim.api.nvim_create_buf(true, false))
  end
end

---@param path string
---@return string? error
local function delete(path)
  local removed, err, code = vim.uv.fs_unlink(path)
  if not removed and code ~= "ENOENT" then
    return err
  end
  local bufnr = loaded(path)
  if bufnr then
    leave_windows(bufnr)
    vim.api.nvim_buf_delete(bufnr, { force = true })
  end
end

--- Gives a buffer another name and keeps its text, its undo and its windows.
---@param bufnr integer
---@param from string
---@param to string
local function rename_buffer(bufnr, from, to)
  local other = vim.fn.bufnr("^" .. vim.fn.escape(to, "\\^$*.[]~?{},") .. "$")
  if other > 0 and other ~= bufnr then
    leave_windows(other)
    vim.api.nvim_buf_delete(other, { force = true })
  end
  -- Every server hears that the old file is closed and the new one open.
  local clients = vim.lsp.get_clients({ bufnr = bufnr })
  for _, client in ipairs(clients) do
    vim.lsp.buf_detach_client(bufnr, client.id)
  end
  if vim.bo[bufnr].modified then
    vim.api.nvim_buf_set_name(bufnr, to)
  else
    -- `:saveas` knows that the file at the new name is this buffer's own, so that `:w` does not ask.
    vim.api.nvim_buf_call(bufnr, function()
      vim.cmd("silent noautocmd keepalt lockmarks saveas! " .. vim.fn.fnameescape(to))
    end)
  end
  local old = vim.fn.bufnr("^" .. vim.fn.escape(from, "\\^$*.[]~?{},") .. "$")
  if old > 0 and old ~= bufnr then
    vim.api.nvim_buf_delete(old, { force = true })
  end
  for _, client in ipairs(clients) do
    vim.lsp.buf_attach_client(bufnr, client.id)
  end
end

---@param from string
---@param to string
---@return string? error
local function rename(from, to)
  vim.fn.mkdir(vim.fs.dirname(to), "p")
  local bufnr = loaded(from)
  local renamed, err = vim.uv.fs_rename(from, to)
  if not renamed then
    return err
  end
  if bufnr then
    rename_buffer(bufnr, from, to)
  end
end

--- Folders that became empty go with their last file, as git has it.
---@param path string of a file that is gone
---@param root? string
local function remove_empty_folders(path, root)
  local folder = vim.fs.dirname(path)
  while root and vim.startswith(folder, root .. "/") and vim.uv.fs_rmdir(folder) do
    folder = vim.fs.dirname(folder)
  end
end

--- Does what was planned. What fails is said; the server looks at the files itself.
---@param operations agentq.review.Operation[]
---@param root? string the workspace folder
---@return {uri: string, bufnr?: integer}[] documents that the operations touched
---@return string? error of the first operation that failed; those behind it were not tried
function M.carry_out(operations, root)
  local touched = {}
  for _, operation in ipairs(operations) do
    local ok, err = pcall(operation.kind == "delete" and delete or rename, operation.from, operation.to)
    local at = operation.to or operation.from
    touched[#touched + 1] = { uri = vim.uri_from_fname(at), bufnr = loaded(at) }
    if not ok or err then
      return touched, tostring(err)
    end
    remove_empty_folders(operation.from, root)
  end
  return touched
end

return M
