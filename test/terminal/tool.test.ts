/** `agentq tool` on a copy of the example project, through pipes. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { shareAgentqHere } from "../support/agentq-here.ts";
import { runAgentq, type Run } from "../support/run-agentq.ts";
import { bareEnvironment, serverProgram } from "../support/server-client.ts";
import { SessionStage } from "../support/session-stage.ts";

const RENAME = ["rename_symbol", "symbol=allocate", "new_name=divideFairly"];

const here = shareAgentqHere();
let stage: SessionStage;
beforeAll(async () => {
  stage = new SessionStage();
  await stage.open();
});
afterAll(async () => await stage.dispose());

function tool(...args: string[]): Promise<Run> {
  return here().run(["tool", ...args], { cwd: stage.folder, env: { XDG_STATE_HOME: stage.state } });
}

it("lists the tools, one a line within the width, and as JSON", async () => {
  const { code, stdout } = await tool();
  expect(code).toBe(0);
  expect(stdout).toMatch(/^describe_symbol +What a symbol is/m);
  expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
  const listed = JSON.parse((await tool("--json")).stdout) as { name: string }[];
  expect(listed.map(({ name }) => name)).toContain("who_calls");
});

it("tells a tool's parameters with their types", async () => {
  const { code, stdout } = await tool("who_calls", "--help");
  expect(code).toBe(0);
  expect(stdout).toMatch(/who_calls \(safe\)[^]*\n {2}limit +integer\n/);
});

it("calls a tool with texts and numbers, the answer on standard output and the notes beside it", async () => {
  const { code, stdout, stderr } = await tool("describe_symbol", "symbol=allocate", "limit=1");
  expect({ code, notes: stderr }).toEqual({ code: 0, notes: expect.stringContaining("note: Searched tsconfig.json") });
  expect(stdout).toMatch(/^src\/allocate\.ts#allocate — export function/);
  expect(stdout).not.toContain("\u001b[");
});

it.each([
  [["describe_simbol"], 2, 'no tool "describe_simbol". Is "describe_symbol" meant?'],
  [["describe_symbol", "symbol=allocate", "--yes-to", "all"], 2, '--yes-to takes "reads"'],
  [["describe_symbol", "--loud"], 2, "See agentq tool --help"],
  [["describe_symbol"], 2, "/symbol: expected string (required)"],
  [["describe_symbol", "symbol=allocate", "nothing_like_it=1"], 2, "/nothing_like_it"],
])("answers %j with exit code %i and a reason", async (args, code, reason) => {
  expect(await tool(...args)).toEqual({ code, stdout: "", stderr: expect.stringContaining(reason) });
});

it("prints an edit as a patch that git takes, and writes it only with --apply", async () => {
  const file = path.join(stage.folder, "src/allocate.ts");
  const before = readFileSync(file, "utf8");
  const { code, stdout, stderr } = await tool(...RENAME);
  expect({ code, before: readFileSync(file, "utf8") }).toEqual({ code: 0, before });
  // Nobody looked, so nobody rejected it.
  expect(stderr).toContain("NOT applied: nothing is applied in this run. The person gets this edit as a patch");
  expect(stdout).toMatch(/^diff --git a\/src\/allocate\.ts/m);
  execFileSync("git", ["apply", "--check", "-"], { cwd: stage.folder, input: stdout });

  expect(await tool(...RENAME, "--apply")).toMatchObject({ code: 0 });
  expect(readFileSync(file, "utf8")).toContain("export function divideFairly(");
  expect(readFileSync(path.join(stage.folder, "src/invoice.ts"), "utf8")).toContain("divideFairly(");
});

it("denies what needs a yes when nobody can be asked", async () => {
  const { code, stderr } = await runAgentq(["tool", "run_command", "command=touch made"], {
    cwd: stage.folder,
    env: { XDG_STATE_HOME: stage.state, PATH: path.dirname(process.execPath) },
  });
  expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining("Nobody can be asked in this run.") });
});

it("ends quietly when the reader of its output has gone", async () => {
  const child = spawn(process.execPath, [serverProgram, "tool"], {
    cwd: stage.folder,
    env: bareEnvironment({ XDG_STATE_HOME: stage.state }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.destroy();
  let stderr = "";
  child.stderr.on("data", (piece: Buffer) => (stderr += piece.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  expect({ code, stderr }).toEqual({ code: 141, stderr: "" });
});

it("says that the current folder is gone", async () => {
  const gone = mkdtempSync(path.join(tmpdir(), "agentq-gone-"));
  const script = `rmdir "$PWD" && exec "$0" "$1" tool`;
  const child = spawn("sh", ["-c", script, process.execPath, serverProgram], { cwd: gone, env: bareEnvironment() });
  let stderr = "";
  child.stderr.on("data", (piece: Buffer) => (stderr += piece.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("current folder does not exist") });
  expect(() => rmdirSync(gone)).toThrow();
});
