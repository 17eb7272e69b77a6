/** The tests of proposed text, over real stdio: run before anything is accepted, for all of a proposal and for parts. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { beforeEach, expect, it } from "vitest";
import { call, reply } from "../../examples/demo/model/script.ts";
import type { Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import type { ServerClient } from "../support/server-client.ts";
import { itAtLength } from "../support/extent.ts";
import { serverStage } from "../support/server-stage.ts";

const fixtures = fileURLToPath(new URL("../fixtures", import.meta.url));

/** Beside the fixtures, where vitest is found. */
const stage = serverStage({ project: {}, below: fixtures });
let root: string;
let client: ServerClient;

beforeEach(() => void ({ folder: root, client } = stage));

const CONFIG =
  '{ "compilerOptions": { "strict": true, "module": "nodenext", "allowImportingTsExtensions": true, "noEmit": true, "types": [] } }';
const MONEY = `export const CENTS = 100;

export function cents(amount: number): number {
  return Math.trunc(amount * CENTS);
}

// Between the two functions stands what no edit touches.
// It keeps their hunks apart.

export function show(value: number): string {
  return String(value / CENTS);
}
`;
const PLAIN = '{ "private": true, "type": "module" }';
const VITEST = '{ "private": true, "type": "module", "devDependencies": { "vitest": "*" } }';
const NODE_HEAD = 'import { test } from "node:test";\nimport assert from "node:assert/strict";\n';

/** A money module, a file that passes it on, and tests of both: one imports the module only through the other file. */
const NODE_PROJECT = {
  "package.json": PLAIN,
  "tsconfig.json": CONFIG,
  "src/money.ts": MONEY,
  "src/bill.ts":
    'import { cents } from "./money.ts";\nexport const bill = (amounts: readonly number[]) => amounts.map(cents);\n',
  "test/money.test.ts": `${NODE_HEAD}import { cents, show } from "../src/money.ts";
test("counts cents", () => assert.equal(cents(1.5), 150));
test("rounds", () => assert.equal(cents(0.29), 29));
test("shows", () => assert.equal(show(150), "1.5"));
`,
  "test/bill.test.ts": `${NODE_HEAD}import { bill } from "../src/bill.ts";
test("bills", () => assert.deepEqual(bill([1, 2]), [100, 200]));
`,
  "test/other.test.ts": `${NODE_HEAD}test("has nothing to do with money", () => assert.fail("it ran"));\n`,
};

/** Rounding right, and a second hunk that breaks what shows. */
const BETTER = MONEY.replace("Math.trunc", "Math.round").replace("String(value / CENTS)", "(value / CENTS).toFixed(3)");

async function start(
  files: Readonly<Record<string, string>>,
  edit: { path: string; modified: string; original?: string },
  settings?: object,
): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  stage.script = {
    name: "proposes",
    description: "proposes one edit",
    reply: ({ step }) =>
      step > 0 ? reply("Understood.") : reply(call("propose_file_edit", { ...edit, description: "because" })),
  };
  if (settings !== undefined) client = await stage.start(settings);
}

async function propose(): Promise<{ proposal: Proposal; turnId: string }> {
  const { turnId } = await client.request("agentq/prompt", { text: "Mend the rounding" });
  return { proposal: await client.nextProposal(), turnId };
}

const accept = (...ids: string[]): { id: string; decision: "accept" }[] =>
  ids.map((id) => ({ id, decision: "accept" }));
const uriOf = (name: string): string => pathToFileURL(path.join(root, name)).href;

