-- Writes an approved edit into buffers, all of it or nothing: every document is verified before the first change.
local buffers = require("agentq.buffers")
local disk = require("agentq.review.disk")
local edits = require("agentq.review.edits")
local files = require("agentq.review.files")
local sync = require("agentq.sync")

local M = {}

local group = vim.api.nvim_create_augroup("agentq.apply", { clear = true })

---@class agentq.review.Target
---@field uri string
---@field bufnr integer
---@field text string what the document must read afterwards
---@field lines string[] the same as lines of the buffer
---@field ends boolean the last line ends as the others do
---@field fileformat string that holds this text
---@field was_modified boolean
---@field created boolean
---@field disk_agrees boolean the disk held the buffer's text before

local line_endings = { unix = "\n", dos = "\r\n", mac = "\r" }

--- A text as the lines of a buffer with this 'fileformat', which holds every line ending as it is.
---@param text string
---@param fileformat string
---@return string[]? lines nil when such a buffer cannot hold the text
---@return boolean ends
local function lines_of(text, fileformat)
  local ending = line_endings[fileformat]
  local ends = vim.endswith(text, ending)
  local lines = vim.split(ends and text:sub(1, -#ending - 1) or text, ending, { plain = true })
  for _, line in ipairs(lines) do
    if line:find("\n", 1, true) then
      return nil, ends
    end
  end
  return lines, ends
end

--- Why a file that the server read from the disk is another text in its buffer, or nil when it is not.
---@param bufnr integer
---@return string?
local function differs_from_disk(bufnr)
  local path = vim.api.nvim_buf_get_name(bufnr)
  local text = disk.text(path)
  if not text or text == buffers.text(bufnr) or (text == "" and buffers.is_empty(bufnr)) then
    return nil
  end
  if disk.agrees(bufnr) then
    local encoding = vim.bo[bufnr].fileencoding
    return ("%s is %s, which the server does not read; open it, so that the server sees its text"):format(
      path,
      encoding
    )
  end
  return path .. " changed on disk since it was read"
end

--- What the server composed the edit of this document against.
---@param bufnr integer
---@param from_disk boolean
---@return string
local function base_text(bufnr, from_disk)
  -- A buffer cannot tell a file without any byte from one that holds an empty line.
  local empty = from_disk and buffers.is_empty(bufnr) and disk.text(vim.api.nvim_buf_get_name(bufnr)) == ""
  return empty and "" or buffers.text(bufnr)
end

---@param change lsp.TextDocumentEdit
---@param created boolean
---@param client vim.lsp.Client
---@return agentq.review.Target?
---@return string? error
local function plan_document(change, created, client)
  local uri, version = change.textDocument.uri, change.textDocument.version
  local path = vim.uri_to_fname(uri)
  local is_open = buffers.loaded(uri) ~= nil
  local bufnr, err = buffers.load(uri)
  if not bufnr then
    return nil, err
  end
  local now = buffers.version(bufnr)
  if version and now and version ~= now then
    return nil, ("%s changed meanwhile (version %d, not %d)"):format(path, now, version)
  end
  -- What stands in a buffer that was just made for the new file was put there by a template of the person's.
  if created and is_open and not buffers.is_empty(bufnr) then
    return nil, path .. " has text in an open buffer"
  end
  if not version and not created then
    if vim.bo[bufnr].modified then
      vim.lsp.buf_attach_client(bufnr, client.id)
      return nil, path .. " has unsaved changes the server did not see"
    end
    local difference = differs_from_disk(bufnr)
    if difference then
      return nil, difference
    end
  end
  if not vim.bo[bufnr].modifiable then
    return nil, path .. " is not modifiable in this editor"
  end
  local base = created and "" or base_text(bufnr, not version)
  local text = edits.apply(base, change.edits, client.offset_encoding)
  local fileformat = vim.bo[bufnr].fileformat
  if base == "" and text:find("\n", 1, true) then
    fileformat = select(2, text:gsub("\r\n", "")) == select(2, text:gsub("\n", "")) and "dos" or "unix"
  end
  local lines, ends = lines_of(text, fileformat)
  if not lines then
    return nil, ("%s has line endings that a buffer with 'fileformat' %s cannot hold"):format(path, fileformat)
  end
  return {
    uri = uri,
    bufnr = bufnr,
    text = text,
    lines = lines,
    ends = ends,
    fileformat = fileformat,
    was_modified = vim.bo[bufnr].modified,
    created = created,
    disk_agrees = disk.agrees(bufnr),
  }
end

---@class agentq.review.Plan
---@field targets agentq.review.Target[]
---@field operations agentq.review.Operation[] done after the targets are saved
---@field late (lsp.CreateFile|lsp.TextDocumentEdit)[] new files at places that the operations leave

--- Looks at every document of the edit; answers what to do, or why nothing may be written.
---@param edit lsp.WorkspaceEdit
---@param client vim.lsp.Client
---@return agentq.review.Plan?
---@return string? error
local function plan(edit, client)
  local operations, left = files.plan(edit)
  if not operations then
    return nil, left --[[@as string]]
  end
  local targets, created, late, operated = {}, {}, {}, false
  for _, change in ipairs(edit.documentChanges or {}) do
    local uri = change.kind == "create" and change.uri or change.textDocument and change.textDocument.uri
    if not uri then
      operated = true
    elseif operated and left[vim.uri_to_fname(uri)] then
      late[#late + 1] = change
    elseif change.kind == "create" then
      local stat = vim.uv.fs_stat(vim.uri_to_fname(uri))
      if stat and stat.size > 0 then
        return nil, vim.uri_to_fname(uri) .. " exists by now"
      end
      created[uri] = true
    else
      local target, err = plan_document(change --[[@as lsp.TextDocumentEdit]], created[uri] or false, client)
      if not target then
        return nil, err
      end
      targets[#targets + 1] = target
    end
  end
  return { targets = targets, operations = operations, late = late }
end

--- An empty file has no last newline. Text that comes back into the buffer, by undo or by typing, shall have one.
---@param bufnr integer
---@param client vim.lsp.Client
---@param fixendofline boolean
local function end_lines_again(bufnr, client, fixendofline)
  vim.api.nvim_create_autocmd({ "TextChanged", "TextChangedI" }, {
    group = group,
    buffer = bufnr,
    callback = function()
      if buffers.is_empty(bufnr) then
        return
      end
      vim.bo[bufnr].endofline = true
      vim.bo[bufnr].fixendofline = fixendofline
      sync.send_whole(client, bufnr)
      return true
    end,
  })
end

--- Replaces only the lines that differ, as one undo step of their own, so that marks, folds and the anchors of other
--- hunks stay where they are.
---@param target agentq.review.Target
---@param client vim.lsp.Client
---@return boolean whole vim.lsp cannot tell the server of this change line by line
local function write(target, client)
  local bufnr = target.bufnr
  local ended, fixed = vim.bo[bufnr].endofline, vim.bo[bufnr].fixendofline
  -- Setting 'undolevels', even to its own value, closes the undo block that is open.
  vim.bo[bufnr].undolevels = vim.bo[bufnr].undolevels
  local old = vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
  for _, change in ipairs(edits.line_changes(old, target.lines)) do
    vim.api.nvim_buf_set_lines(bufnr, change.first, change.last, true, change.lines)
  end
  vim.bo[bufnr].undolevels = vim.bo[bufnr].undolevels
  if vim.bo[bufnr].fileformat ~= target.fileformat then
    vim.bo[bufnr].fileformat = target.fileformat
  end
  -- What was approved reaches the disk as it was approved, with or without its last newline.
  vim.bo[bufnr].endofline = target.ends
  vim.bo[bufnr].fixendofline = target.ends and fixed
  vim.api.nvim_clear_autocmds({ group = group, buffer = bufnr })
  if target.text == "" then
    end_lines_again(bufnr, client, fixed)
  end
  -- A carriage return inside the lines of a buffer is a line's end for the server and none for vim.lsp.
  return target.text == "" or target.ends ~= ended or buffers.has_carriage_returns(bufnr)
end

---@param targets agentq.review.Target[]
---@param client vim.lsp.Client
local function write_all(targets, client)
  for _, target in ipairs(targets) do
    local whole = write(target, client)
    if not vim.lsp.buf_is_attached(target.bufnr, client.id) then
      vim.lsp.buf_attach_client(target.bufnr, client.id)
    end
    if whole then
      sync.send_whole(client, target.bufnr)
    else
      sync.flush(client, target.bufnr)
    end
  end
  disk.save(targets)
end

--- Applies the edit of a decision: texts are written and saved, then whole files are moved and deleted.
---@param client vim.lsp.Client
---@param edit lsp.WorkspaceEdit
---@return {uri: string, bufnr?: integer}[]? documents nil when nothing was written
---@return string? error
function M.apply(client, edit)
  local planned, err = plan(edit, client)
  if not planned then
    return nil, err
  end
  write_all(planned.targets, client)
  local documents, failure = files.carry_out(planned.operations, client.config.root_dir)
  if not failure and #planned.late > 0 then
    local late, reason = plan({ documentChanges = planned.late }, client)
    failure = reason
    if late then
      write_all(late.targets, client)
      vim.list_extend(documents, late.targets)
    end
  end
  for _, target in ipairs(planned.targets) do
    -- A buffer that was renamed stands in the list under its new name.
    if vim.api.nvim_buf_is_valid(target.bufnr) and buffers.loaded(target.uri) == target.bufnr then
      documents[#documents + 1] = target
    end
  end
  return documents, failure
end

return M
