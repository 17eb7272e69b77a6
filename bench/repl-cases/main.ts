/**
 * The strangers' cases put to the image and to the REPLs beside it, each case in a process of its own.
 * What a peer answered before is kept; `--again` asks it once more.
 *
 *   node bench/repl-cases/main.ts [--only <text>] [--host <name>] [--why] [--again] [--write-docs]
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Host, StrangersCase } from "../../test/strangers/case.ts";
import { caseGroups } from "../../test/strangers/cases.ts";
import { startImageRepl, writeFiles } from "../../test/strangers/image-repl.ts";
import { judge, type Verdict } from "../../test/strangers/judge.ts";
import { keptAnswers } from "./kept.ts";
import { providePeers, type MissingPeer, type Peer } from "./peers.ts";
import { page, type Column, type Outcome } from "./page.ts";
import { PipedRepl } from "./piped-repl.ts";

const PEERS_AT_A_TIME = 3;
const DOCUMENT = new URL("../../docs/repl-cases.md", import.meta.url);

const { values: options } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    host: { type: "string", default: "" },
    why: { type: "boolean", default: false },
    again: { type: "boolean", default: false },
    "write-docs": { type: "boolean", default: false },
  },
});

const cases = caseGroups.flatMap((group) => group.cases).filter(({ name }) => name.includes(options.only));
const hosts = [undefined, ...providePeers()].filter((host) => (host?.name ?? "agentq").includes(options.host));
const columns = new Map<(typeof hosts)[number], Column>();
const waiting = [...hosts];
const kept = keptAnswers();
const staying = new Map<string, PipedRepl>();
await Promise.all(Array.from({ length: PEERS_AT_A_TIME }, workThrough));
await Promise.all([...staying.values()].map((repl) => repl.dispose()));

const table = hosts.flatMap((host) => columns.get(host) ?? []);
const text = page(table);
if (options["write-docs"]) writeFileSync(DOCUMENT, text);
else process.stdout.write(text);

async function workThrough(): Promise<void> {
  while (waiting.length > 0) {
    const host = waiting.shift();
    columns.set(host, await columnOf(host));
  }
}

async function columnOf(host: Peer | MissingPeer | undefined): Promise<Column> {
  const name = host?.name ?? "agentq";
  if (host !== undefined && "why" in host) return { name, version: host.version, missing: host.why };
  const outcomes = new Map<string, Outcome>();
  for (const each of cases) {
    const outcome = host === undefined ? await askImage(each) : await askPeer(each, host);
    outcomes.set(each.name, outcome);
    if (options.why && "why" in outcome)
      process.stderr.write(`${name} | ${each.name} | ${outcome.outcome}: ${outcome.why}\n`);
  }
  process.stderr.write(
    `${name}: ${[...outcomes.values()].filter(({ outcome }) => outcome === "right").length} right\n`,
  );
  return { name, version: host?.version ?? "this checkout", outcomes };
}

async function askImage(each: StrangersCase): Promise<Outcome> {
  const repl = startImageRepl();
  try {
    writeFiles(each, repl.write);
    return await judge(each, repl);
  } finally {
    await repl.dispose();
  }
}

async function askPeer(each: StrangersCase, peer: Peer): Promise<Outcome> {
  const reason = whyNot(each, peer.name);
  if (reason !== undefined) return { outcome: "not applicable", why: reason };
  const before = options.again ? undefined : kept.get(peer, each);
  if (before !== undefined) return before;
  const key = `${peer.name} ${each.typescript === true}`;
  const present = staying.get(key);
  staying.delete(key);
  const repl = present ?? new PipedRepl(peer, each.typescript === true);
  let verdict: Verdict | undefined;
  try {
    writeFiles(each, (file, content) => repl.write(file, content));
    const loss = present === undefined ? await repl.start() : undefined;
    if (loss !== undefined) return { outcome: loss, why: "at its start" };
    verdict = await judge(each, repl);
    kept.set(peer, each, verdict);
    return verdict;
  } finally {
    if (peer.stays === true && each.spoils !== true && verdict?.outcome === "right") staying.set(key, repl);
    else await repl.dispose();
  }
}

function whyNot(each: StrangersCase, host: Host): string | undefined {
  if (each.typescript === true && host === "node -i") return "it reads JavaScript";
  return each.without?.[host];
}
