-- Terminal colours in output: text without escape sequences, and where which highlight group stands. On plain tables.
local M = {}

---@class agentq.AnsiSpan
---@field from integer 0-based byte column
---@field to integer
---@field group string

---@class agentq.AnsiState what a sequence set stays until the next one, over lines too
---@field colour? integer 0-7
---@field bold? boolean
---@field dim? boolean

local names = { [0] = "Black", "Red", "Green", "Yellow", "Blue", "Magenta", "Cyan", "White" }
M.names = names

---@param codes string what stands between `[` and `m`
---@param state agentq.AnsiState
local function set(codes, state)
  local list = vim.split(codes == "" and "0" or codes, "[;:]")
  local index = 1
  while index <= #list do
    local code = tonumber(list[index]) or 0
    if code == 0 then
      state.colour, state.bold, state.dim = nil, nil, nil
    elseif code == 1 then
      state.bold = true
    elseif code == 2 then
      state.dim = true
    elseif code == 22 then
      state.bold, state.dim = nil, nil
    elseif code >= 30 and code <= 37 then
      state.colour = code - 30
    elseif code >= 90 and code <= 97 then
      -- Bright black is the grey that programs write what matters little in.
      state.colour, state.dim = code - 90, code == 90 or nil
    elseif code == 39 then
      state.colour = nil
    elseif code == 38 or code == 48 then
      -- A colour of 256 or of 16 million is left out, with its own numbers.
      index = index + (list[index + 1] == "5" and 2 or 4)
    end
    index = index + 1
  end
end

---@param state agentq.AnsiState
---@return string? group
local function group_of(state)
  if state.dim then
    return "AgentqDetail"
  end
  local name = state.colour and names[state.colour] or ""
  if name == "" and not state.bold then
    return nil
  end
  return "AgentqAnsi" .. name .. (state.bold and "Bold" or "")
end

--- Takes the escape sequences out of one line. A carriage return begins the line again, as on a terminal.
---@param line string
---@param state agentq.AnsiState is changed
---@return string text
---@return agentq.AnsiSpan[] spans
function M.read(line, state)
  if not line:find("[\27\r\b%z]") then
    local group = group_of(state)
    return line, group and line ~= "" and { { from = 0, to = #line, group = group } } or {}
  end
  local text, spans = "", {}
  local at = 1
  local function add(piece)
    local group = group_of(state)
    if group and piece ~= "" then
      spans[#spans + 1] = { from = #text, to = #text + #piece, group = group }
    end
    text = text .. piece
  end
  line = line:gsub("\r+$", ""):gsub("%z", "")
  while at <= #line do
    local stop = line:find("[\27\r]", at)
    add(line:sub(at, (stop or #line + 1) - 1))
    if not stop then
      break
    end
    if line:sub(stop, stop) == "\r" then
      text, spans = "", {}
      at = stop + 1
    else
      local _, finish, codes, kind = line:find("^\27%[([%d;:?]*)([@-~])", stop)
      if kind == "m" then
        set(codes, state)
      elseif not finish then
        -- A title or a link of the terminal, else one of the short sequences.
        _, finish = line:find("^\27%][^\7\27]*[\7\27]\\?", stop)
        _, finish = nil, finish or math.min(stop + 1, #line)
      end
      at = finish + 1
    end
  end
  return text, spans
end

--- Text of several lines without its escape sequences.
---@param text string
---@return string
function M.strip(text)
  local state = {}
  local lines = vim.tbl_map(function(line)
    return (M.read(line, state))
  end, vim.split(text, "\n", { plain = true }))
  return table.concat(lines, "\n")
end

return M
