-- The colours of code that stands in no buffer of its language, told by treesitter where its parser is installed.
local M = {}

---@class agentq.review.Span
---@field first integer 0-based byte
---@field last integer exclusive
---@field group string

---@type table<string, table<integer, agentq.review.Span[]>>
local known = {}
local count = 0
local MOST_KNOWN = 2000
local MOST_LINES = 2000
--- Of a text of more bytes, and behind that column of a line, nothing is coloured: such code is minified, and its spans
--- are too many to wait for. The column is the default of 'synmaxcol'.
local MOST_BYTES = 100000
local LAST_COLUMN = 3000
--- With a line of more bytes 'syntax' and 'linebreak' take seconds of Neovim.
local MOST_OF_LINE = 10000

---@param bufnr integer
---@return boolean
function M.has_long_line(bufnr)
  return vim.iter(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)):any(function(line)
    return #line > MOST_OF_LINE
  end)
end

--- Highlights a buffer as a file of that path, without 'filetype': no file type plugin and no language server takes the
--- buffer for a file. Code with a very long line stays plain.
---@param bufnr integer
---@param path string
function M.set(bufnr, path)
  vim.bo[bufnr].syntax = not M.has_long_line(bufnr) and vim.filetype.match({ filename = path }) or ""
end

---@param language string?
---@return string? language nil where no parser or no query is installed
local function installed(language)
  if not language then
    return nil
  end
  local ok, added = pcall(vim.treesitter.language.add, language)
  -- Neovim 0.10 answers nothing when the parser is there, and throws when not.
  local loaded = ok and (added == nil or added)
  local has_query, query = pcall(vim.treesitter.query.get, language, "highlights")
  return loaded and has_query and query and language or nil
end

---@param path string
---@return string? language
local function language_of(path)
  -- Neovim 0.10 looks into a file before it says what `.ts` is.
  local filetype = vim.filetype.match({ filename = (path:gsub("%.ts$", ".mts")) })
  return installed(filetype and vim.treesitter.language.get_lang(filetype))
end

---@type table<string, string|false> by path, for one picture: a parser may be installed at any time
local languages = {}

---@param path string
---@return string? language nil where no parser or no query is installed
function M.language(path)
  if next(languages) == nil then
    vim.schedule(function()
      languages = {}
    end)
  end
  if languages[path] == nil then
    languages[path] = language_of(path) or false
  end
  return languages[path] or nil
end

--- The language of a block of code by the word behind its fence, which is the name of a language, of a file type, or what
--- the names of its files end with.
---@param word string
---@return string? language nil where no parser or no query is installed
function M.named(word)
  if not word:find("^[%w_+#-]+$") then
    return nil
  end
  return installed(vim.treesitter.language.get_lang(word)) or installed(word) or M.language("code." .. word)
end

---@param text string
---@param language string
---@return table<integer, agentq.review.Span[]> by 1-based line, in the order in which they cover each other
local function read(text, language)
  local spans = {}
  local parser = vim.treesitter.get_string_parser(text, language)
  local query = assert(vim.treesitter.query.get(language, "highlights"))
  local root = parser:parse()[1]:root()
  for id, node in query:iter_captures(root, text) do
    local name = query.captures[id]
    local from_row, from, to_row, to = node:range()
    for row = from_row, vim.startswith(name, "_") and -1 or to_row do
      local first = row == from_row and from or 0
      if first < LAST_COLUMN then
        spans[row + 1] = spans[row + 1] or {}
        table.insert(spans[row + 1], {
          first = first,
          last = row == to_row and to or math.huge,
          group = ("@%s.%s"):format(name, language),
        })
      end
    end
  end
  return spans
end

--- The spans of lines of code, by 1-based line.
---@param lines string[]
---@param language? string
---@return table<integer, agentq.review.Span[]>
function M.spans(lines, language)
  if not language or #lines == 0 or #lines > MOST_LINES then
    return {}
  end
  local text = table.concat(lines, "\n")
  if #text > MOST_BYTES then
    return {}
  end
  local key = language .. "\n" .. text
  if not known[key] then
    if count >= MOST_KNOWN then
      known, count = {}, 0
    end
    local ok, spans = pcall(read, text, language)
    known[key], count = ok and spans or {}, count + 1
  end
  return known[key]
end

--- Cuts a line into pieces of one highlight each.
---@param line string
---@param group string for the background
---@param spans? agentq.review.Span[]
---@return {text: string, group: string|string[]}[]
function M.pieces(line, group, spans)
  if not spans or #spans == 0 or #line == 0 then
    return { { text = line, group = group } }
  end
  local cuts, seen = { 0, #line }, { [0] = true, [#line] = true }
  for _, span in ipairs(spans) do
    for _, at in ipairs({ span.first, math.min(span.last, #line) }) do
      if at < #line and not seen[at] then
        seen[at] = true
        cuts[#cuts + 1] = at
      end
    end
  end
  table.sort(cuts)
  local pieces, index_of = {}, {}
  for index, at in ipairs(cuts) do
    index_of[at] = index
    local to = cuts[index + 1]
    pieces[index] = to and { text = line:sub(at + 1, to), group = group } or nil
  end
  for _, span in ipairs(spans) do
    local first, last = index_of[span.first], index_of[math.min(span.last, #line)]
    for index = first or 1, first and last - 1 or 0 do
      local piece = pieces[index]
      if piece.group == group then
        piece.group = { group }
      end
      table.insert(piece.group, span.group)
    end
  end
  return pieces
end

return M