it("says which tests fail with all of a proposal, with a part and with nothing of it, and tells the model what was run of the text that is applied", async () => {
  await start(NODE_PROJECT, { path: "src/money.ts", modified: BETTER });
  const { proposal, turnId } = await propose();
  const { proposalId } = proposal;
  expect(proposal.hunks.map(({ id }) => id)).toEqual(["h1", "h2"]);
  expect(proposal.tests).toBeUndefined();
  const all = await client.request("agentq/testSubset", { proposalId, hunks: accept("h1", "h2") });
  expect(all).toMatchObject({ state: "done", passed: 3, failed: 1, skipped: 0 });
  expect(all.files.toSorted()).toEqual([uriOf("test/bill.test.ts"), uriOf("test/money.test.ts")]);
  expect(all.failures).toEqual([
    expect.objectContaining({
      name: "shows",
      uri: uriOf("test/money.test.ts"),
      range: expect.objectContaining({ start: expect.objectContaining({ line: 5 }) }) as unknown,
      message: expect.stringContaining("1.500") as unknown,
    }),
  ]);
  const first = await client.request("agentq/testSubset", {
    proposalId,
    hunks: [...accept("h1"), { id: "h2", decision: "reject" }],
  });
  expect(first).toMatchObject({ state: "done", passed: 4, failed: 0, failures: [] });
  const none = await client.request("agentq/testSubset", { proposalId, hunks: [] });
  expect(none.failures.map(({ name }) => name)).toEqual(["rounds"]);
  const own = await client.request("agentq/testSubset", {
    proposalId,
    hunks: [...accept("h1"), { id: "h2", decision: "edit", newText: "  return `${value / CENTS}!`;\n" }],
  });
  expect(own.failures.map(({ message }) => message)).toEqual([expect.stringContaining("1.5!")]);
  expect(readFileSync(path.join(root, "src/money.ts"), "utf8")).toBe(MONEY);
  const { items } = await client.request("agentq/listProposals", { state: "pending" });
  expect(items).toHaveLength(1);

  // The model is told what was run of the text that was applied, and nothing of other text.
  await client.open(path.join(root, "src/money.ts"), MONEY);
  const { edit } = await client.request("agentq/decide", {
    proposalId,
    hunks: [...accept("h1"), { id: "h2", decision: "reject" }],
  });
  await client.apply(proposalId, edit);
  const told = (await client.turn(turnId)).find(({ kind }) => kind === "toolResult");
  expect(told).toMatchObject({
    result: {
      content: expect.stringMatching(
        /Tests, run with this text before it was accepted: 4 of 4 tests pass \(2 files\)\.(?![^]*Tests, run)/,
      ) as unknown,
    },
  });
});

itAtLength("runs the tests by themselves where the settings say so, and tells the person and the model", async () => {
  const settings = { proposals: { tests: "related" } };
  await start(NODE_PROJECT, { path: "src/money.ts", modified: BETTER }, settings);
  const { proposal, turnId } = await propose();
  await client.open(path.join(root, "src/money.ts"), MONEY);
  expect(proposal.tests?.state).toBe("running");
  const tests = await client.waitFor(({ method, params }) =>
    method === "agentq/proposalChanged" && params.tests?.state === "done" ? params.tests : undefined,
  );
  expect(tests).toMatchObject({ passed: 3, failed: 1 });
  const { edit } = await client.request("agentq/decide", {
    proposalId: proposal.proposalId,
    hunks: accept("h1", "h2"),
  });
  await client.apply(proposal.proposalId, edit);
  const told = (await client.turn(turnId)).find(({ kind }) => kind === "toolResult");
  expect(JSON.stringify(told)).toContain("3 of 4 tests pass (2 files), 1 fails:");
});

it("runs no proposed text by itself where it would have all rights", async () => {
  const marks = {
    "test/money.test.ts":
      'import "../src/money.ts";\nimport "node:test";\nimport { writeFileSync } from "node:fs";\nwriteFileSync("ran.txt", "");\n',
  };
  const settings = { repl: { confinement: "openWithoutAsking" }, proposals: { tests: "related" } };
  await start({ ...NODE_PROJECT, ...marks }, { path: "src/money.ts", modified: BETTER }, settings);
  await propose();
  const verdict = async (): Promise<unknown> => (await client.request("agentq/listProposals", {})).items.at(-1)?.tests;
  await expect.poll(verdict).toMatchObject({
    state: "unavailable",
    reason: expect.stringContaining("full rights") as unknown,
  });
  expect(existsSync(path.join(root, "ran.txt"))).toBe(false);
});

it("stops tests that nobody asked for when the proposal is decided", async () => {
  const hangs = {
    "test/money.test.ts": `${NODE_HEAD}import "../src/money.ts";\ntest("hangs", () => { for (;;) {} });\n`,
  };
  const settings = { proposals: { tests: "related" } };
  await start({ ...NODE_PROJECT, ...hangs }, { path: "src/money.ts", modified: BETTER }, settings);
  const { proposal, turnId } = await propose();
  await client.request("agentq/decide", {
    proposalId: proposal.proposalId,
    hunks: proposal.hunks.map(({ id }) => ({ id, decision: "reject" })),
  });
  await client.turn(turnId);
  const verdict = async (): Promise<unknown> => (await client.request("agentq/listProposals", {})).items.at(-1)?.tests;
  await expect.poll(verdict).toMatchObject({
    state: "unavailable",
    reason: "the proposal was decided before the tests ended.",
  });
});

