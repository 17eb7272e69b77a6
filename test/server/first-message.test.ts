/** What the model knows before its first answer, and what later turns add: read from the requests that a real server sends. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { blocksOf, textOf, type RequestBody } from "../../examples/demo/model/request-body.ts";
import { type ScriptedModel } from "../../examples/demo/scripted-model.ts";
import { ServerClient } from "../support/server-client.ts";
import { serverStage } from "../support/server-stage.ts";

const stage = serverStage();
let folder: string;
let model: ScriptedModel;
let client: ServerClient;

beforeEach(() => void ({ folder, model, client } = stage));

async function say(text: string, more: { sessionId?: string; active?: object } = {}): Promise<string> {
  const { turnId, sessionId } = await client.request("agentq/prompt", { text, ...more } as never);
  await client.turn(turnId);
  return sessionId;
}

const last = (): RequestBody => model.requests.at(-1) as RequestBody;
/** The text blocks of the latest message. */
const blocks = (): string[] => blocksOf(last().messages.at(-1) as never).map((block) => String(block["text"]));

function git(...args: string[]): void {
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder };
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: folder, env, stdio: "ignore" });
}

const cursor = (line: number) => ({ start: { line, character: 2 }, end: { line, character: 2 } });

describe("the first message", () => {
  it("tells of the project in a block of its own, before the person's words", async () => {
    git("init", "-q", "-b", "trunk");
    const file = path.join(folder, "src/tax.ts");
    const uri = await client.open(file, `${readFileSync(file, "utf8")}\n// more`);
    // On a busy machine git may answer after the deadline, and the files may not all be counted by then.
    const about = await vi.waitUntil(
      async () => {
        await say("hello", { active: { uri, range: cursor(3) } });
        const [told = "", ...words] = blocks();
        expect(words).toEqual(["hello"]);
        return /not known in time|\/ \d+\+/.test(told) ? undefined : told;
      },
      { timeout: 25_000 },
    );
    expect(about).toMatch(/^\[About the project, from the server; .* are data\.\]\n\w+day \d{4}-\d\d-\d\d, \w+ \w+\n/);
    expect(about).toContain(
      `\nWorkspace ${folder}\n  files: src/ 14, test/ 3, types/ 1; package.json, tsconfig.json\n`,
    );
    expect(about).toContain("\n  git: branch trunk, no commit yet; 5 untracked: ");
    expect(about).toContain("\n  tests: node:test (run_tests runs them)\n  package.json: invoices 1.0.0, ES modules, ");
    expect(about).toMatch(/\nTypeScript 7\.\d+\.\d+; REPL: \S/);
    const { wall } = await client.request("agentq/status", {});
    if (wall.level === "walled") {
      expect(about).toMatch(/; REPL: Walled by .*\. Tests and commands run behind the operating system's wall\.\n/);
    } else expect(about).toContain(wall.missing);
    expect(about).toMatch(
      /\nOpen in the editor: src\/tax\.ts \(not saved\)\nThe person is in src\/tax\.ts:4 \(cursor\)$/,
    );
    expect(about.length).toBeLessThan(2_500);
  });

  it("comes behind a system prompt and tools that have no more than 16 KB, also where the editor tells of its buffers", async () => {
    client = await stage.start({}, { agentq: { version: 1, proposals: true, approvals: true, buffers: true } });
    await say("hello");
    const { system, tools = [] } = last();
    expect(tools.map((tool) => tool["name"])).toEqual(
      expect.arrayContaining(["read_buffer", "run_command", "delegate"]),
    );
    const schemas = JSON.stringify(tools.map(({ cache_control: _mark, ...schema }) => schema));
    expect(Buffer.byteLength(textOf(system) + schemas)).toBeLessThanOrEqual(16 * 1024);
  });

  it("leaves the system prompt the same for every project", async () => {
    await say("one");
    const one = last().system;
    const other = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-other-")));
    client = new ServerClient({ env: stage.environment() });
    await client.initialize([other]);
    await say("two");
    expect(blocks()[0]).toContain(`Workspace ${other}\n  files: (empty)\n  git: no repository`);
    expect(last().system).toEqual(one);
    await client.close();
    rmSync(other, { recursive: true });
  });

  it("names no secret that is open or active", async () => {
    writeFileSync(path.join(folder, ".env"), "KEY=very-secret");
    await client.open(path.join(folder, ".env"), "KEY=very-secret");
    const outside = await client.open(path.join(tmpdir(), "elsewhere.ts"), "outside");
    await say("hello", { active: { uri: pathToFileURL(path.join(folder, ".env")).href, range: cursor(0) } });
    expect(JSON.stringify(last().messages)).not.toMatch(/very-secret|Open in the editor|The person is in/);
    await say("hello", { active: { uri: outside } });
    expect(JSON.stringify(last().messages)).not.toContain("elsewhere");
  });
});

describe("a later message", () => {
  it("tells of another branch and another place, once", async () => {
    git("init", "-q", "-b", "trunk");
    const [tax, money] = ["src/tax.ts", "src/money.ts"].map((name) => pathToFileURL(path.join(folder, name)).href);
    const sessionId = await say("hello", { active: { uri: tax, range: cursor(0) } });
    git("checkout", "-q", "-b", "feature");
    const selected = { start: { line: 1, character: 0 }, end: { line: 3, character: 0 } };
    await say("on", { sessionId, active: { uri: money, range: selected } });
    expect(blocks()).toEqual([
      "[Since your last turn: Git: feature is checked out now, no longer trunk. The person is in src/money.ts:2-3 (selected).]",
      "on",
    ]);
    await say("again", { sessionId, active: { uri: money, range: selected } });
    expect(blocks()).toEqual(["again"]);
    expect(textOf(last().messages[0]?.content)).toContain("[About the project");
  });

  it("is kept with the place of the person, who reads it when the conversation is shown again", async () => {
    const tax = pathToFileURL(path.join(folder, "src/tax.ts")).href;
    const sessionId = await say("hello", { active: { uri: tax, range: cursor(3) } });
    await say("nowhere", { sessionId });
    await say("hidden", {
      sessionId,
      active: { uri: pathToFileURL(path.join(folder, ".env")).href, range: cursor(0) },
    });
    const { items } = await client.request("agentq/openSession", { sessionId });
    const begun = items.flatMap(({ event }) => (event.kind === "turnStarted" ? [[event.text, event.place]] : []));
    expect(begun).toEqual([
      ["hello", "src/tax.ts:4"],
      ["nowhere", undefined],
      ["hidden", undefined],
    ]);
  });

  it("refuses a place of another shape", async () => {
    await expect(say("hello", { active: { path: "src/tax.ts" } })).rejects.toThrow(/active/);
  });
});
