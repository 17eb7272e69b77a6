/** Commands over a copy of the project, asked through the real server and reviewed as an editor's client does. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, expect, it } from "vitest";
import type { HunkDecision, Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import type { ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import { applyOnDisk } from "../support/apply-on-disk.ts";
import { runsAll } from "../support/extent.ts";
import { ServerClient } from "../support/server-client.ts";
import { describeWalled, hasPlainWall, treeOf, walledPath } from "../support/wall.ts";
import { serverStage } from "../support/server-stage.ts";

const stage = serverStage({ env: { PATH: walledPath() } });
/** A machine that has bubblewrap on its own search path tries it twice. */
const WITHOUT_BUBBLEWRAP: [string, string, string, string] = [
  "a folder, without the bubblewrap of the tests,",
  "node_modules",
  "node_modules/x/a",
  process.env["PATH"] ?? "",
];
let folder: string;
let client: ServerClient;

beforeEach(() => void ({ folder, client } = stage));

const at = (file: string): string => path.join(folder, file);

function run(command: string, more: object = {}): Promise<ToolResult> {
  return client.request("agentq/callTool", { name: "run_command", arguments: { command, ...more } });
}

/** A call whose changes wait for a review, and the proposal. */
async function proposed(command: string): Promise<{ proposal: Proposal; answer: Promise<ToolResult> }> {
  const answer = run(command);
  return { proposal: await client.nextProposal(), answer };
}

async function decide(
  { proposalId, hunks }: Proposal,
  decisionOf: (path: string) => HunkDecision["decision"],
): Promise<void> {
  const decisions = hunks.map(({ id, uri }) => ({
    id,
    decision: decisionOf(fileURLToPath(uri).slice(folder.length + 1)),
  }));
  const { edit } = await client.request("agentq/decide", { proposalId, hunks: decisions });
  applyOnDisk(edit);
  if (edit !== null) await client.request("agentq/didApply", { proposalId, documents: [] });
}

/** The process with this command line. */
function processWith(...words: readonly string[]): number | undefined {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const line = words.map((word) => `${word}\0`).join("");
  const pid = pids.find((each) => {
    try {
      return readFileSync(`/proc/${each}/cmdline`, "utf8") === line;
    } catch {
      return false;
    }
  });
  return pid === undefined ? undefined : Number(pid);
}

