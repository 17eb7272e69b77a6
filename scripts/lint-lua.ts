// Lints the Neovim client with luacheck: the one `npm run editors` prepared, else the one on PATH. Without any it
// says so and passes, except in CI.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { provideEditors } from "./editors/provide-editors.ts";
import { findProgram } from "./editors/find.ts";
import { root } from "./paths.mjs";

const { missing } = provideEditors(["luacheck"]);
const luacheck = findProgram("luacheck");

if (luacheck === undefined) {
  for (const { name, reason } of missing) process.stderr.write(`Not linting Lua: ${name} is missing: ${reason}\n`);
  process.exitCode = process.env["CI"] === "true" ? 1 : 0;
} else {
  // The formatter owns line lengths; `vim` is the one global that Neovim gives, and options are set through it.
  const options = ["--std", "luajit", "--globals", "vim", "--no-max-line-length", "--no-cache", "--quiet"];
  const folders = ["client-nvim", "lua", "plugin"].map((folder) => join(root, folder));
  const { status } = spawnSync(luacheck, [...options, ...folders], { stdio: "inherit" });
  process.exitCode = status ?? 1;
}
