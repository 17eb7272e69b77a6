/** What a person can still do with a proposal after its review: take it back, try again what was rejected, a patch of it. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, expect, it } from "vitest";
import type { HunkDecision, Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import type { ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import { applyOnDisk } from "../support/apply-on-disk.ts";
import { ServerClient } from "../support/server-client.ts";
import { serverStage } from "../support/server-stage.ts";

const example = fileURLToPath(new URL("../../examples/invoices", import.meta.url));
const stage = serverStage();
let folder: string;
let client: ServerClient;
let seen: string[];

beforeEach(() => {
  ({ folder, client } = stage);
  seen = [];
});

const at = (file: string): string => path.join(folder, file);

/** Every file of the folder with its bytes. */
function filesIn(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => statSync(path.join(root, name)).isFile()).toSorted();
  return Object.fromEntries(files.map((name) => [name, readFileSync(path.join(root, name), "base64")]));
}

async function next(): Promise<Proposal> {
  const proposal = await client.nextProposal(seen);
  seen.push(proposal.proposalId);
  return proposal;
}

/** Decides about all hunks of a proposal, and applies what was accepted. */
async function decide(
  { proposalId, hunks }: Proposal,
  decisionOf: (id: string) => HunkDecision["decision"],
): Promise<void> {
  const decisions = hunks.map(({ id }) => ({ id, decision: decisionOf(id) }));
  const { edit } = await client.request("agentq/decide", { proposalId, hunks: decisions });
  applyOnDisk(edit);
  if (edit !== null) await client.request("agentq/didApply", { proposalId, documents: [] });
}

const edits = [
  { op: "replace_all", path: "src/tax.ts", original: "export", modified: "export /* first */" },
  { op: "insert_at_end", path: "src/allocate.ts", modified: "// end\r\n" },
  { op: "create", path: "src/deep/new.ts", modified: "export const made = 1;\n" },
  { op: "move", path: "src/money.ts", to: "src/cash/money.ts" },
  { op: "delete", path: "src/credit-note.ts" },
];

async function proposed(): Promise<{ proposal: Proposal; running: Promise<ToolResult> }> {
  const running = client.request("agentq/callTool", {
    name: "propose_edits",
    arguments: { description: "Because.", edits },
  });
  return { proposal: await next(), running };
}

it("takes back all of a proposal, so that every file has its bytes again", async () => {
  const before = filesIn(folder);
  const { proposal, running } = await proposed();
  await decide(proposal, () => "accept");
  expect((await running).content).toContain("APPLIED: all");
  expect(filesIn(folder)).not.toEqual(before);
  const { proposalId, left } = await client.request("agentq/undoProposal", { proposalId: proposal.proposalId });
  expect(left).toEqual([]);
  const undo = await next();
  expect(undo).toMatchObject({ proposalId, title: `Undo: ${proposal.title}`, state: "pending" });
  await decide(undo, () => "accept");
  expect(filesIn(folder)).toEqual(before);
});

it("keeps what was written since, and says which hunk cannot be taken back", async () => {
  const { proposal, running } = await proposed();
  await decide(proposal, () => "accept");
  await running;
  writeFileSync(at("src/allocate.ts"), `// mine\n${readFileSync(at("src/allocate.ts"), "utf8")}`);
  writeFileSync(at("src/deep/new.ts"), "export const made = 2;\n");
  writeFileSync(at("src/credit-note.ts"), "export {};\n");
  const { left } = await client.request("agentq/undoProposal", { proposalId: proposal.proposalId });
  const titleOf = (id: string): string | undefined => proposal.hunks.find((hunk) => hunk.id === id)?.title;
  expect(left.map(({ id, why }) => `${titleOf(id)}: ${why}`)).toEqual([
    "create src/deep/new.ts: the file was changed since, and undoing would lose that.",
    "delete src/credit-note.ts: a file stands at its place again.",
  ]);
  await decide(await next(), () => "accept");
  expect(readFileSync(at("src/allocate.ts"), "utf8")).toBe(
    `// mine\n${readFileSync(path.join(example, "src/allocate.ts"), "utf8")}`,
  );
  expect(readFileSync(at("src/credit-note.ts"), "utf8")).toBe("export {};\n");
});

