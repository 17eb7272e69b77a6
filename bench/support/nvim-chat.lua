-- Measures the client in this Neovim, whose 'runtimepath' has it and which was started without plugins: `_G.bench` is
-- { plugin, frames, result }. Prints nothing; writes milliseconds as JSON into the file `result`.
local bench = _G.bench

---@param work fun()
---@return number milliseconds
local function timed(work)
  local began = vim.uv.hrtime()
  work()
  return (vim.uv.hrtime() - began) / 1e6
end

--- Frames of an answer that is streamed below so many lines, with what they take until they are drawn.
---@param lines integer
---@return number[]
local function frames(lines)
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_win_set_buf(0, bufnr)
  local writer = require("agentq.chat.writer").new(bufnr)
  local turns = {}
  for line = 1, lines, 20 do
    local call = ("tool:%d"):format(line)
    vim.list_extend(turns, {
      { kind = "lines", lines = { "❯ What does `total` do?" }, hl = "AgentqUser" },
      { kind = "gap" },
      { kind = "append", text = ("It adds **prices** in `cart.ts`.\n"):rep(14) },
      { kind = "block", id = call, head = "✓ describe_symbol 12 ms", hl = "AgentqToolDone" },
      { kind = "gap" },
    })
  end
  writer:push(turns)
  writer:flush()
  vim.cmd.redraw()
  local taken = {}
  for frame = 1, bench.frames do
    writer:push({ { kind = "append", text = ("The price of item %d is in `cart.ts`, "):format(frame):rep(3) .. "\n" } })
    taken[frame] = timed(function()
      writer:flush()
      vim.cmd.redraw()
    end)
  end
  vim.api.nvim_buf_delete(bufnr, { force = true })
  return taken
end

local figures = {}
figures.startup = { timed(function()
  vim.cmd.source(vim.fn.fnameescape(bench.plugin))
end) }
figures.short = frames(20)
figures.long = frames(10000)
local file = assert(io.open(bench.result, "w"))
file:write(vim.json.encode(figures))
file:close()
vim.cmd("qa!")
