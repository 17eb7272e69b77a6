-- Places that tools find, in the quickfix list: callers, references, types, implementations, failed tests.
local client = require("agentq.client")
local here = require("agentq.here")
local say = require("agentq.say")
local start = require("agentq.start")

local M = {}

--- Quickfix items in the order of what was found. A place without a range is its file.
---@param found {uri: string, range?: lsp.Range, text: string}[]
---@param type? "E" errors
---@return vim.quickfix.entry[]
function M.items(found, type)
  local nowhere = { start = { line = 0, character = 0 }, ["end"] = { line = 0, character = 0 } }
  local locations, number = {}, {}
  for index, place in ipairs(found) do
    locations[index] = { uri = place.uri, range = place.range or nowhere }
    number[locations[index]] = index
  end
  local items = {}
  -- Neovim sorts them, and reads each file once for the columns.
  for _, item in ipairs(vim.lsp.util.locations_to_items(locations, "utf-16")) do
    local index = number[item.user_data]
    item.text = require("agentq.review.visible").text(found[index].text)
    item.type, item.user_data = type, nil
    items[index] = item
  end
  return items
end

--- What the name under the cursor stands for, as an address: the compiler knows what is meant there.
---@return string
local function under_cursor()
  local name, first = here.value()
  local file = here.file()
  if name == "" or not file then
    return name
  end
  local row = vim.api.nvim_win_get_cursor(0)[1]
  local column = require("agentq.compat").units(vim.api.nvim_get_current_line(), first - 1)
  return ("%s:%d:%d#%s"):format(file, row, column + 1, name)
end

--- The person chooses among the symbols that a name stands for.
---@param content string of an answer
---@param use fun(address: string)
---@return boolean asked the answer names several
local function choose(content, use)
  local lines = vim.split(content, "\n", { plain = true })
  local head = table.remove(lines, 1):match("^(.* different symbols.-)%. ")
  local symbols = vim.tbl_filter(function(line)
    return line:match("^  (%S*#%S+)") ~= nil
  end, lines)
  if not head or #symbols == 0 then
    return false
  end
  local options = { prompt = head .. ". Which one?", format_item = vim.trim }
  vim.ui.select(symbols, options, function(line)
    if line then
      use(line:match("^  (%S*#%S+)"))
    end
  end)
  return true
end

--- Opens what a tool finds about a symbol as a quickfix list.
---@param what string callers | references | hierarchy | implementations
---@param tool string
---@param rest string an address; the name under the cursor when empty
function M.list(what, tool, rest)
  local address = rest ~= "" and rest or under_cursor()
  if address == "" then
    return say.warn(("name a symbol: :AgentQ %s Outer.member"):format(what))
  end
  local name = address:match("^.+:%d+:%d+#(.+)$") or address
  start.with_client(function(connection)
    local params = { name = tool, arguments = { symbol = address } }
    client.request(connection, "agentq/callTool", params, function(err, result)
      local places = not err and result.places or {}
      if err or not result.success then
        say.error(err and err.message or result.error)
      elseif #places == 0 then
        local has_asked = choose(result.content, function(one)
          M.list(what, tool, one)
        end)
        if not has_asked then
          say.info(result.content)
        end
      else
        vim.fn.setqflist({}, " ", { title = ("AgentQ %s of %s"):format(what, name), items = M.items(places) })
        vim.cmd("botright copen")
      end
      require("agentq.events").fire("ToolDone", { tool = tool, result = result, error = err and err.message })
    end)
  end)
end

return M