it("takes back single hunks, and refuses names of others", async () => {
  const { proposal, running } = await proposed();
  await decide(proposal, () => "accept");
  await running;
  const { proposalId } = proposal;
  const [wanted] = proposal.hunks.filter(({ uri, kind }) => kind === "edit" && uri.endsWith("src/tax.ts"));
  await client.request("agentq/undoProposal", { proposalId, hunkIds: [wanted?.id ?? ""] });
  expect((await next()).hunks).toMatchObject([{ oldText: wanted?.newText, newText: wanted?.oldText }]);
  await expect(client.request("agentq/undoProposal", { proposalId, hunkIds: ["h999"] })).rejects.toMatchObject({
    code: -33003,
  });
  await expect(client.request("agentq/undoProposal", { proposalId: "none" })).rejects.toMatchObject({ code: -33003 });
});

it("has nothing to take back of what was rejected, and proposes that again against the text as it is now", async () => {
  const { proposal, running } = await proposed();
  const { proposalId } = proposal;
  await decide(proposal, () => "reject");
  await running;
  expect(await client.request("agentq/undoProposal", { proposalId })).toEqual({ left: [] });
  writeFileSync(at("src/allocate.ts"), `// mine\n${readFileSync(at("src/allocate.ts"), "utf8")}`);
  rmSync(at("src/credit-note.ts"));
  const again = await client.request("agentq/reopenProposal", { proposalId });
  expect(again.left).toMatchObject([{ why: "the file does not exist any more." }]);
  const second = await next();
  expect(second).toMatchObject({ proposalId: again.proposalId, title: proposal.title, why: proposal.why });
  await decide(second, () => "accept");
  expect(readFileSync(at("src/allocate.ts"), "utf8")).toMatch(/^\/\/ mine\n[\s\S]*\/\/ end\r?\n$/);
  expect(readFileSync(at("src/deep/new.ts"), "utf8")).toBe("export const made = 1;\n");
});

it("makes a patch with which git does what accepting does, for all hunks and for some", async () => {
  const copy = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-patched-")));
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: path.dirname(copy) };
  const gitApply = (patch: string): void => {
    cpSync(example, copy, { recursive: true });
    execFileSync("git", ["-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "-"], {
      cwd: copy,
      input: patch,
      env,
    });
  };
  const { proposal, running } = await proposed();
  const { proposalId } = proposal;
  const whole = await client.request("agentq/exportProposal", { proposalId });
  expect(whole.left).toEqual([]);
  const some = new Set(proposal.hunks.filter((_hunk, index) => index % 2 === 0).map(({ id }) => id));
  const part = await client.request("agentq/exportProposal", { proposalId, hunkIds: [...some] });
  await decide(proposal, (id) => (some.has(id) ? "accept" : "reject"));
  await running;
  gitApply(part.patch);
  expect(filesIn(copy)).toEqual(filesIn(folder));
  rmSync(copy, { recursive: true, force: true });
  await client.request("agentq/reopenProposal", { proposalId });
  await decide(await next(), () => "accept");
  gitApply(whole.patch);
  expect(filesIn(copy)).toEqual(filesIn(folder));
  rmSync(copy, { recursive: true, force: true });
});

it("tells what the compiler makes of taking back a part of a proposal", async () => {
  const called = client.request("agentq/callTool", {
    name: "propose_edits",
    arguments: {
      description: "Another name.",
      edits: [
        { op: "create", path: "src/rate.ts", modified: "export const rate = 0.19;\n" },
        {
          op: "create",
          path: "src/gross.ts",
          modified: 'import { rate } from "./rate.ts";\n\nexport const gross = 1 + rate;\n',
        },
      ],
    },
  });
  const proposal = await next();
  await decide(proposal, () => "accept");
  await called;
  const hunk = proposal.hunks.find(({ uri }) => uri.endsWith("rate.ts"));
  const { proposalId } = await client.request("agentq/undoProposal", {
    proposalId: proposal.proposalId,
    hunkIds: [hunk?.id ?? ""],
  });
  // The answer comes when the client has heard of the proposal.
  expect(
    client.received.some(({ method, params }) => method === "agentq/proposal" && params.proposalId === proposalId),
  ).toBe(true);
  const { check } = await client.waitFor(({ method, params }) => {
    const isIt = method === "agentq/proposal" || method === "agentq/proposalChanged";
    return isIt && params.proposalId === proposalId && params.check.state !== "running" ? params : undefined;
  });
  expect(check.reason).toBe(undefined);
  expect(check.introduced.map(({ uri = "", code }) => `${uri.split("/").at(-1)} ${code}`)).toEqual(["gross.ts TS2307"]);
  const part = await client.request("agentq/checkSubset", { proposalId: proposalId ?? "", hunks: [] });
  expect(part).toEqual({ state: "done", introduced: [], resolved: [] });
});
