import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, it } from "vitest";
import { describeContract } from "../support/editors.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);

/** What a person finds in the editor that an init.lua makes: all of it is printed by the editor itself. */
interface Found {
  readonly command: number;
  readonly help: string;
  readonly width: number;
  readonly lsp: boolean;
  readonly health: number;
  readonly clients: number;
  readonly modules: readonly string[];
}

/** Opens a source file of a project and a stray one, as a person does who has not asked anything yet. */
const LOOK = `
  vim.cmd.edit("stray/x.js")
  vim.cmd.edit("project/a.ts")
  local modules = vim.tbl_filter(function(name) return vim.startswith(name, "agentq") end, vim.tbl_keys(package.loaded))
  local has_lsp = package.loaded["vim.lsp"] ~= nil
  vim.cmd.help("agentq")
  local found = {
    command = vim.fn.exists(":AgentQ"),
    help = vim.fn.resolve(vim.fn.expand("%:p")),
    width = require("agentq.config").get().chat.width,
    lsp = has_lsp,
    health = #vim.api.nvim_get_runtime_file("lua/agentq/health.lua", true),
    clients = #vim.lsp.get_clients(),
    modules = modules,
  }
  io.stdout:write("FOUND " .. vim.json.encode(found) .. "\\n")
  vim.cmd("qa!")
`;

/** The lines of an init.lua that a checkout or a copy of it is used by; `home` is the editor's own folder. */
type Layout = (home: string) => Promise<string>;

/** The checkout as a folder that a package manager would have made. */
async function linkInto(...parts: readonly string[]): Promise<void> {
  const folder = join(...parts);
  await mkdir(folder, { recursive: true });
  await symlink(ROOT, join(folder, "agent-q"));
}

/** What a plugin manager clones: a repository with the files of the plugin. */
async function repositoryIn(home: string): Promise<string> {
  const folder = join(home, "agent-q");
  for (const part of ["plugin", "lua", "client-nvim"])
    await cp(join(ROOT, part), join(folder, part), { recursive: true });
  const identity = ["-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false"];
  await run("git", ["init", "--quiet", "--initial-branch=main", folder]);
  await run("git", ["-C", folder, "add", "--all"]);
  await run("git", ["-C", folder, ...identity, "commit", "--quiet", "--message", "all"]);
  return pathToFileURL(folder).href;
}

const SETUP = `require("agentq").setup({ chat = { width = 50 } })`;

const layouts: Readonly<Record<string, Layout>> = {
  "the client's folder on 'runtimepath'": () =>
    Promise.resolve(`vim.opt.runtimepath:prepend("${join(ROOT, "client-nvim")}") ${SETUP}`),
  "the checkout on 'runtimepath', as lazy.nvim puts it": () =>
    Promise.resolve(`vim.opt.runtimepath:prepend("${ROOT}") ${SETUP}`),
  "a package that starts by itself": async (home) => {
    await linkInto(home, "data/nvim/site/pack/any/start");
    return `vim.g.agentq = { chat = { width = 50 } }`;
  },
  "a package that init.lua adds, as mini.deps does": async (home) => {
    await linkInto(home, "data/nvim/site/pack/any/opt");
    return `vim.cmd.packadd("agent-q") ${SETUP}`;
  },
};

describeContract("nvim", (editor) => {
  let home: string;

  beforeEach(async () => {
    home = await realpath(await mkdtemp(join(tmpdir(), "agentq-install-")));
    await mkdir(join(home, "config/nvim"), { recursive: true });
    for (const folder of ["project", "stray"]) await mkdir(join(home, folder));
    await writeFile(join(home, "project/package.json"), "{}");
    await writeFile(join(home, "project/a.ts"), "export const a = 1;\n");
  });

  afterEach(async () => {
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  });

  /** What a person finds in an editor that starts with these lines of init.lua, and with nothing else. */
  async function find(init: string): Promise<Found> {
    await writeFile(join(home, "config/nvim/init.lua"), init);
    const { stdout, stderr } = await run(
      editor.path,
      ["--headless", "-i", "NONE", "-n", "-c", `lua ${oneLine(LOOK)}`],
      {
        cwd: home,
        env: {
          PATH: process.env["PATH"],
          HOME: home,
          XDG_CONFIG_HOME: join(home, "config"),
          XDG_DATA_HOME: join(home, "data"),
          XDG_STATE_HOME: join(home, "state"),
          XDG_CACHE_HOME: join(home, "cache"),
        },
      },
    );
    const line = stdout.split("\n").find((each) => each.startsWith("FOUND "));
    if (line === undefined) throw new Error(`the editor printed nothing: ${stderr}`);
    return JSON.parse(line.slice("FOUND ".length)) as Found;
  }

  const installed = (help: string): Found => ({
    command: 2,
    help,
    width: 50,
    lsp: false,
    health: 1,
    clients: 0,
    modules: expect.not.arrayContaining(["agentq.chat.chat"]) as never,
  });

  for (const [name, layout] of Object.entries(layouts)) {
    it(`is installed by ${name}: command, help, options and health are there, and nothing has started`, async () => {
      expect(await find(await layout(home))).toEqual(installed(join(ROOT, "client-nvim/doc/agentq.txt")));
    });
  }

  /** Runs the hook of a plugin manager with an npm that says something and ends so, and answers what the person reads. */
  async function hook(code: number): Promise<string> {
    await mkdir(join(home, "bin"));
    await writeFile(
      join(home, "bin/npm"),
      `#!/bin/sh\nsleep 0.2\necho "$* in $PWD" > said\necho no space left >&2\nexit ${code}\n`,
      {
        mode: 0o755,
      },
    );
    const lua = `
      vim.opt.runtimepath:prepend("${join(ROOT, "client-nvim")}")
      dofile("${join(ROOT, "client-nvim/lua/agentq/build.lua")}")("${home}")
      vim.cmd("runtime plugin/agentq.lua | AgentQ")
      vim.wait(20000, function() return vim.g.agentq_is_building == nil end)
      vim.cmd("qa!")`;
    const { stderr } = await run(editor.path, ["--clean", "--headless", "-i", "NONE", "-c", `lua ${oneLine(lua)}`], {
      cwd: home,
      env: { PATH: `${join(home, "bin")}:${process.env["PATH"]}`, HOME: home },
    });
    expect(await readFile(join(home, "said"), "utf8")).toBe(`run build in ${home}\n`);
    return stderr.replaceAll("\r", "");
  }

  it("builds by a hook while the editor goes on, and says that it begins and ends", async () => {
    expect(await hook(0)).toMatch(/is being built, which .*\n.*is being built; a message.*\n.*the server is built$/);
  });

  it("says that a build failed, and what npm said last", async () => {
    expect(await hook(1)).toMatch(/is being built, which [^]*npm run build failed, .*\nno space left$/);
  });

  // Older versions have no vim.pack.
  if (!/^0\.1[01]\./.test(editor.version)) {
    it("is installed by vim.pack, from a clone of the repository", async () => {
      const source = await repositoryIn(home);
      const init = `vim.pack.add({ { src = "${source}" } }, { confirm = false }) ${SETUP}`;
      const help = join(home, "data/nvim/site/pack/core/opt/agent-q/client-nvim/doc/agentq.txt");
      expect(await find(init)).toEqual(installed(help));
    });
  }
});

function oneLine(lua: string): string {
  return lua.replaceAll("\n", " ");
}
