-- Writes an approved edit into buffers. Everything is verified before the first byte changes: all or nothing.
local buffers = require("agentq.buffers")
local edits = require("agentq.review.edits")

local M = {}

local group = vim.api.nvim_create_augroup("agentq.apply", { clear = true })

---@class agentq.review.Target
---@field uri string
---@field bufnr integer
---@field text string what the document must read afterwards
---@field was_modified boolean
---@field created boolean
---@field disk_agrees boolean the disk held the buffer's text before

---@param bufnr integer
---@return boolean
local function disk_agrees(bufnr)
  local file = io.open(vim.api.nvim_buf_get_name(bufnr), "rb")
  if not file then
    return true
  end
  local text = file:read("*a")
  file:close()
  -- Neovim keeps a byte order mark in 'bomb', not in the text, and takes an empty file for one empty line.
  if vim.bo[bufnr].bomb then
    text = text:gsub("^\239\187\191", "")
  end
  return text == buffers.text(bufnr) or (text == "" and buffers.is_empty(bufnr))
end

--- Looks at every document of the edit; answers the targets, or why nothing may be written.
---@param edit lsp.WorkspaceEdit
---@param client vim.lsp.Client
---@return agentq.review.Target[]?
---@return string? error
local function plan(edit, client)
  local targets, created = {}, {}
  for _, change in ipairs(edit.documentChanges or {}) do
    if change.kind == "create" then
      local stat = vim.uv.fs_stat(vim.uri_to_fname(change.uri))
      if stat and stat.size > 0 then
        return nil, vim.uri_to_fname(change.uri) .. " exists by now"
      end
      created[change.uri] = true
    elseif change.kind then
      return nil, ("the edit wants to %s a file, which this client does not do"):format(change.kind)
    else
      local uri, version = change.textDocument.uri, change.textDocument.version
      local bufnr, err = buffers.load(uri)
      if not bufnr then
        return nil, err
      end
      local now = buffers.version(bufnr)
      if version and now and version ~= now then
        return nil, ("%s changed meanwhile (version %d, not %d)"):format(vim.uri_to_fname(uri), now, version)
      end
      if not version and not created[uri] and vim.bo[bufnr].modified then
        vim.lsp.buf_attach_client(bufnr, client.id)
        return nil, vim.uri_to_fname(uri) .. " has unsaved changes the server did not see"
      end
      if not vim.bo[bufnr].modifiable then
        return nil, vim.uri_to_fname(uri) .. " is not modifiable in this editor"
      end
      local base = created[uri] and "" or buffers.text(bufnr)
      if created[uri] and vim.api.nvim_buf_line_count(bufnr) > 1 then
        return nil, vim.uri_to_fname(uri) .. " has text in an open buffer"
      end
      targets[#targets + 1] = {
        uri = uri,
        bufnr = bufnr,
        text = edits.apply(base, change.edits, client.offset_encoding),
        was_modified = vim.bo[bufnr].modified,
        created = created[uri] or false,
        disk_agrees = disk_agrees(bufnr),
      }
    end
  end
  return targets
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
      require("agentq.client").send_whole(client, bufnr)
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
  local text = target.text:gsub("\r\n", "\n")
  local ends = text:sub(-1) == "\n"
  local lines = vim.split(ends and text:sub(1, -2) or text, "\n", { plain = true })
  -- Setting 'undolevels', even to its own value, closes the undo block that is open.
  vim.bo[bufnr].undolevels = vim.bo[bufnr].undolevels
  local old = vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
  for _, change in ipairs(edits.line_changes(old, lines)) do
    vim.api.nvim_buf_set_lines(bufnr, change.first, change.last, true, change.lines)
  end
  vim.bo[bufnr].undolevels = vim.bo[bufnr].undolevels
  -- What was approved reaches the disk as it was approved, with or without its last newline.
  vim.bo[bufnr].endofline = ends
  vim.bo[bufnr].fixendofline = ends and fixed
  vim.api.nvim_clear_autocmds({ group = group, buffer = bufnr })
  if text == "" then
    end_lines_again(bufnr, client, fixed)
  end
  return text == "" or ends ~= ended
end

--- Applies the edit of a decision.
---@param client vim.lsp.Client
---@param edit lsp.WorkspaceEdit
---@return agentq.review.Target[]? targets nil when nothing was written
---@return string? error
function M.apply(client, edit)
  local targets, err = plan(edit, client)
  if not targets then
    return nil, err
  end
  for _, target in ipairs(targets) do
    local whole = write(target, client)
    if not vim.lsp.buf_is_attached(target.bufnr, client.id) then
      vim.lsp.buf_attach_client(target.bufnr, client.id)
    end
    local sync = require("agentq.client")
    if whole then
      sync.send_whole(client, target.bufnr)
    else
      sync.flush(client, target.bufnr)
    end
  end
  return targets
end

---@param target agentq.review.Target
local function save(target)
  if not target.disk_agrees then
    return false, "the file changed on disk since it was read"
  end
  return pcall(vim.api.nvim_buf_call, target.bufnr, function()
    vim.fn.mkdir(vim.fs.dirname(vim.api.nvim_buf_get_name(target.bufnr)), "p")
    vim.cmd("silent noautocmd lockmarks write" .. (vim.bo.readonly and "" or "!"))
    vim.cmd("silent doautocmd <nomodeline> BufWritePost")
  end)
end

--- Saves what the option `review.save_after_apply` says. Commands of the BufWritePre event do not run: formatting a
--- file on the way would write text nobody approved. BufWritePost runs, so that servers and signs hear of it.
---@param targets agentq.review.Target[]
function M.save(targets)
  local when = require("agentq.config").get().review.save_after_apply
  for _, target in ipairs(targets) do
    if when == "always" or (when == "unmodified" and not target.was_modified) then
      local ok, err = save(target)
      if not ok then
        vim.notify("AgentQ: applied but not saved: " .. tostring(err), vim.log.levels.WARN)
      end
    end
  end
end

return M
