/** Commands in workspaces of every shape: names that shells and mounts trip over, several folders, git's worktrees and submodules. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import { applyOnDisk } from "../support/apply-on-disk.ts";
import { runsAll } from "../support/extent.ts";
import { ServerClient } from "../support/server-client.ts";
import { describeWalled, walledPath } from "../support/wall.ts";

let top: string;
let client: ServerClient;

beforeEach(() => {
  top = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-workspaces-")));
});
afterEach(async () => {
  await client.close();
  rmSync(top, { recursive: true, force: true });
});

async function start(...folders: string[]): Promise<void> {
  client = new ServerClient({ env: { PATH: walledPath() } });
  await client.initialize(folders);
}

function run(command: string, more: object = {}): Promise<ToolResult> {
  return client.request("agentq/callTool", { name: "run_command", arguments: { command, ...more } });
}

/** Runs a command and accepts everything that it changed. */
async function accepted(command: string, more: object = {}): Promise<string> {
  const answer = run(command, more);
  const { proposalId, hunks } = await client.nextProposal();
  const all = hunks.map(({ id }) => ({ id, decision: "accept" as const }));
  const { edit } = await client.request("agentq/decide", { proposalId, hunks: all });
  applyOnDisk(edit);
  await client.request("agentq/didApply", { proposalId, documents: [] });
  return (await answer).content;
}

function write(folder: string, file: string, text: string): void {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
  writeFileSync(path.join(folder, file), text);
}

function git(folder: string, ...args: string[]): void {
  const person = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always"];
  execFileSync("git", [...person, ...args], { cwd: folder, stdio: "ignore" });
}

describeWalled("run_command in a workspace", () => {
  const NAMES: readonly (readonly [string, string])[] = [
    ["blanks and dashes", "-- with  blanks -"],
    ["quotes", `it's "quoted" \`so\``],
    ["what shells expand", "$HOME ${PATH} $(id) * ~ ! # & ; |"],
    ["what mounts read", "a:b,c=d\\e\\040f"],
    ["a new line", "one\ntwo"],
    ["letters of others", "žluťoučký-日本語-🙂"],
  ];
  const ALL = ["all of these", NAMES.map(([, name]) => name).join(" ")] as const;

  it.each(runsAll ? [...NAMES, ALL] : [ALL])("whose name has %s", async (_, name) => {
    const folder = path.join(top, name);
    write(folder, "src/a.ts", "export const a = 1;\n");
    write(folder, ".env", "SECRET=of this test\n");
    write(folder, "sub dir/.env.local", "SECRET=of this test\n");
    git(folder, "init", "-q");
    await start(folder);
    const { content } = await run("pwd; git status --short; cat .env 'sub dir/.env.local'; ls -a", { cwd: "src" });
    expect(content).toContain(`Exit code`);
    expect(content).not.toContain("of this test");
    expect(content).toContain("?? ");
    expect(await accepted("sed -i s/1/2/ src/a.ts; echo new > 'b c.txt'")).toContain("APPLIED: all 2 of 2 hunks.");
    expect(readFileSync(path.join(folder, "src/a.ts"), "utf8")).toBe("export const a = 2;\n");
    expect(readFileSync(path.join(folder, "b c.txt"), "utf8")).toBe("new\n");
  });

  it("of two folders, both of which can be written to, and one inside of the other", async () => {
    const [one, two] = [path.join(top, "one"), path.join(top, "two")];
    write(one, "a.txt", "one\n");
    write(two, "a.txt", "two\n");
    write(two, "inner/a.txt", "inner\n");
    write(top, "beside.txt", "beside\n");
    await start(one, two, path.join(two, "inner"));
    expect((await run("cat ../two/a.txt ../two/inner/a.txt ../beside.txt")).content).toMatch(
      /printed:\n {2}two\n {2}inner\n {2}cat: .*beside\.txt.*No such file/,
    );
    const command = "for f in a.txt ../two/a.txt ../two/inner/a.txt; do echo more >> $f; done";
    expect(await accepted(command)).toContain("APPLIED: all 3 of 3 hunks.");
    for (const file of ["one/a.txt", "two/a.txt", "two/inner/a.txt"]) {
      expect(readFileSync(path.join(top, file), "utf8")).toMatch(/\nmore\n$/);
    }
  });

  it("that keeps a secret in its repository: what git says of the secret is not taken for the truth", async () => {
    const folder = path.join(top, "leaky");
    write(folder, "config/.env", "SECRET=of this test\n");
    write(folder, "a.ts", "export {};\n");
    git(folder, "init", "-q");
    git(folder, "add", ".");
    git(folder, "commit", "-qm", "all");
    await start(folder);
    const { content } = await run("git status --short; git diff");
    expect(content).toMatch(
      /\nNot changed, whatever git says: config\/\.env\. Files under names of secrets are empty for commands\.\nprinted:\n {3}M config\/\.env\n/,
    );
    expect(content).not.toContain("of this test");
    expect((await run("echo .env process.env nothing.pem")).content).not.toContain("Not changed");
  });

  it("that is named by a symbolic link", async () => {
    write(path.join(top, "real"), "a.txt", "one\n");
    write(path.join(top, "real"), "sub/b.txt", "b\n");
    symlinkSync("real", path.join(top, "link"));
    await start(path.join(top, "link"));
    expect((await run("cat b.txt", { cwd: "sub" })).content).toContain("printed:\n  b\n");
    expect(await accepted("echo two >> a.txt; pwd")).toContain("APPLIED: all 1 of 1 hunk");
    expect(readFileSync(path.join(top, "real/a.txt"), "utf8")).toBe("one\ntwo\n");
  });

  it("that is a worktree or a submodule: git answers there, and changes nothing", async () => {
    const main = path.join(top, "main");
    write(main, "a.txt", "one\n");
    git(main, "init", "-q");
    git(main, "add", ".");
    git(main, "commit", "-qm", "the first");
    git(main, "worktree", "add", "-q", path.join(top, "tree"));
    const host = path.join(top, "host");
    write(host, "h.txt", "host\n");
    git(host, "init", "-q");
    git(host, "submodule", "add", "-q", main, "sub");
    git(host, "add", ".");
    git(host, "commit", "-qm", "host");
    for (const folder of [path.join(top, "tree"), path.join(host, "sub"), host]) {
      await start(folder);
      const file = folder === host ? "h.txt" : "a.txt";
      const script = `echo more >> ${file}; git log --oneline; git status --short; git blame -s ${file}; git commit -qam x`;
      const answer = run(script);
      const { proposalId, hunks } = await client.nextProposal();
      const none = hunks.map(({ id }) => ({ id, decision: "reject" as const }));
      await client.request("agentq/decide", { proposalId, hunks: none });
      const { content } = await answer;
      expect(content).toMatch(/ (?:the first|host)\n {3}M (?:a|h)\.txt\n/);
      expect(content).toMatch(/0{8} 2\) more/);
      expect(content).toContain("Read-only file system");
      await client.close();
    }
  });
});
