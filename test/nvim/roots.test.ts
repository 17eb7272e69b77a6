/** Which folder a file's server works on. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeContract } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

const REPOSITORY = ".git/HEAD";
const SUBMODULE = "gitdir: ../../.git/modules/lib/sub\n";
const WORKTREE = "gitdir: /elsewhere/.git/worktrees/b\n";

/** What a folder holds beside the file that is opened, that file, and the root of its project; nothing marks a root with `?`. */
const PROJECTS: Readonly<
  Record<string, readonly [files: Readonly<Record<string, string>>, file: string, root: string]>
> = {
  "a package of a repository": [
    { [REPOSITORY]: "", "packages/a/package.json": "{}", "packages/a/tsconfig.json": "{}" },
    "packages/a/src/x.ts",
    ".",
  ],
  "an example with a lock file in a repository": [
    { [REPOSITORY]: "", "examples/a/package-lock.json": "{}", "examples/a/package.json": "{}" },
    "examples/a/x.ts",
    ".",
  ],
  "a repository below a package": [
    { "package.json": "{}", "package-lock.json": "{}", [`a/${REPOSITORY}`]: "", "a/package.json": "{}" },
    "a/x.ts",
    "a",
  ],
  "a repository in a repository": [{ [REPOSITORY]: "", [`vendor/b/${REPOSITORY}`]: "" }, "vendor/b/x.ts", "vendor/b"],
  "a submodule": [{ [REPOSITORY]: "", "lib/sub/.git": SUBMODULE, "lib/sub/package.json": "{}" }, "lib/sub/x.ts", "."],
  "a worktree in a repository": [{ [REPOSITORY]: "", "trees/b/.git": WORKTREE }, "trees/b/x.ts", "trees/b"],
  "a package of a workspace of pnpm": [
    { "pnpm-workspace.yaml": "", "a/package.json": "{}", "a/package-lock.json": "{}" },
    "a/src/x.ts",
    ".",
  ],
  "a package of a workspace of npm": [
    { "package.json": `{ "workspaces": ["a"] }`, "a/package.json": "{}", "a/tsconfig.json": "{}" },
    "a/src/x.ts",
    ".",
  ],
  "a package of a workspace of Deno": [{ "deno.json": `{"workspace":["./a"]}`, "a/deno.json": "{}" }, "a/x.ts", "."],
  "a package under a lock file": [{ "yarn.lock": "", "a/package.json": "{}" }, "a/x.ts", "."],
  "a project with jsconfig.json": [{ "jsconfig.json": "{}" }, "src/x.js", "."],
  "a project of Deno": [{ "deno.jsonc": "{}" }, "src/x.ts", "."],
  "a package alone": [{ "package.json": "{}", "src/y.ts": "" }, "src/x.ts", "."],
  "a dependency": [{ "package.json": "{}", "node_modules/d/package.json": "{}" }, "node_modules/d/lib/x.js", "."],
  "a file alone": [{}, "x.ts", "?."],
};

describeContract("nvim", (editor) => {
  let nvim: Neovim;
  beforeAll(async () => {
    nvim = await startNeovim({ editor });
  });
  afterAll(async () => {
    await nvim.dispose();
  });

  const put = async (path: string, text = ""): Promise<void> => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  };

  const rootOf = async (path: string): Promise<[root: string, isMarked: boolean]> =>
    await nvim.lua(
      `local bufnr = vim.fn.bufadd(...)
       local root, is_marked = require("agentq.client").root(bufnr)
       return { root, is_marked }`,
      path,
    );

  it.each(Object.entries(PROJECTS))("finds the root of %s", async (title, [files, file, expected]) => {
    const top = join(nvim.folder, "projects", title.replaceAll(" ", "-"));
    for (const [name, text] of Object.entries({ ...files, [file]: "" })) await put(join(top, name), text);
    const root = join(top, expected.replace("?", ""));
    expect(await rootOf(join(top, file))).toEqual([root, !expected.startsWith("?")]);
  });

  it("takes no home folder for a project, whatever stands there, but what lies below", async () => {
    const home = join(nvim.folder, "home");
    for (const name of [REPOSITORY, "package.json", "yarn.lock", "code/a/package.json", "code/b/y.ts"]) {
      await put(join(home, name), "{}");
    }
    expect(await rootOf(join(home, "code/a/src/x.ts"))).toEqual([join(home, "code/a"), true]);
    expect(await rootOf(join(home, "code/b/x.ts"))).toEqual([join(home, "code/b"), false]);
    expect(await rootOf(join(home, "x.ts"))).toEqual([home, false]);
  });

  it("takes what the person chose before all of that", async () => {
    const top = join(nvim.folder, "chosen");
    for (const name of [REPOSITORY, "a/project.toml", "a/b/package.json"]) await put(join(top, name), "{}");
    await nvim.lua(`vim.g.agentq = vim.tbl_extend("force", vim.g.agentq, { root_markers = { "project.toml" } })`);
    expect(await rootOf(join(top, "a/b/x.ts"))).toEqual([join(top, "a"), true]);
    await nvim.lua(
      `local folder = ...
       vim.g.agentq = { cmd = vim.g.agentq.cmd, root_dir = function() return folder end }`,
      join(top, "a/b"),
    );
    expect(await rootOf(join(top, "x.ts"))).toEqual([join(top, "a/b"), true]);
  });
});