it("lets a newer request about a proposal end an older one, and a cancelled one end at once", async () => {
  const hangs = `${NODE_HEAD}import { cents } from "../src/money.ts";\ntest("hangs", () => { if (cents(0.29) === 29) for (;;) {} });\n`;
  await start({ ...NODE_PROJECT, "test/money.test.ts": hangs }, { path: "src/money.ts", modified: BETTER });
  const { proposal } = await propose();
  const { proposalId } = proposal;
  const older = client.request("agentq/testSubset", { proposalId, hunks: accept("h1", "h2") });
  older.catch(() => undefined);
  await expect(client.request("agentq/testSubset", { proposalId, hunks: [] })).resolves.toMatchObject({ failed: 0 });
  await expect(older).rejects.toThrow("A newer agentq/testSubset asks about this proposal.");
});

it("ends a run that was asked for when the proposal is decided", async () => {
  const hangs = `${NODE_HEAD}import "../src/money.ts";\ntest("hangs", () => { for (;;) {} });\n`;
  await start({ ...NODE_PROJECT, "test/money.test.ts": hangs }, { path: "src/money.ts", modified: BETTER });
  const { proposal, turnId } = await propose();
  const { proposalId } = proposal;
  const running = client.request("agentq/testSubset", { proposalId, hunks: accept("h1") });
  running.catch(() => undefined);
  const hunks = proposal.hunks.map(({ id }) => ({ id, decision: "reject" as const }));
  await client.request("agentq/decide", { proposalId, hunks });
  await client.turn(turnId);
  // On a busy machine the decision may come before the run begins.
  await expect(running).rejects.toThrow(
    new RegExp(`^Proposal ${proposalId} is (?:decided by now|already rejected)\\.$`),
  );
});

it("refuses a proposal and a hunk that are not there, with a clear error", async () => {
  await start(NODE_PROJECT, { path: "src/money.ts", modified: BETTER });
  const { proposal } = await propose();
  await expect(client.request("agentq/testSubset", { proposalId: "nope", hunks: [] })).rejects.toThrow(
    "There is no proposal nope.",
  );
  const { proposalId } = proposal;
  await expect(client.request("agentq/testSubset", { proposalId, hunks: accept("h9") })).rejects.toThrow(
    'has no hunk "h9"',
  );
});

itAtLength("sees a new file and new tests of a proposal, with vitest", async () => {
  const files = {
    "package.json": VITEST,
    "tsconfig.json": CONFIG,
    "src/money.ts": MONEY,
    "test/money.test.ts": `import { expect, it } from "vitest";
import { cents } from "../src/money.ts";
it("rounds", () => expect(cents(0.29)).toBe(29));
`,
  };
  await start(files, { path: "src/money.ts", modified: BETTER });
  const { proposal } = await propose();
  const all = await client.request("agentq/testSubset", {
    proposalId: proposal.proposalId,
    hunks: accept("h1", "h2"),
  });
  expect(all).toMatchObject({ state: "done", passed: 1, failed: 0 });
});

it("runs a test file that the proposal creates, with vitest", async () => {
  const files = { "package.json": VITEST, "tsconfig.json": CONFIG, "src/money.ts": MONEY };
  await start(files, {
    path: "test/new.test.ts",
    modified: `import { expect, it } from "vitest";
import { cents } from "../src/money.ts";
it("is new", () => expect(cents(1)).toBe(100));
it("fails", () => expect(cents(1)).toBe(1));
`,
  });
  const { proposal } = await propose();
  const all = await client.request("agentq/testSubset", { proposalId: proposal.proposalId, hunks: accept("h1") });
  expect(all.failures.map(({ name, message }) => `${name}: ${message}`)).toEqual([expect.stringContaining("fails: ")]);
  expect(all).toMatchObject({ state: "done", passed: 1, failed: 1, files: [uriOf("test/new.test.ts")] });
  expect(all.failures[0]?.range?.start.line).toBe(3);
});

it("runs a test file that the proposal creates, with node:test", async () => {
  const files = { "package.json": PLAIN, "tsconfig.json": CONFIG, "src/money.ts": MONEY };
  await start(files, {
    path: "test/new.test.ts",
    modified: `${NODE_HEAD}import { cents } from "../src/money.ts";\ntest("is new", () => assert.equal(cents(1), 100));\n`,
  });
  const { proposal } = await propose();
  const all = await client.request("agentq/testSubset", { proposalId: proposal.proposalId, hunks: accept("h1") });
  expect(all).toMatchObject({ state: "done", passed: 1, failed: 0 });
});

it("says that no test imports what a proposal changes", async () => {
  const files = { "package.json": PLAIN, "tsconfig.json": CONFIG, "src/money.ts": MONEY };
  await start(files, { path: "src/money.ts", modified: BETTER });
  const { proposal } = await propose();
  const all = await client.request("agentq/testSubset", { proposalId: proposal.proposalId, hunks: accept("h1") });
  expect(all).toMatchObject({ state: "unavailable", reason: "no test file imports a file of the proposal." });
});
