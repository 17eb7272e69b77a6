/** Commands that go on by themselves, asked through the real server. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { itAtLength } from "../support/extent.ts";
import type { ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import { ServerClient } from "../support/server-client.ts";
import { describeWalled, treeOf, walledPath } from "../support/wall.ts";
import { serverStage } from "../support/server-stage.ts";

describeWalled("a command in the background", () => {
  const stage = serverStage({
    project: { ".gitignore": "dist/\n.cache/\n.env\n", "a.txt": "one\n", ".env": "CANARY\n", "dist/old.js": "old\n" },
    env: { PATH: walledPath() },
  });
  let folder: string;
  let client: ServerClient;

  beforeEach(() => {
    ({ folder, client } = stage);
    execFileSync("git", ["init", "-q"], { cwd: folder });
  });
  afterEach(async () => {
    const { background = [] } = await stage.client.request("agentq/status", {});
    for (const { id } of background) {
      const args = { background: `stop ${id}` };
      await stage.client.request("agentq/callTool", { name: "run_command", arguments: args });
    }
  });

  const call = (args: object): Promise<ToolResult> =>
    client.request("agentq/callTool", { name: "run_command", arguments: args as Record<string, unknown> });
  const start = (command: string): Promise<ToolResult> => call({ command, background: "start" });
  const read = async (id: string): Promise<string> => (await call({ background: id })).content;
  /** What is said of a command until it has ended: a slow machine says it in more than one answer. */
  const untilItEnds = async (command: string): Promise<string> => {
    let said = (await start(command)).content;
    const [id = ""] = /^b\d+/.exec(said) ?? [];
    while (!said.includes(`${id} ended with`)) said += `\n${await read(id)}`;
    return said;
  };

  it("sees what changes in the project, says what it printed since, and is stopped with all it started", async () => {
    const first = await start("while :; do cat a.txt; sleep 0.2; done & wait");
    const id = idOf(first);
    expect(first.content).toMatch(
      /^b\d+ runs in the background\. .*\nIt sees the project as saved, and can write to only dist;/,
    );
    const printed = first.content.includes("printed:") ? first.content : await read(id);
    expect(printed).toMatch(/printed:\n {2}one\n?/);
    expect((await client.request("agentq/status", {})).background).toEqual([
      expect.objectContaining({ id, command: "while :; do cat a.txt; sleep 0.2; done & wait" }),
    ]);
    writeFileSync(path.join(folder, "new.txt"), "two\n");
    renameSync(path.join(folder, "new.txt"), path.join(folder, "a.txt"));
    await expect.poll(() => read(id)).toMatch(/printed:\n( {2}two\n?)+$/);
    expect((await call({ background: `stop ${id}` })).content).toContain(
      `${id} was stopped, with everything it started.`,
    );
    expect((await client.request("agentq/status", {})).background).toBeUndefined();
    expect((await call({ background: id })).error).toContain(`No command "${id}" runs in the background`);
  });

  it.each([true, "true"])("starts where background is %j", async (background) => {
    expect((await call({ command: "sleep 60", background })).content).toMatch(/^b\d+ runs in the background\./);
  });

  it.each([false, "false", "", null])("is waited for where background is %j", async (background) => {
    expect((await call({ command: "echo here", background, cwd: "", hosts: null })).content).toMatch(/^Exit code 0, /);
  });

  it("writes to folders that git ignores, and to nothing else; none of it is real", async () => {
    const before = treeOf(folder);
    const content = await untilItEnds(
      "echo new > dist/new.js; cat dist/new.js dist/old.js; echo x > a.txt; echo x > b.txt; cat .env; echo x >> .git/config; echo end",
    );
    expect(content).toMatch(/^b\d+ ended with exit code 0\./m);
    expect(content).toMatch(/ {2}new\n {2}old\n/);
    expect(content.match(/Read-only file system/g)).toHaveLength(3);
    expect(content).not.toContain("CANARY");
    expect(treeOf(folder)).toEqual(before);
  });

  it("does not see a secret that is replaced while it runs, or comes to stand there", async () => {
    const id = idOf(await start("while :; do echo round; cat .env sub/.env.local dist/.env 2>&1; sleep 0.1; done"));
    mkdirSync(path.join(folder, "sub"));
    for (const name of [".env", "sub/.env.local", "dist/.env"]) {
      writeFileSync(path.join(folder, "new"), "CANARY-2\n");
      renameSync(path.join(folder, "new"), path.join(folder, name));
    }
    // Between the replacing and the closing lies a moment, and rounds before it know nothing of the new files.
    const closed = /^(?!.*CANARY).*round\s+(?:cat: \S+: Permission denied\s+)*cat: dist\/\.env: No such file/s;
    await expect.poll(() => read(id)).toMatch(closed);
    let after = "";
    await expect.poll(async () => (after += await read(id))).toMatch(/(?:round.*){4}/s);
    expect(after).not.toContain("CANARY");
  });

  itAtLength("runs where git ignores no folder, and says that nothing can be written", async () => {
    rmSync(path.join(folder, "dist"), { recursive: true });
    const { content } = await start("echo begun; sleep 60");
    expect(content).toContain("can write to nothing of the project;");
    expect(content).toMatch(/printed:\n {2}begun$/);
  });

  it("reaches no socket of the project, at which somebody outside listens", async () => {
    let heard = 0;
    const server: Server = createServer((socket) => {
      heard += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(path.join(folder, "s"), resolve));
    const code =
      'require("net").connect("s").on("connect",()=>console.log("CANARY")).on("error",(e)=>console.log(e.code))';
    const content = await untilItEnds(`node -e '${code}'`);
    server.close();
    expect(content).toMatch(/ECONNREFUSED|EACCES|ENOTSOCK/);
    expect(heard).toBe(0);
  });

  it("ends with the server, and leaves neither a process nor a layer", async () => {
    client = await stage.start({}, { isProgram: true });
    await start(`while :; do echo x; sleep 0.1; done # ${folder}`);
    const pid = client.child.pid;
    await client.close();
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`agentq-layer-${pid}-`))).toEqual([]);
    const running = readdirSync("/proc").filter(
      (each) => /^\d+$/.test(each) && commandLine(each).includes(`# ${folder}`),
    );
    expect(running).toEqual([]);
    expect(existsSync(path.join(folder, "a.txt"))).toBe(true);
  });

  it("says what is wrong with an order that cannot be followed", async () => {
    expect((await call({ background: "start" })).error).toContain("NOT RUN: no command is given.");
    expect((await call({ background: "stop b77" })).error).toContain('No command "stop b77" runs');
    expect(await untilItEnds("exit 3")).toMatch(/^b\d+ ended with exit code 3\.\nNothing new was printed\./m);
  });
});

const idOf = ({ content }: ToolResult): string => /^b\d+/.exec(content)?.[0] ?? "";

function commandLine(pid: string): string {
  try {
    return execFileSync("cat", [`/proc/${pid}/cmdline`], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return "";
  }
}
