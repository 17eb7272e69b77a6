-- Options: defaults, then `vim.g.agentq`, then `setup()`. Read when used, so the order of loading does not matter.
local M = {}

---@class agentq.Config
---@field cmd? string[] the server; nil takes `agentq` from PATH, else the checkout this client stands in
---@field cmd_env table<string, string> added to the server's environment
---@field init_options table initializationOptions of the server, such as { repl = { confinement = "open" } }
---@field filetypes string[]
---@field auto_start? boolean start the server when a file of these types is opened; nil: when it is the language server
---@field root_markers string[] files or folders whose nearest one marks a project, before the ways of project.lua
---@field root_dir? fun(bufnr: integer): string? overrides these, and the servers that run
---@field notify boolean say with vim.notify when a proposal or a question arrives
---@field eval_timeout_ms integer after which an evaluation of yours is stopped
---@field chat agentq.ChatConfig
---@field review agentq.ReviewConfig

---@class agentq.ChatConfig
---@field position "auto"|"right"|"left"|"below"|"tab" auto: right, and below where the screen is too narrow for that
---@field width integer columns, for right and left
---@field height integer lines at most, for below
---@field input_height integer
---@field max_result_lines integer lines of a tool result kept in the transcript
---@field send_place boolean a prompt tells the model the file, the lines on the screen and the diagnostics there

---@class agentq.ReviewConfig
---@field keymaps table<string, string|false> buffer-local while hunks wait; false leaves one out
---@field save_after_apply "unmodified"|"always"|"never"

---@type agentq.Config
local defaults = {
  cmd = nil,
  cmd_env = {},
  init_options = {},
  filetypes = { "typescript", "typescriptreact", "javascript", "javascriptreact" },
  auto_start = nil,
  root_markers = {},
  root_dir = nil,
  notify = true,
  eval_timeout_ms = 30000,
  chat = { position = "auto", width = 64, height = 18, input_height = 5, max_result_lines = 400, send_place = true },
  review = {
    keymaps = {
      next = "<localleader>an",
      prev = "<localleader>ap",
      accept = "<localleader>aa",
      reject = "<localleader>ar",
      edit = "<localleader>ae",
      split = "<localleader>as",
      accept_all = "<localleader>aA",
      reject_all = "<localleader>aR",
      test = "<localleader>at",
      view = "<localleader>av",
      diff = "<localleader>ad",
    },
    save_after_apply = "unmodified",
  },
}

local one_of = {
  ["chat.position"] = { "auto", "right", "left", "below", "tab" },
  ["review.save_after_apply"] = { "unmodified", "always", "never" },
}
local lists_of_strings = { cmd = true, filetypes = true, root_markers = true }
local optional_types = { cmd = "table", root_dir = "function", auto_start = "boolean" }

---@type table|nil
local from_setup
---@type { g: table?, setup: table?, merged: agentq.Config }|nil
local cached

---@type string? the problems that the person was told of
local told

---@param opts? table see |agentq-config|
function M.setup(opts)
  local problems = M.problems(opts or {})
  if #problems > 0 then
    error("agentq: " .. table.concat(problems, "; "), 0)
  end
  from_setup = opts
  cached = nil
end

---@return agentq.Config
function M.get()
  local from_g = vim.g.agentq
  if cached and vim.deep_equal(cached.g, from_g) then
    return cached.merged
  end
  local problems = M.problems(from_g or {})
  local given = vim.tbl_deep_extend("force", #problems == 0 and from_g or {}, from_setup or {})
  if #problems > 0 then
    local words = table.concat(problems, "; ")
    if words ~= told then
      told = words
      require("agentq.say").warn("vim.g.agentq: " .. words)
    end
  end
  local merged = vim.tbl_deep_extend("force", vim.deepcopy(defaults), given) --[[@as agentq.Config]]
  cached = { g = from_g, merged = merged }
  return merged
end

--- Whether a person chose the key of a review action, so that it may cover another map.
---@param action string
---@return boolean
function M.chose_key(action)
  return M.get().review.keymaps[action] ~= defaults.review.keymaps[action]
end

---@param value table
local function is_list_of_strings(value)
  return vim.islist(value) and vim.iter(value):all(function(item)
    return type(item) == "string"
  end)
end

--- The problems of these options as sentences; empty when there are none.
---@param given any
---@return string[]
function M.problems(given)
  if type(given) ~= "table" then
    return { ("the options must be a table, not a %s"):format(type(given)) }
  end
  local problems = {}
  local function check(value, default, path)
    for key, inner in pairs(value) do
      local name = path == "" and tostring(key) or path .. "." .. tostring(key)
      local expected = optional_types[name] or (default[key] ~= nil and type(default[key])) or nil
      if expected == nil then
        problems[#problems + 1] = ("unknown option %s"):format(name)
      elseif path == "review.keymaps" then
        if type(inner) ~= "string" and inner ~= false then
          problems[#problems + 1] = ("%s must be a key or false"):format(name)
        end
      elseif type(inner) ~= expected then
        problems[#problems + 1] = ("%s must be a %s, not a %s"):format(name, expected, type(inner))
      elseif lists_of_strings[name] and not is_list_of_strings(inner) then
        problems[#problems + 1] = ("%s must be a list of strings"):format(name)
      elseif name == "cmd" and #inner == 0 then
        problems[#problems + 1] = "cmd must name a program"
      elseif expected == "number" and (inner < 1 or inner % 1 ~= 0) then
        problems[#problems + 1] = ("%s must be a whole number above 0"):format(name)
      elseif one_of[name] and not vim.list_contains(one_of[name], inner) then
        problems[#problems + 1] = ("%s must be one of %s"):format(name, table.concat(one_of[name], ", "))
      elseif expected == "table" and next(default[key] or {}) and not vim.islist(default[key]) then
        check(inner, default[key], name)
      end
    end
  end
  check(given, defaults, "")
  table.sort(problems)
  return problems
end

--- The checkout this client stands in, when it is one.
---@return string?
local function checkout()
  local here = vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, "S").source:sub(2)))
  local folder = vim.fs.normalize(vim.fn.fnamemodify(here .. "/../../..", ":p")):gsub("/$", "")
  return vim.uv.fs_stat(folder .. "/bin/agentq.js") and folder or nil
end

--- The Node that a checkout brings along; the one on PATH may be too old.
---@return string?
function M.checkout_node()
  local folder = checkout()
  local node = folder and folder .. "/node_modules/node/bin/node"
  return node and vim.fn.executable(node) == 1 and node or nil
end

--- The command that starts the server.
---@return string[]
function M.command()
  local configured = M.get().cmd
  if configured then
    return configured
  end
  if vim.fn.executable("agentq") == 1 then
    return { "agentq", "--stdio" }
  end
  local folder = checkout()
  if folder then
    return { M.checkout_node() or "node", folder .. "/bin/agentq.js", "--stdio" }
  end
  return { "agentq", "--stdio" }
end

return M
