-- Treesitter's colours for the paragraphs and blocks of code of a transcript, each read once, when it is complete. A
-- parser over the whole transcript would cost more with every word of a long conversation, and a long block of code
-- takes a moment: so they are coloured in small steps, one after the other, between which keys are answered.
local M = {}

local STEP_NS = 2e6
local PAUSE_MS = 5
--- Parsing takes one step, however long the text is: what is longer keeps its plain look.
local MOST_BYTES = 20000

--- Above the plain look, and below what dims a reply that is void.
local PRIORITY = 4200

--- What says nothing about a colour.
local COLOURLESS = { spell = true, nospell = true, conceal = true, none = true }

--- How a capture looks: its colour, and whether the person reads the text without it.
---@param name string
---@param language string
---@param metadata vim.treesitter.query.TSMetadata
---@param id integer
---@return {hl_group?: string, conceal?: string}? nil where nothing is to be seen of it
local function look_of(name, language, metadata, id)
  local own = metadata[id]
  local conceal = metadata.conceal or own and own.conceal
  local has_colour = not vim.startswith(name, "_") and not COLOURLESS[name]
  if has_colour or conceal then
    return { hl_group = has_colour and ("@%s.%s"):format(name, language) or nil, conceal = conceal }
  end
end

local anchors = vim.api.nvim_create_namespace("agentq.chat.colours")

---@class agentq.chat.Uncoloured
---@field bufnr integer
---@field namespace integer
---@field anchor integer mark at the first line, since lines above may come and go
---@field lines string[]
---@field word? string behind the fence of a block of code

---@type agentq.chat.Uncoloured[]
local queue = {}
---@type thread?
local running

---@param item agentq.chat.Uncoloured
---@return integer? row nil when the buffer is gone
local function row_of(item)
  if vim.api.nvim_buf_is_loaded(item.bufnr) then
    return vim.api.nvim_buf_get_extmark_by_id(item.bufnr, anchors, item.anchor, {})[1]
  end
end

--- What an item is parsed as: injected languages are not asked for, since looking for them takes longer than all else.
---@param item agentq.chat.Uncoloured
---@return string[] languages
---@return string[] lines
---@return integer skipped lines above them
local function read(item)
  if not item.word then
    return { "markdown", "markdown_inline" }, item.lines, 0
  end
  return { require("agentq.review.syntax").named(item.word) }, vim.list_slice(item.lines, 2, #item.lines - 1), 1
end

---@param item agentq.chat.Uncoloured
---@param rest fun() takes a pause when the step has been long
local function colour(item, rest)
  local languages, lines, skipped = read(item)
  local text = table.concat(lines, "\n") .. "\n"
  for index, language in ipairs(languages) do
    -- Reading a query for the first time takes as long as parsing does.
    local query = assert(vim.treesitter.query.get(language, "highlights"))
    rest()
    local root = vim.treesitter.get_string_parser(text, language):parse()[1]:root()
    rest()
    local above = row_of(item)
    if above and index == 1 and not item.word then
      vim.api.nvim_buf_clear_namespace(item.bufnr, item.namespace, above, above + #item.lines)
    end
    for id, node, metadata in query:iter_captures(root, text) do
      rest()
      above = row_of(item)
      local look = above and look_of(query.captures[id], language, metadata, id)
      if look then
        local row, first, end_row, last = node:range()
        vim.api.nvim_buf_set_extmark(item.bufnr, item.namespace, above + skipped + row, first, {
          end_row = above + skipped + end_row,
          end_col = last,
          hl_group = look.hl_group,
          conceal = look.conceal,
          priority = PRIORITY + (tonumber(metadata.priority) or 100) - 100,
          strict = false,
        })
      end
    end
  end
end

local function work()
  while #queue > 0 do
    local item = table.remove(queue, 1)
    local began = vim.uv.hrtime()
    -- Where a parser is missing or broken, the plain look stays.
    pcall(colour, item, function()
      if vim.uv.hrtime() - began > STEP_NS then
        coroutine.yield()
        began = vim.uv.hrtime()
      end
    end)
    if vim.api.nvim_buf_is_loaded(item.bufnr) then
      vim.api.nvim_buf_del_extmark(item.bufnr, anchors, item.anchor)
    end
    coroutine.yield()
  end
end

local function step()
  local thread = assert(running)
  coroutine.resume(thread)
  if coroutine.status(thread) == "dead" then
    running = nil
  else
    vim.defer_fn(step, PAUSE_MS)
  end
end

--- Colours these lines soon, in place of the marks that they have in the namespace.
---@param bufnr integer
---@param namespace integer
---@param first integer row
---@param last integer row below
function M.add(bufnr, namespace, first, last)
  local lines = vim.api.nvim_buf_get_lines(bufnr, first, last, true)
  local size = 0
  for _, line in ipairs(lines) do
    size = size + #line + 1
  end
  if size > MOST_BYTES or size == #lines then
    return
  end
  local anchor = vim.api.nvim_buf_set_extmark(bufnr, anchors, first, 0, {})
  local word = lines[1]:match("^%s*```+%s*(%S*)")
  table.insert(queue, { bufnr = bufnr, namespace = namespace, anchor = anchor, lines = lines, word = word })
  if not running then
    running = coroutine.create(work)
    vim.defer_fn(step, PAUSE_MS)
  end
end

return M
