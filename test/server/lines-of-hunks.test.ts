/** Lines and pieces of hunks on the wire: checked, tested, decided, refused and exported as hunks are. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, expect, it } from "vitest";
import type { HunkDecision, Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import type { ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import { applyOnDisk } from "../support/apply-on-disk.ts";
import { ServerClient } from "../support/server-client.ts";
import { serverStage } from "../support/server-stage.ts";

const before = "// sizes\nexport const a = 1;\nexport const b = 2;\nexport const c = 3;\n// end\n";
const project = {
  "package.json": '{ "private": true, "type": "module" }',
  "tsconfig.json":
    '{ "compilerOptions": { "strict": true, "module": "nodenext", "allowImportingTsExtensions": true, "noEmit": true, "types": [] } }',
  "src/sizes.ts": before,
  "src/uses.ts": 'import { b } from "./sizes.ts";\nexport const size: number = b;\n',
  "test/sizes.test.ts":
    'import { test } from "node:test";\nimport assert from "node:assert/strict";\nimport { a } from "../src/sizes.ts";\n' +
    'test("is a size", () => assert.equal(a, 1));\n',
};
const stage = serverStage({ project });
let folder: string;
let client: ServerClient;
let proposal: Proposal;
let running: Promise<ToolResult>;

const at = (file: string): string => path.join(folder, file);

beforeEach(async () => {
  ({ folder, client } = stage);
  const modified = 'a = "1";\nexport const b = "2";\nexport const c = "3";';
  const original = "a = 1;\nexport const b = 2;\nexport const c = 3;";
  running = client.request("agentq/callTool", {
    name: "propose_edits",
    arguments: { description: "Text.", edits: [{ op: "replace", path: "src/sizes.ts", original, modified }] },
  });
  proposal = await client.nextProposal([]);
});

const lines = (...old: number[]): HunkDecision => ({ id: "h1", decision: "accept", lines: { old } });

async function decide(...hunks: HunkDecision[]): Promise<readonly string[]> {
  const { proposalId } = proposal;
  const { edit, remaining } = await client.request("agentq/decide", { proposalId, hunks });
  applyOnDisk(edit);
  if (edit !== null) await client.request("agentq/didApply", { proposalId, documents: [] });
  return remaining;
}

it("proves exactly the lines, decides them, and exports what went in as a patch", async () => {
  const { proposalId } = proposal;
  const check = async (decision: HunkDecision): Promise<string[]> => {
    const { introduced } = await client.request("agentq/checkSubset", { proposalId, hunks: [decision] });
    return introduced.map(({ message }) => message);
  };
  expect(await check(lines(0, 2))).toEqual([]);
  expect(await check(lines(1))).toEqual(["Type 'string' is not assignable to type 'number'."]);
  expect(await client.request("agentq/testSubset", { proposalId, hunks: [lines(1, 2)] })).toMatchObject({ passed: 1 });
  expect(await client.request("agentq/testSubset", { proposalId, hunks: [lines(0)] })).toMatchObject({ failed: 1 });
  expect(await decide(lines(0, 2))).toEqual(["h1.2"]);
  expect(readFileSync(at("src/sizes.ts"), "utf8")).toBe(before.replace("1", '"1"').replace("3", '"3"'));
  const { patch } = await client.request("agentq/exportProposal", { proposalId, hunkIds: ["h1.1", "h1.3"] });
  await decide({ id: "h1.2", decision: "reject", reason: "a size is a number" });
  expect((await running).content).toContain('the person rejected it: "a size is a number"\n    -export const b = 2;\n');
  const applied = readFileSync(at("src/sizes.ts"), "utf8");
  writeFileSync(at("src/sizes.ts"), before);
  execFileSync("git", ["apply", "-"], {
    cwd: folder,
    input: patch,
    env: { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir() },
  });
  expect(readFileSync(at("src/sizes.ts"), "utf8")).toBe(applied);
});

it("refuses lines and splits that make no sense, and has decided nothing then", async () => {
  const { proposalId } = proposal;
  const split = (hunkId: string): Promise<unknown> => client.request("agentq/splitHunk", { proposalId, hunkId });
  for (const wrong of [-1, 3, 1.5]) await expect(decide(lines(wrong))).rejects.toMatchObject({ code: -32602 });
  await expect(decide(lines(0, 0))).rejects.toMatchObject({ code: -32602 });
  await expect(decide({ ...lines(0), decision: "reject" })).rejects.toMatchObject({ code: -32602 });
  await expect(split("h2")).rejects.toMatchObject({ code: -33003 });
  const open = await client.request("agentq/openProposal", { proposalId });
  expect(open.hunks).toEqual(proposal.hunks);
  expect(await split("h1")).toEqual({ hunkIds: ["h1.1", "h1.2", "h1.3"] });
  await expect(split("h1.1")).rejects.toMatchObject({ code: -32602 });
  expect(await decide({ id: "h1.2", decision: "reject" })).toEqual(["h1.1", "h1.3"]);
  await expect(split("h1.2")).rejects.toMatchObject({ code: -33004 });
  await decide({ id: "h1.1", decision: "accept" }, { id: "h1.3", decision: "reject" });
  await running;
  await expect(split("h1.3")).rejects.toMatchObject({ code: -33004 });
  expect(readFileSync(at("src/sizes.ts"), "utf8")).toBe(before.replace("1", '"1"'));
});
