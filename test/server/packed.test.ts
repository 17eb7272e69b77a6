/** The package as it is published: packed, unpacked elsewhere with what it depends on and nothing else, and started there. */
import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { AcpClient } from "../support/acp-client.ts";
import { bareEnvironment } from "../support/server-client.ts";
import { SessionStage } from "../support/session-stage.ts";
import { Terminal, whyNoTerminal } from "../support/terminal.ts";

// A test starts several servers, one after the other, and the machine may be busy with other things.
vi.setConfig({ testTimeout: 90_000 });

const repository = fileURLToPath(new URL("../..", import.meta.url));

let stage: SessionStage;
let top: string;
/** As npm links it. */
let program: string;
let installed: string;

/** What npm does with the tarball, but for the packages: those of this checkout are linked in place of a download. */
beforeAll(async () => {
  stage = new SessionStage();
  await stage.open();
  top = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-packed-")));
  const modules = path.join(top, "lib/node_modules");
  installed = path.join(modules, "agentq");
  mkdirSync(modules, { recursive: true });
  mkdirSync(path.join(top, "bin"));
  const packed = spawnSync("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", top], {
    cwd: repository,
    encoding: "utf8",
  });
  spawnSync("tar", ["-xzf", path.join(top, packed.stdout.trim()), "-C", modules]);
  renameSync(path.join(modules, "package"), installed);
  const { dependencies, bin } = JSON.parse(readFileSync(path.join(installed, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
    bin: { agentq: string };
  };
  for (const name of Object.keys(dependencies)) {
    const place = path.join(installed, "node_modules", name);
    mkdirSync(path.dirname(place), { recursive: true });
    symlinkSync(path.join(repository, "node_modules", name), place);
  }
  program = path.join(top, "bin/agentq");
  symlinkSync(path.join(installed, bin.agentq), program);
}, 120_000);

afterAll(async () => {
  await stage.dispose();
  rmSync(top, { recursive: true, force: true });
});

function agentq(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: "utf8",
    cwd: stage.folder,
    env: bareEnvironment(stage.environment()),
  });
  return { status, stdout, stderr };
}

/** The first thing that a server says to a message. */
async function firstAnswer(args: readonly string[], message: string): Promise<string> {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: stage.folder,
    env: bareEnvironment(stage.environment()),
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  child.stdin.write(message);
  await expect.poll(() => said, { timeout: 60_000 }).toContain(`"agentq"`);
  child.stdin.end();
  child.kill();
  await ended;
  return said;
}

const initialize = (params: object): string => JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });

describe("the packed program", () => {
  it("tells what is there, and finds all of its parts", () => {
    const { status, stdout } = agentq("doctor");
    expect({ status, missing: /^(?:error|missing).*/m.exec(stdout)?.[0] }).toEqual({ status: 0, missing: undefined });
    expect(stdout).toMatch(/ok +TypeScript: [^]*ok +REPL transpiler: [^]*ok +Text search: /);
    expect(agentq("tool", "document_outline", "path=src/money.ts").stdout).toContain("class Money");
    expect(agentq("tool", "eval_form", "form=6*7").stdout).toContain("42");
  });

  it.each([
    ["nvim", ["lua/agentq", "plugin/agentq.lua"]],
    ["emacs", ["agentq.el"]],
  ])("has the client for %s where it says", (editor, files) => {
    const folder = agentq("clients", editor).stdout.trimEnd();
    expect(folder).toBe(path.join(installed, `client-${editor}`));
    for (const file of files) expect(existsSync(path.join(folder, file)), file).toBe(true);
    expect(agentq("clients", "vim")).toMatchObject({ status: 2, stdout: "" });
  });

  it("serves editors, clients of MCP and clients of ACP", async () => {
    const body = initialize({ processId: null, rootUri: null, capabilities: {} });
    expect(await firstAnswer(["--stdio"], `Content-Length: ${body.length}\r\n\r\n${body}`)).toContain("agentq/prompt");
    const mcp = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1.0.0" } };
    expect(await firstAnswer(["mcp"], `${initialize(mcp)}\n`)).toContain("serverInfo");
    const acp = new AcpClient(stage, { program });
    await acp.initialize();
    expect(await acp.prompt(await acp.newSession(), "Hello.")).toEqual({ stopReason: "end_turn" });
    await acp.close();
  });

  it.skipIf(whyNoTerminal() !== "")("talks in a terminal", async () => {
    const terminal = new Terminal(["chat"], { cwd: stage.folder, env: stage.environment(), program });
    await terminal.until(/\n> $/);
    terminal.send("Hello.\r");
    await terminal.until(/Done\.[^]*\n> $/);
    terminal.send("\u0004");
    expect(await terminal.ended()).toBe(0);
    await terminal.dispose();
  });
});

describe("the help", () => {
  it.each(["chat", "ask", "tool", "repl", "mcp", "acp", "doctor", "clients", "completion"])(
    "of %s tells its usage",
    (name) => {
      const { status, stdout, stderr } = agentq(name, "--help");
      expect({ status, stderr, first: stdout.split("\n")[0] }).toEqual({
        status: 0,
        stderr: "",
        first: expect.stringMatching(new RegExp(`^usage: agentq ${name}\\b`)),
      });
      expect(agentq("--help").stdout).toMatch(new RegExp(`^ {2}agentq ${name}\\b`, "m"));
    },
  );
});

describe("completion", () => {
  /** What bash offers for the last word. */
  function offered(...words: string[]): string[] {
    const script = [
      agentq("completion", "bash").stdout,
      `COMP_WORDS=(agentq ${words.map((word) => `"${word}"`).join(" ")})`,
      `COMP_CWORD=${words.length}`,
      "_agentq",
      `printf '%s\\n' "\${COMPREPLY[@]}"`,
      "complete -p agentq",
    ].join("\n");
    const { stdout, stderr } = spawnSync("bash", ["--norc", "--noprofile"], {
      input: script,
      encoding: "utf8",
      cwd: stage.folder,
    });
    expect({ stderr, last: stdout.trimEnd().split("\n").at(-1) }).toEqual({
      stderr: "",
      last: "complete -F _agentq agentq",
    });
    return stdout.trimEnd().split("\n").slice(0, -1);
  }

  it.each<[string[], string[]]>([
    [["c"], ["chat", "clients", "completion"]],
    [["--s"], ["--stdio"]],
    [
      ["clients", ""],
      ["nvim", "emacs", "--help"],
    ],
    [["ask", "--y"], ["--yes-to"]],
    [["ask", "--yes-to", ""], ["reads"]],
    [["acp", "--settings", "packa"], ["package.json"]],
  ])("in a real bash offers for %j what fits", (words, fitting) => {
    expect(offered(...words)).toEqual(fitting);
  });

  it("is printed for zsh and fish too, and for no other shell", () => {
    expect(agentq("completion", "zsh").stdout).toMatch(/^#compdef agentq\n[^]*chat:talk about/);
    expect(agentq("completion", "fish").stdout).toContain(
      `complete -c agentq -n "__fish_seen_subcommand_from chat" -l continue`,
    );
    expect(agentq("completion", "csh")).toMatchObject({ status: 2, stdout: "" });
  });
});