describeWalled("run_command", () => {
  it("tells exit code and output, and changes nothing that nobody accepted", async () => {
    const before = treeOf(folder);
    const { proposal, answer } = await proposed("echo hello; echo '// x' >> src/money.ts; rm src/tax.ts; exit 3");
    expect(proposal.title).toBe(
      "Changes by the command: echo hello; echo '// x' >> src/money.ts; rm src/tax.ts; exit…",
    );
    expect(proposal.hunks.map(({ kind }) => kind)).toEqual(["edit", "delete"]);
    expect(treeOf(folder)).toEqual(before);
    await decide(proposal, () => "reject");
    const { content } = await answer;
    expect(content).toMatch(/^Exit code 3, [\d.]+ m?s\.\nprinted:\n {2}hello\nNOT APPLIED: none of 2 hunks/);
    expect(treeOf(folder)).toEqual(before);
  });

  it("writes what was accepted, and no more", async () => {
    const { proposal, answer } = await proposed(
      "sed -i '1i // first' src/money.ts src/tax.ts; mkdir new; echo 'export {}' > new/a.ts; chmod 755 new/a.ts",
    );
    await decide(proposal, (file) => (file === "src/tax.ts" ? "reject" : "accept"));
    const { content } = await answer;
    expect(content).toMatch(/src\/tax\.ts.*NOT applied/);
    expect(statSync(at("new/a.ts")).mode & 0o777).toBe(0o755);
    expect(readFileSync(at("src/money.ts"), "utf8")).toMatch(/^\/\/ first\n/);
    expect(readFileSync(at("src/tax.ts"), "utf8")).not.toContain("// first");
    expect(readFileSync(at("new/a.ts"), "utf8")).toBe("export {}\n");
  });

  it("sees unsaved text, offers none of it back, and merges its own changes into it", async () => {
    const unsaved = `// typed\n${readFileSync(at("src/money.ts"), "utf8")}`;
    const uri = await client.open(at("src/money.ts"), unsaved);
    expect((await run("head -1 src/money.ts")).content).toContain(
      "printed:\n  // typed\nNothing of the project changed.",
    );
    const { proposal, answer } = await proposed("echo '// end' >> src/money.ts");
    expect(proposal.hunks.map(({ newText }) => newText)).toEqual(["// end\n"]);
    const { edit } = await client.request("agentq/decide", {
      proposalId: proposal.proposalId,
      hunks: proposal.hunks.map(({ id }) => ({ id, decision: "accept" })),
    });
    await client.apply(proposal.proposalId, edit);
    expect((await answer).content).toContain("APPLIED");
    expect(client.textOf(uri)).toBe(`${unsaved}// end\n`);
  });

  it("drops what git ignores, what leads out of the workspace and files that changed meanwhile, and says so", async () => {
    writeFileSync(at(".gitignore"), "dist/\n*.log\n");
    execFileSync("git", ["init", "-q"], { cwd: folder });
    const before = treeOf(folder);
    const running = run(
      "mkdir -p dist/deep node_modules/x; echo 1 > dist/deep/a.js; echo 2 > a.log; echo 3 > node_modules/x/b.js; ln -s ../x l; ln -s .env m; " +
        "mkfifo pipe; truncate -s 5M large.bin; echo z >> src/money.ts; sleep 61.25",
    );
    await expect.poll(() => processWith("sleep", "61.25")).toBeDefined();
    writeFileSync(at("src/money.ts"), "export const person = 1;\n");
    process.kill(processWith("sleep", "61.25") ?? 0);
    const { content } = await running;
    expect(content).toContain("Nothing of the project changed.\nDropped, not in the project:\n");
    expect(content).toContain("2 paths that git ignores: a.log, dist");
    expect(content).toContain("1 path that is never reviewed: node_modules");
    expect(content).toContain("2 paths that lead out of the workspace, to secrets, or nobody can say where: l, m");
    expect(content).toContain("1 path that is a pipe, socket, device or mount: pipe");
    expect(content).toContain("1 path that is too large for a review: large.bin");
    expect(content).toContain("1 path that changed in the project or the editor while the command ran: src/money.ts");
    expect(treeOf(folder)).toEqual({ ...before, "src/money.ts": expect.stringContaining("file") as string });
  });

  it("offers modes, links and binaries as items of the review, and puts there what was accepted", async () => {
    writeFileSync(at("old.bin"), Buffer.of(0, 255));
    const { proposal, answer } = await proposed(
      "chmod 700 src/tax.ts; ln -s src/tax.ts l; printf '\\0\\1\\2' > new.bin; printf '\\0' > old.bin; printf '#!/bin/sh\\n' > go; chmod 755 go",
    );
    expect(proposal.edit.documentChanges).toEqual([]);
    expect(proposal.hunks.map(({ kind, title, newText }) => [kind, title, newText])).toEqual([
      ["entry", "create go (text, 10 bytes, executable)", "#!/bin/sh\n"],
      ["entry", "create l (link to src/tax.ts)", ""],
      ["entry", "create new.bin (binary, 3 bytes)", ""],
      ["entry", "replace old.bin (binary, 2 bytes) by binary, 1 byte", ""],
      ["entry", "mode of src/tax.ts: 644 → 700", ""],
    ]);
    await decide(proposal, (file) => (file === "new.bin" ? "reject" : "accept"));
    const { content } = await answer;
    expect(content).toContain("PARTIALLY APPLIED: 4 of 5 hunks.");
    const tree = treeOf(folder);
    expect(tree["l"]).toBe("link to src/tax.ts");
    expect(tree["go"]).toMatch(/^file 755 /);
    expect(tree["src/tax.ts"]).toMatch(/^file 700 /);
    expect(tree["old.bin"]).toBe("file 644 AA==");
    expect(tree["new.bin"]).toBeUndefined();
    const undone = await client.request("agentq/undoProposal", { proposalId: proposal.proposalId });
    expect(undone.left).toEqual([]);
    const undo = await client.request("agentq/openProposal", { proposalId: undone.proposalId ?? "" });
    await decide(undo, () => "accept");
    expect(treeOf(folder)["l"]).toBeUndefined();
    expect(treeOf(folder)["old.bin"]).toBe("file 644 AP8=");
    expect(treeOf(folder)["src/tax.ts"]).toMatch(/^file 644 /);
  });

  it("offers a file that became a folder, and a folder that became a link", async () => {
    const { proposal, answer } = await proposed(
      "rm src/tax.ts; mkdir src/tax.ts; echo x > src/tax.ts/a.ts; mv test /tmp/t; ln -s src test",
    );
    expect(proposal.hunks.every(({ kind }) => kind === "entry")).toBe(true);
    await decide(proposal, () => "accept");
    expect((await answer).content).toContain("APPLIED: all");
    expect(treeOf(folder)).toMatchObject({ test: "link to src", "src/tax.ts/a.ts": "file 644 eAo=" });
  });

  it("puts nothing where something else came meanwhile, and says so", async () => {
    const { proposal, answer } = await proposed(
      "printf '\\0' > a.bin; mkdir d; ln -s ../src d/l; chmod 755 src/tax.ts",
    );
    writeFileSync(at("a.bin"), "person");
    symlinkSync(tmpdir(), at("d"));
    chmodSync(at("src/tax.ts"), 0o600);
    const hunks = proposal.hunks.map(({ id }) => ({ id, decision: "accept" as const }));
    const { proposalId } = proposal;
    const { conflicts } = await client.request("agentq/decide", { proposalId, hunks });
    expect(conflicts).toHaveLength(3);
    expect(treeOf(folder)).toMatchObject({ "a.bin": "file 644 cGVyc29u", d: `link to ${tmpdir()}` });
    rmSync(at("d"));
    const again = await client.request("agentq/decide", { proposalId, hunks });
    expect(again.conflicts).toHaveLength(2);
    const rest = hunks.filter(({ id }) => again.conflicts.includes(id));
    await client.request("agentq/decide", { proposalId, hunks: rest.map(({ id }) => ({ id, decision: "reject" })) });
    const { content } = await answer;
    expect(content).toContain(
      "NOT applied: it is not what it was when this was proposed, and the person left it at that",
    );
    expect(treeOf(folder)["d/l"]).toBe("link to ../src");
  });

  const idIn = (content: string): string => / continue: "(\w+)"/.exec(content)?.[1] ?? "none";

  it("goes on where an earlier run dropped something, and offers nothing twice", async () => {
    const first = await proposed(
      "mkdir -p node_modules/x; echo 1 > node_modules/x/a; echo '// 1' >> src/money.ts; echo '// 1' >> src/tax.ts",
    );
    await decide(first.proposal, (file) => (file === "src/money.ts" ? "accept" : "reject"));
    const { content } = await first.answer;
    expect(content).toContain("1 path that is never reviewed: node_modules\n");
    const id = idIn(content);
    writeFileSync(at("src/tax.ts"), "export const mine = 1;\n");
    const then = await run("cat node_modules/x/a src/tax.ts; tail -1 src/money.ts; echo 2 > node_modules/x/b", {
      continue: id,
    });
    expect(then.content).toContain("printed:\n  1\n  export const mine = 1;\n  // 1\nNothing of the project changed.");
    expect(idIn(then.content)).toBe(id);
    const last = await run("ls node_modules/x; rm -r node_modules", { continue: id });
    expect(last.content).toContain("printed:\n  a\n  b\nNothing of the project changed.");
    expect(idIn(last.content)).toBe("none");
    const { error } = await run("true", { continue: id });
    expect(error).toContain(`there is no run "${id}" to continue`);
    expect(readdirSync(folder)).not.toContain("node_modules");
  });

  it("keeps the newest three layers, and none when the server ends", async () => {
    client = await stage.start({}, { isProgram: true });
    const ids: string[] = [];
    for (const name of ["a", "b", "c", "d"])
      ids.push(idIn((await run(`mkdir node_modules; echo ${name} > node_modules/${name}`)).content));
    expect((await run("true", { continue: ids[0] })).error).toContain(
      `Runs that can be continued: ${ids.slice(1).join(", ")}.`,
    );
    expect((await run("ls node_modules", { continue: ids[1] })).content).toContain("printed:\n  b\n");
    const pid = client.child.pid;
    await client.close();
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`agentq-layer-${pid}-`))).toEqual([]);
  });

  it.each(["the same disk", "another disk"])(
    "moves in from %s what is asked for, as it is, once a person accepts it",
    async (disk) => {
      writeFileSync(at(".gitignore"), "dist/\n");
      execFileSync("git", ["init", "-q"], { cwd: folder });
      if (disk === "another disk") client = await stage.start({}, { isProgram: true, env: { TMPDIR: "/dev/shm" } });
      const made =
        "mkdir -p node_modules/.bin node_modules/x dist; echo 12 > node_modules/x/a; chmod 4755 node_modules/x/a; ln -s ../x/a node_modules/.bin/a; echo 3 > dist/b";
      const dropped = await run(made);
      const asked = await run("true", { continue: idIn(dropped.content), keep: ["nowhere"] });
      expect(asked.content).toContain("Not kept: nowhere: the command left nothing there.");
      const answer = run("true", { continue: idIn(asked.content), keep: ["node_modules", "dist"] });
      const proposal = await client.nextProposal();
      expect(proposal.hunks.map(({ title }) => title)).toEqual([
        "add node_modules (2 files, 3 bytes, as they are)",
        "add dist (1 file, 2 bytes, as it is)",
      ]);
      await decide(proposal, (file) => (file === "dist" ? "reject" : "accept"));
      const { content } = await answer;
      expect(content).toContain("PARTIALLY APPLIED: 1 of 2 hunks.");
      expect(content).toContain("1 path that git ignores: dist\n");
      expect(content).not.toContain("never reviewed");
      const tree = treeOf(folder);
      expect([tree["node_modules/x/a"], tree["node_modules/.bin/a"], tree["dist"]]).toEqual([
        "file 755 MTIK",
        "link to ../x/a",
        undefined,
      ]);
      expect(statSync(at("node_modules/x/a")).mode & 0o7000).toBe(0);
      expect(readdirSync(folder).filter((name) => name.startsWith(".agentq"))).toEqual([]);
    },
  );

  it("moves changes into a folder that is there, and nothing over what changed meanwhile", async () => {
    mkdirSync(at("node_modules/x"), { recursive: true });
    for (const name of ["a", "b", "c"]) writeFileSync(at(`node_modules/x/${name}`), name);
    const change = "echo new > node_modules/x/a; rm node_modules/x/b; mkdir node_modules/y; echo d > node_modules/y/d";
    const { content } = await run(change);
    const id = idIn(content);
    const answer = run("true", { continue: id, keep: ["node_modules"] });
    const proposal = await client.nextProposal();
    expect(proposal.hunks.map(({ title }) => title)).toEqual(["change node_modules (3 files, 6 bytes, as they are)"]);
    writeFileSync(at("node_modules/x/b"), "person");
    const hunks = proposal.hunks.map((hunk) => ({ id: hunk.id, decision: "accept" as const }));
    const { conflicts } = await client.request("agentq/decide", { proposalId: proposal.proposalId, hunks });
    expect(conflicts).toHaveLength(1);
    expect(treeOf(folder)).toMatchObject({
      "node_modules/x/a": "file 644 YQ==",
      "node_modules/x/b": "file 644 cGVyc29u",
    });
    await decide(proposal, () => "reject");
    expect((await answer).content).toContain("node_modules/x/b changed in the project since the command began");
    rmSync(at("node_modules/x/b"));
    const again = await run(change);
    const accepted = run("true", { continue: idIn(again.content), keep: ["node_modules"] });
    await decide(await client.nextProposal([proposal.proposalId]), () => "accept");
    expect((await accepted).content).toContain("APPLIED: all 1 of 1 hunks.");
    expect(Object.keys(treeOf(at("node_modules")))).toEqual(["x", "x/a", "x/c", "y", "y/d"]);
    expect(readFileSync(at("node_modules/x/a"), "utf8")).toBe("new\n");
  });

  it.each<[what: string, keep: string, file: string, searchPath?: string]>([
    ["a folder", "node_modules", "node_modules/x/a"],
    ["a file", "node_modules/x/a", "node_modules/x/a"],
    ["a file of a folder that is there", "node_modules", "node_modules/there/a"],
    ...(runsAll && hasPlainWall ? [WITHOUT_BUBBLEWRAP] : []),
  ])("moves %s in, and no later command has another name for it", async (_what, keep, file, PATH) => {
    if (PATH !== undefined) client = await stage.start({}, { isProgram: true, env: { PATH } });
    writeFileSync(at(".gitignore"), "out/\n");
    execFileSync("git", ["init", "-q"], { cwd: folder });
    if (file.includes("there")) mkdirSync(at("node_modules/there"), { recursive: true });
    const link = `mkdir -p out/in ${path.dirname(file)}; echo 1 > ${file}; ln ${file} out/in/other`;
    const answer = run(link, { keep: [keep] });
    await decide(await client.nextProposal(), () => "accept");
    const { content } = await answer;
    expect(content).toContain("APPLIED: all 1 of 1 hunks.");
    const tree = treeOf(folder);
    expect(tree[file]).toBe("file 644 MQo=");
    const later = await run("cat out/in/other; echo 2 > out/in/other; chmod 4777 out/in/other", {
      continue: idIn(content),
    });
    expect(later.content).toContain("printed:\n  1\nNothing of the project changed.");
    expect(treeOf(folder)).toEqual(tree);
    expect(statSync(at(file)).nlink).toBe(1);
  });

  it.each([
    ["../x", "outside the workspace"],
    [".git/hooks", "inside .git"],
    [".env", "may hold secrets"],
    [".", "is a workspace folder itself: name what is in it."],
    ["dist/../", "is a workspace folder itself"],
    ["dist/../../x", "outside the workspace"],
    ["dist/.git/config", "inside .git"],
    ["dist/.GIT/config", "inside .git"],
    ["dist/id_rsa", "may hold secrets"],
  ])("keeps nothing at %s", async (named, why) => {
    expect((await run("true", { keep: [named] })).error).toContain(why);
  });

  it("advises to keep nothing that is closed to edits", async () => {
    writeFileSync(at(".gitignore"), ".envrc\nout/\n");
    execFileSync("git", ["init", "-q"], { cwd: folder });
    const { content } = await run("echo 1 > .envrc; mkdir out; echo 1 > out/a");
    expect(content).toMatch(
      /1 path that is never reviewed: \.envrc\n.*goes on with that output there, with keep: \["out"\] too/s,
    );
    const alone = await run("echo 1 > .envrc");
    expect(alone.content).toMatch(/1 path that is never reviewed: \.envrc\n.*goes on with that output there\.$/s);
  });

  it("moves nothing in that everybody may write to", async () => {
    const made = "mkdir -p node_modules/x; echo 1 > node_modules/x/a; chmod 6777 node_modules/x node_modules/x/a";
    const answer = run(made, { keep: ["node_modules"] });
    await decide(await client.nextProposal(), () => "accept");
    expect((await answer).content).toContain("APPLIED: all 1 of 1 hunks.");
    for (const each of ["node_modules/x", "node_modules/x/a"]) expect(statSync(at(each)).mode & 0o7777).toBe(0o775);
  });

  it("keeps nothing that leads out, or is no file", async () => {
    const { content } = await run("mkdir node_modules; ln -s /etc/passwd node_modules/p; mkdir build; mkfifo build/f", {
      keep: ["node_modules", "build"],
    });
    expect(content).toContain("Not kept: node_modules: node_modules/p: the link leads out of the workspace folder.");
    expect(content).toContain("Not kept: build: build/f is a pipe, socket, device or mount.");
  });

  it("stops after its time with everything it started, and offers what was written until then", async () => {
    const answer = run("echo '// x' >> src/tax.ts; sleep 60 & setsid sleep 60; sleep 60", { timeout_ms: 3_000 });
    const proposal = await client.nextProposal();
    await decide(proposal, () => "accept");
    expect((await answer).content).toContain("Stopped after 3000 ms, with everything it started.");
    expect(readFileSync(at("src/tax.ts"), "utf8")).toContain("// x");
  });

  it("shows the beginning and the end of a long output", async () => {
    const { content, metadata } = await run("seq 1 100000");
    expect(content.length).toBeLessThan(20_000);
    expect(content).toMatch(
      /\n {2}1\n {2}2\n[^]*characters left out[^]*\n {2}100000\nShow less with grep, head or tail/,
    );
    expect(metadata.complete).toBe(false);
  });

  it("says what the wall keeps from a program", async () => {
    expect((await run("echo x > /usr/y")).content).toContain("Only the workspace folders, /tmp and the home folder");
    expect((await run("getent hosts example.com || echo 'Could not resolve host: example.com'")).content).toContain(
      "A command reaches only the `hosts` that it names",
    );
  });

  it("leaves no layer behind when the server ends", async () => {
    client = await stage.start({}, { isProgram: true });
    const pid = client.child.pid;
    await run("mkfifo y");
    await client.close();
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`agentq-layer-${pid}-`))).toEqual([]);
  });

  it("changes nothing where no editor shows proposals", async () => {
    client = await stage.start({}, { agentq: null });
    const before = treeOf(folder);
    expect((await run("echo x >> src/tax.ts")).content).toContain(
      "1 file changed, and nothing of it is in the project",
    );
    expect(treeOf(folder)).toEqual(before);
  });

  it.each([
    [{ cwd: "src" }, "src$"],
    [{ cwd: "../.." }, "outside the workspace"],
    [{ cwd: "nowhere" }, "nowhere is no folder"],
    [{ cwd: "package.json" }, "package.json is no folder"],
  ])("begins in the folder that is named, %j", async (more, expected) => {
    const { content, error = "" } = await run("pwd", more);
    expect(content + error).toMatch(new RegExp(expected, "m"));
  });
});
