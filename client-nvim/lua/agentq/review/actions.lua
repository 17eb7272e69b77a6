-- What a person can do with hunks: the verbs of :AgentQ and of the review keys.
local buffers = require("agentq.buffers")
local decide = require("agentq.review.decide")
local diff_cursor = require("agentq.review.diff_cursor")
local keymaps = require("agentq.review.keymaps")
local lines = require("agentq.review.lines")
local navigate = require("agentq.review.navigate")
local nothing = require("agentq.review.nothing")
local own_text = require("agentq.review.own_text")
local proposed = require("agentq.review.proposed")
local review = require("agentq.review.review")
local say = require("agentq.say")
local stops = require("agentq.review.stops")
local store = require("agentq.review.store")
local visible = require("agentq.review.visible")
local window_page = require("agentq.review.window_page")

local M = {}

local function say_none()
  local count = store.count()
  if count == 0 then
    keymaps.release_soon()
  end
  local words = count == 0 and nothing.words()
    or ("no hunk under the cursor; :AgentQ next goes to one of %d"):format(count)
  local here = stops.in_window() and window_page.here()
  if here and not here.is_open and not here.is_reopened then
    words = here.hunk.takenBack and "this hunk was taken back; u lets it wait again"
      or "this hunk is decided; u takes the decision back"
  end
  say.info(words)
end

---@return agentq.review.Item?
local function current()
  local item = stops.current()
  if not item then
    say_none()
  end
  return item
end

--- Asks for the words the model shall hear. Leaving the question without an answer decides nothing.
---@param given? string
---@param question string
---@param use fun(reason: string?)
local function with_reason(given, question, use)
  if given and given ~= "" then
    return use(given)
  end
  vim.ui.input({ prompt = question .. " (empty: no reason): " }, function(answer)
    if answer == nil then
      say.info("still pending")
      return
    end
    use(answer ~= "" and answer or nil)
  end)
end

--- The pending hunks of the proposal under the cursor, else of the oldest one: for a key, where any hunk is to be seen.
---@param by_key? boolean
---@return agentq.review.Item[]
local function all_of_current(by_key)
  local sees = not by_key
    or stops.in_window()
    or vim.b.agentq_diff
    or #review.places(vim.api.nvim_get_current_buf()) > 0
  local item = stops.current() or sees and store.pending()[1]
  if not item then
    say_none()
    return {}
  end
  return vim.tbl_filter(function(other)
    return other.entry == item.entry
  end, store.pending())
end

--- Decides about hunks of one proposal, then goes to the next one: unless the person went elsewhere or typed on.
---@param entry agentq.review.Entry
---@param decisions agentq.HunkDecision[]
---@param stop? boolean
local function decide_and_go_on(entry, decisions, stop)
  local window = vim.api.nvim_get_current_win()
  decide.decide(entry, decisions, {
    stop = stop,
    after = function()
      local stayed = vim.api.nvim_get_current_win() == window or not vim.api.nvim_win_is_valid(window)
      if stayed and vim.api.nvim_get_mode().mode == "n" then
        navigate.go_on(entry)
      end
    end,
  })
end

function M.accept()
  local item = current()
  if item then
    decide_and_go_on(item.entry, { own_text.acceptance(item) })
  end
end

--- Accepts what the hunks change in a range of lines; the rest of them waits on.
---@param first integer 0-based
---@param last integer inclusive
function M.accept_lines(first, last)
  local entry, decisions = lines.decisions(vim.api.nvim_get_current_buf(), first, last)
  if entry then
    decide_and_go_on(entry, decisions)
  end
end

--- Puts smaller hunks in the place of the one under the cursor.
function M.split()
  local item = current()
  if item then
    lines.split(item)
  end
end

---@param reason? string asked for when absent
---@param stop? boolean end the turn as well
function M.reject(reason, stop)
  local item = current()
  if not item then
    return
  end
  with_reason(reason, "Why not?", function(words)
    decide_and_go_on(item.entry, { { id = item.hunk.id, decision = "reject", reason = words } }, stop)
  end)
end

--- Opens the proposed text for changes, or in a conflict the text that stands there; accepting then sends the person's
--- version.
function M.edit()
  local item = current()
  if item and not vim.list_contains({ "edit", "create" }, item.hunk.kind) then
    say.info(("to %s has no text to change"):format(visible.text(item.hunk.title)))
  elseif item and vim.b.agentq_diff and item.hunk.state ~= "conflict" then
    diff_cursor.edit(item)
  elseif item then
    proposed.open(item)
  end
end

--- Those of some hunks whose buffers can be changed, or all where that is none of them: then the decision says why.
---@param all agentq.review.Item[]
---@return agentq.review.Item[]
---@return string[] locked the names of the other buffers
local function changeable(all)
  local locked = {}
  local items = vim.tbl_filter(function(item)
    local bufnr = buffers.loaded(item.hunk.uri)
    if not bufnr or vim.bo[bufnr].modifiable then
      return true
    end
    locked[vim.fn.fnamemodify(vim.api.nvim_buf_get_name(bufnr), ":.")] = true
    return false
  end, all)
  return #items > 0 and items or all, #items > 0 and vim.tbl_keys(locked) or {}
end

--- Accepts all hunks but those that the proposal leaves out by default, which are rejected, and those in buffers that
--- cannot be changed, which wait on.
---@param by_key? boolean
function M.accept_all(by_key)
  local items, locked = changeable(all_of_current(by_key))
  if #items > 0 then
    local decisions = vim.tbl_map(function(item)
      local left_out = item.hunk.defaultDecision == "reject" and not own_text.edited(item)
      return left_out and { id = item.hunk.id, decision = "reject" } or own_text.acceptance(item)
    end, items)
    local function tell()
      local names = visible.text(table.concat(locked, ", ")) .. (#locked == 1 and " is" or " are")
      say.warn(names .. " not modifiable in this editor; the rest is applied")
    end
    decide.decide(items[1].entry, decisions, { after = #locked > 0 and tell or nil })
  end
end

--- Tests the proposal with all its hunks, and with those that are accepted so far; or without the one under the cursor.
---@param without? boolean
function M.test(without)
  local items = all_of_current()
  if #items == 0 then
    return
  end
  local chosen = without and current() or nil
  if without and not chosen then
    return
  end
  local rest = vim.tbl_filter(function(item)
    return chosen ~= nil and item.hunk.id ~= chosen.hunk.id
  end, items)
  require("agentq.review.tests").run(items[1].entry, {
    { label = "all", hunks = vim.tbl_map(own_text.acceptance, items) },
    {
      label = chosen and ("without %d/%d"):format(chosen.number, chosen.total) or "accepted so far",
      hunks = vim.tbl_map(own_text.acceptance, rest),
    },
  })
end

---@param reason? string
---@param stop? boolean
---@param by_key? boolean
function M.reject_all(reason, stop, by_key)
  local items = all_of_current(by_key)
  if #items == 0 then
    return
  end
  local question = #items == 1 and "Why not?" or ("Why none of %d?"):format(#items)
  with_reason(reason, question, function(words)
    local decisions = vim.tbl_map(function(item)
      return { id = item.hunk.id, decision = "reject", reason = words }
    end, items)
    decide.decide(items[1].entry, decisions, { stop = stop })
  end)
end

return M
