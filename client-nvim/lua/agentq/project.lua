-- The project of a buffer as the disk tells it, and what kind of buffer a server is told about.
local config = require("agentq.config")

local M = {}

--- A package manager leaves one at the root of what it installs, however many packages that is.
local LOCKS = {
  "package-lock.json",
  "npm-shrinkwrap.json",
  "pnpm-lock.yaml",
  "yarn.lock",
  "bun.lock",
  "bun.lockb",
  "deno.lock",
}
local CONFIGURATIONS = { "tsconfig.json", "jsconfig.json", "deno.json", "deno.jsonc", "package.json" }

---@param path string
---@return string
local function text_of(path)
  local file = io.open(path)
  local text = file and file:read("*a") or ""
  if file then
    file:close()
  end
  return text
end

---@param folder string
---@param names string[]
---@return boolean
local function has_any(folder, names)
  return vim.iter(names):any(function(name)
    return vim.uv.fs_stat(vim.fs.joinpath(folder, name)) ~= nil
  end)
end

--- A submodule is a part of the repository that contains it.
---@param folder string
---@return boolean
local function is_repository(folder)
  local git = vim.fs.joinpath(folder, ".git")
  local stat = vim.uv.fs_stat(git)
  return stat ~= nil and (stat.type == "directory" or not text_of(git):match("^gitdir: [./]+/%.git/modules/"))
end

--- Whether the packages below a folder are one workspace.
---@param folder string
---@return boolean
local function has_packages(folder)
  return has_any(folder, { "pnpm-workspace.yaml" })
    or text_of(vim.fs.joinpath(folder, "package.json")):find('"workspaces"%s*:') ~= nil
    or text_of(vim.fs.joinpath(folder, "deno.json")):find('"workspace"%s*:') ~= nil
    or text_of(vim.fs.joinpath(folder, "deno.jsonc")):find('"workspace"%s*:') ~= nil
end

--- What makes a folder the root of a project, the strongest first: a package of a repository or of a workspace is a part
--- of it, whose other packages use what the package exports.
---@type (fun(folder: string): boolean)[]
local SIGNS = {
  is_repository,
  has_packages,
  function(folder)
    return has_any(folder, LOCKS)
  end,
  function(folder)
    return has_any(folder, CONFIGURATIONS)
  end,
}

--- Whether a folder is one where the server refuses to work: the root of a disk, or the person's home.
---@param folder string
---@return boolean
local function is_closed(folder)
  -- Neovim's names of files lead through no links to folders.
  return vim.fs.dirname(folder) == folder or folder == vim.uv.fs_realpath(vim.uv.os_homedir() or "/")
end

--- The nearest folder, upwards, that has a sign of being a project.
---@param from string
---@param sign fun(folder: string): boolean
---@return string?
local function nearest(from, sign)
  if sign(from) and not is_closed(from) then
    return from
  end
  return vim.iter(vim.fs.parents(from)):find(function(folder)
    return sign(folder) and not is_closed(folder)
  end)
end

--- The folder whose project a buffer belongs to: its file's, or Neovim's own where it shows no file. Files below
--- node_modules belong to the project that installed them, so a dependency never starts a server of its own.
---@param bufnr integer
---@return string
local function folder_of(bufnr)
  local path = vim.fs.normalize(vim.api.nvim_buf_get_name(bufnr))
  if path == "" or not M.is_file(bufnr) then
    return vim.fs.normalize(vim.uv.cwd() --[[@as string]])
  end
  local dependency = path:find("/node_modules/", 1, true)
  return dependency and path:sub(1, dependency - 1) or vim.fs.dirname(path)
end

--- The innermost of the roots of servers that holds a buffer.
---@param bufnr integer
---@param roots string[]
---@return string?
function M.holding(bufnr, roots)
  local folder = folder_of(bufnr)
  local held = vim.tbl_filter(function(root)
    return not is_closed(root) and vim.startswith(folder .. "/", root .. "/")
  end, roots)
  table.sort(held, function(a, b)
    return #a > #b
  end)
  return held[1]
end

--- The root that the person chose for a buffer, by an option or for a buffer of this plugin.
---@param bufnr integer
---@return boolean is_chosen
---@return string? root
function M.chosen(bufnr)
  local root_dir = config.get().root_dir
  if vim.b[bufnr].agentq_root then
    return true, vim.b[bufnr].agentq_root
  end
  return root_dir ~= nil, root_dir and root_dir(bufnr)
end

--- The root of a buffer's project, as the files on the disk mark it.
---@param bufnr integer
---@return string root
---@return boolean is_marked it is not just where a file happens to lie
function M.marked(bufnr)
  local folder = folder_of(bufnr)
  local own = config.get().root_markers
  local signs = vim.list_extend({
    function(at)
      return has_any(at, own)
    end,
  }, SIGNS)
  for _, sign in ipairs(signs) do
    local root = nearest(folder, sign)
    if root then
      return root, true
    end
  end
  return folder, false
end

--- Whether a buffer shows a file, and not something else such as `fugitive://`.
---@param bufnr integer
---@return boolean
function M.is_file(bufnr)
  return vim.bo[bufnr].buftype == "" and vim.api.nvim_buf_get_name(bufnr):match("^%a[%w+.-]+://") == nil
end

---@param bufnr integer
---@return boolean
function M.is_named_file(bufnr)
  return M.is_file(bufnr) and vim.api.nvim_buf_get_name(bufnr) ~= ""
end

---@param bufnr integer
---@return boolean
function M.is_source(bufnr)
  return M.is_file(bufnr) and vim.list_contains(config.get().filetypes, vim.bo[bufnr].filetype)
end

return M
