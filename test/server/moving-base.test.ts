import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, expect, it } from "vitest";
import type { Hunk, Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import type { ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import { applyOnDisk } from "../support/apply-on-disk.ts";
import { ServerClient } from "../support/server-client.ts";
import { serverStage } from "../support/server-stage.ts";

const FILE = "src/allocate.ts";
const OLD = "const whole = totalWeight(weights);";
const NEW = "const whole = totalOf(weights);";

const stage = serverStage();
let folder: string;
let client: ServerClient;

beforeEach(() => void ({ folder, client } = stage));

const file = (): string => path.join(folder, FILE);
const disk = (): string => readFileSync(file(), "utf8");

function propose(): Promise<ToolResult> {
  const edits = [{ op: "replace", path: FILE, original: OLD, modified: NEW }];
  return client.request("agentq/callTool", { name: "propose_edits", arguments: { description: "d", edits } });
}

/** The hunk as the client was told it last, once it is like this. */
function untilTold(expected: (hunk: Hunk, proposal: Proposal) => boolean): Promise<Proposal> {
  const from = client.received.length;
  return client.waitFor((message) => {
    if (message.method !== "agentq/proposalChanged" || client.received.indexOf(message) < from) return undefined;
    const proposal = message.params;
    const [hunk] = proposal.hunks;
    return hunk !== undefined && expected(hunk, proposal) ? proposal : undefined;
  });
}

it("follows a file that another program writes: away from the hunk, over the hunk and back", async () => {
  const before = disk();
  execFileSync("git", ["init", "-q", "-b", "main"], { cwd: folder });
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "a", "--allow-empty"], {
    cwd: folder,
  });
  execFileSync("git", ["add", FILE], { cwd: folder });
  const running = propose();
  const { proposalId, hunks } = await client.nextProposal();
  const tell = (): Promise<void> =>
    client.connection.sendNotification("workspace/didChangeWatchedFiles", {
      changes: [{ uri: pathToFileURL(file()).href, type: 2 }],
    });
  const line = hunks[0]?.range.start.line ?? -1;
  writeFileSync(file(), `// one\n// two\n${before}`);
  const moved = untilTold(({ range }) => range.start.line === line + 2);
  await tell();
  expect((await moved).hunks[0]).toMatchObject({ state: "pending", title: `${FILE}:${line + 3}` });
  writeFileSync(file(), before.replace(OLD, "const whole = 1;"));
  const touched = untilTold(({ state }) => state === "conflict");
  await tell();
  expect((await touched).hunks[0]).toMatchObject({ currentText: "  const whole = 1;\n", oldText: `  ${OLD}\n` });
  execFileSync("git", ["checkout", "-q", "--", FILE], { cwd: folder });
  const back = untilTold(({ state }) => state === "pending");
  await tell();
  await back;
  const { edit } = await client.request("agentq/decide", { proposalId, hunks: [{ id: "h1", decision: "accept" }] });
  applyOnDisk(edit);
  await client.request("agentq/didApply", { proposalId, documents: [] });
  expect((await running).content).toContain("APPLIED: all 1 of 1 hunks.");
  expect(disk()).toBe(before.replace(OLD, NEW));
});

it("tells the model of a conflict that was merged, with the text that stands there", async () => {
  const before = disk();
  await client.open(file(), before);
  const running = propose();
  const { proposalId } = await client.nextProposal();
  const touched = untilTold(({ state }) => state === "conflict");
  await client.open(file(), before.replace(OLD, `${OLD} // mine`));
  await touched;
  const merged = `  ${NEW} // mine\n`;
  const { edit, remaining } = await client.request("agentq/decide", {
    proposalId,
    hunks: [{ id: "h1", decision: "edit", newText: merged }],
  });
  expect(remaining).toEqual([]);
  const told = await client.apply(proposalId, edit);
  expect(told).toEqual({ verified: true, mismatched: [] });
  expect((await running).content).toContain(
    "applied, merged by the person with what came to that place since you read it. This stands there now:\n    | " +
      merged.trimEnd(),
  );
});
