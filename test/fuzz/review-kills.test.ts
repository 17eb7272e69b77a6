/**
 * SIGKILL at random moments of reviews: of real servers, with a client that writes what it was told to files. The next
 * server goes on, no decision is lost or taken by nobody, and in the end the files hold exactly what was accepted.
 *
 * AGENTQ_TESTS=all and AGENTQ_FUZZ=<factor> make the run longer, AGENTQ_SEED=<n> repeats the choices of one.
 */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import { applyOnDisk } from "../support/apply-on-disk.ts";
import { ServerClient } from "../support/server-client.ts";
import { randomFrom, seed, times } from "../support/fuzz.ts";

const KILLS = times(3);
/** How long after a request a kill comes, at most: as long as the server takes for the request. */
const SPREAD_MS = 12;
const FILES = ["one.txt", "two.txt", "three.txt"];
const LINES = 12;

const chance = randomFrom(seed);

let folder: string;
let state: string;
let client: ServerClient;
let started = 0;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-review-kills-")));
  state = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-state-")));
  mkdirSync(path.join(folder, "src"));
  writeFileSync(path.join(folder, "tsconfig.json"), `{ "files": [] }`);
  await start();
});
afterAll(async () => {
  await client.close();
  for (const each of [folder, state]) rmSync(each, { recursive: true, force: true });
});

async function start(): Promise<void> {
  started += 1;
  client = new ServerClient({ isProgram: true, env: { ANTHROPIC_API_KEY: "sk-test", XDG_STATE_HOME: state } });
  await client.initialize([folder]);
}

/** When a kill comes: at any time after the request, or where reviews are most easily torn. */
const moments = ["any", "answered", "half", "applied"] as const;
type Moment = (typeof moments)[number];

/** Kills the server while the work is at its first steps, or where the work says so, and starts the next one. */
async function killDuring(
  moment: Moment,
  work: (isTime: (at: Moment) => Promise<void>) => Promise<unknown>,
): Promise<void> {
  const { child, connection } = client;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
    // A request that nobody answers any more ends here.
    connection.dispose();
  };
  const running = work(async (at) => (at === moment ? kill() : undefined)).catch(() => undefined);
  if (moment === "any") {
    await sleep(chance() * SPREAD_MS);
    await kill();
  }
  await Promise.race([running, exited.then(() => sleep(50))]);
  await kill();
  await start();
}

const base = (file: string): string => Array.from({ length: LINES }, (_, line) => `${file} ${line}\n`).join("");
const changed = (line: string): string => `changed ${line}`;
const lineOf = (file: string, line: number): string => `${file} ${line}\n`;

/** Every third line of every file is a hunk of its own. */
const edits = FILES.map((file) => ({
  op: "write",
  path: `src/${file}`,
  modified: Array.from({ length: LINES }, (_, line) =>
    line % 3 === 0 ? changed(lineOf(file, line)) : lineOf(file, line),
  ).join(""),
}));

async function pendingProposal(): Promise<Proposal | undefined> {
  const { items } = await client.request("agentq/listProposals", { state: "pending" });
  expect(items.length).toBeLessThan(2);
  return items[0];
}

/** One review with kills in it; answers how many. */
async function review(kills: number): Promise<number> {
  for (const file of FILES) writeFileSync(path.join(folder, "src", file), base(file));
  client
    .request("agentq/callTool", { name: "propose_edits", arguments: { description: "Because.", edits } })
    .catch(() => undefined);
  const known = client.received.flatMap(({ method, params }) =>
    method === "agentq/proposal" ? [params.proposalId] : [],
  );
  const { proposalId, hunks } = await client.nextProposal(known);
  const rejected = new Set<string>();
  let done = 0;
  const step = async (now: Proposal, isTime: (at: Moment) => Promise<void>): Promise<void> => {
    const chosen = now.hunks.filter(({ state: of }) => of === "pending").filter(() => chance() < 0.4);
    const decisions = chosen.map(({ id }) => ({
      id,
      decision: chance() < 0.7 ? ("accept" as const) : ("reject" as const),
    }));
    const { edit } = await client.request("agentq/decide", { proposalId, hunks: decisions });
    // What the client was told is the person's word from here on.
    for (const { id, decision } of decisions) if (decision === "reject") rejected.add(id);
    await isTime("answered");
    const [first, ...rest] = edit?.documentChanges ?? [];
    if (first === undefined || client.child.killed) return;
    applyOnDisk({ documentChanges: [first] });
    await isTime("half");
    if (client.child.killed) return;
    applyOnDisk({ documentChanges: rest });
    await isTime("applied");
    await client.request("agentq/didApply", { proposalId, documents: [] });
  };
  for (let turn = 0; turn < 40; turn += 1) {
    const now = await pendingProposal();
    if (now === undefined) break;
    expect(now.proposalId).toBe(proposalId);
    expect(now.hunks.map(({ id }) => id)).toEqual(hunks.map(({ id }) => id));
    for (const hunk of now.hunks) {
      // Nothing is half applied, and nothing counts as decided that is not so.
      const text = readFileSync(fileURLToPath(hunk.uri), "utf8");
      if (rejected.has(hunk.id)) expect(hunk.state, hunk.title).toBe("rejected");
      if (hunk.state === "accepted") expect(text, hunk.title).toContain(hunk.newText);
      if (hunk.state === "pending") expect(text, hunk.title).not.toContain(hunk.newText);
    }
    if (done < kills) {
      done += 1;
      const moment = moments[Math.floor(chance() * moments.length)] ?? "any";
      await killDuring(moment, (isTime) => step(now, isTime));
    } else await step(now, async () => undefined);
  }
  const { state: end, hunks: ended } = await client.request("agentq/openProposal", { proposalId });
  expect(end).not.toBe("pending");
  for (const file of FILES) {
    const own = ended.filter(({ uri }) => uri.endsWith(`/${file}`));
    const taken = new Set(own.filter(({ state: of }) => of === "accepted").map(({ oldText }) => oldText));
    const expected = base(file)
      .split(/(?<=\n)/)
      .map((line) => (taken.has(line) ? changed(line) : line));
    expect(readFileSync(path.join(folder, "src", file), "utf8")).toBe(expected.join(""));
  }
  return done;
}

/** All that is applied of the last review, taken back by a server that knows the review from the disk alone. */
async function undoLast(): Promise<void> {
  await killDuring("any", async () => undefined);
  const { items } = await client.request("agentq/listProposals", {});
  const last = items.at(-1);
  const { proposalId } = await client.request("agentq/undoProposal", { proposalId: last?.proposalId ?? "" });
  if (proposalId === undefined) return;
  const { hunks } = await client.request("agentq/openProposal", { proposalId });
  const all = hunks.map(({ id }) => ({ id, decision: "accept" as const }));
  applyOnDisk((await client.request("agentq/decide", { proposalId, hunks: all })).edit);
  await client.request("agentq/didApply", { proposalId, documents: [] });
}

it(
  `loses no open review through ${KILLS} kills, and takes every byte back afterwards (seed ${seed})`,
  { timeout: 30_000 + KILLS * 10_000 },
  async () => {
    for (let kills = 0; kills < KILLS;) kills += await review(Math.min(5, KILLS - kills));
    await undoLast();
    for (const file of FILES) expect(readFileSync(path.join(folder, "src", file), "utf8")).toBe(base(file));
    expect(started).toBeGreaterThan(KILLS);
  },
);
