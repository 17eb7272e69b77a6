/** What a review waits for: the compiler's word on a part of a proposal, in a project of 2,000 modules. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Check, HunkDecision, Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import { LspClient } from "../support/lsp-client.ts";
import { watchedLoop, type LoopBlocks } from "../support/loop-blocks.ts";
import { writeManyModules } from "../support/many-modules.ts";
import { progress } from "../support/progress.ts";
import { p95Below, rowsOf, type MeasureReport } from "../support/report.ts";
import { Reviewer } from "../support/reviewer.ts";
import { timed } from "../support/rounds.ts";
import { agentqServer, nativeServer } from "../support/servers.ts";
import { inTemporaryFolder, type Setting } from "../support/setting.ts";

const MODULES = 2_000;
const PROPOSALS = 12;
const OTHER_SUBSETS = 8;
const GOAL_MS = 150;
const LOOP_GOAL_MS = 50;
/** A client asks about a hunk once the person rests there. */
const REST_MS = 150;
const WHOLE = "tsc --noEmit, the whole project";

/** Times of questions that nobody asked before, by the moment of the review at which a person asks them. */
interface Samples {
  readonly proposed: number[];
  readonly without: number[];
  readonly parts: number[];
  readonly written: number[];
  readonly applied: number[];
  readonly again: number[];
  readonly longestBlock: number[];
}

export function measureCheckSubset({ program, rounds }: Setting): Promise<MeasureReport> {
  return inTemporaryFolder(async (folder) => {
    const { megabytes } = writeManyModules(folder, MODULES);
    const { env, blocks } = watchedLoop(folder);
    const client = new LspClient(agentqServer(program, env), folder);
    const samples: Samples = {
      proposed: [],
      without: [],
      parts: [],
      written: [],
      applied: [],
      again: [],
      longestBlock: [],
    };
    try {
      await client.start(folder);
      const reviewer = new Reviewer(client);
      // The first proposal pays for the start of both compilers.
      const count = rounds(PROPOSALS);
      for (let round = -1; round < count; round += 1) {
        progress(`proposal ${round + 1} of ${count}`);
        await review(reviewer, { at: 60 + (round + 1) * 131, blocks }, round < 0 ? undefined : samples);
      }
    } finally {
      await client.close();
    }
    const whole = Array.from({ length: 3 }, () => compileAll(folder));
    return reportOf(samples, whole, megabytes);
  });
}

function reportOf(samples: Samples, whole: readonly number[], megabytes: number): MeasureReport {
  const { proposed, without, parts, written, applied, again, longestBlock } = samples;
  const first = [...without, ...parts, ...written, ...applied];
  const measure = "checkSubset, asked for the first time";
  const subjects = {
    "all of these": first,
    "without one hunk": without,
    "other parts": parts,
    "the person's own text": written,
    "after some were applied": applied,
    [WHOLE]: whole,
  };
  return {
    rows: [
      ...rowsOf({ measure, unit: "ms" }, subjects, undefined, { "all of these": p95Below(GOAL_MS, "ms") }),
      ...rowsOf({ measure: "checkSubset, asked again", unit: "ms" }, { agentq: again }),
      ...rowsOf({ measure: "from the call to the whole check", unit: "ms" }, { agentq: proposed }),
      ...rowsOf({ measure: "longest block of the loop, a review", unit: "ms" }, { agentq: longestBlock }, undefined, {
        agentq: p95Below(LOOP_GOAL_MS, "ms"),
      }),
    ],
    notes: [
      `checkSubset: ${PROPOSALS} proposals of 7 hunks in 3 files each, in ${MODULES.toLocaleString("en")} modules (${megabytes.toFixed(1)} MB); every file that uses what changed is checked.`,
    ],
  };
}

interface Where {
  readonly at: number;
  readonly blocks: LoopBlocks;
}

/** One review from its proposal to its last decision, walked through as the editors' clients ask. */
async function review(reviewer: Reviewer, { at, blocks }: Where, samples: Samples | undefined): Promise<void> {
  const began = Date.now();
  let proposal: Proposal | undefined;
  const proposed = await timed(async () => {
    proposal = await reviewer.propose("propose_edits", renaming(at));
  });
  if (proposal?.check.state !== "done") throw new Error(`not checked: ${proposal?.check.reason ?? ""}`);
  samples?.proposed.push(proposed);
  const own = proposal;
  const ids = own.hunks.map(({ id }) => id);
  const ask = async (hunks: readonly HunkDecision[], times: number[] | undefined): Promise<void> => {
    let check: Check | undefined;
    times?.push(await timed(async () => (check = await reviewer.check(own, hunks))));
    if (times === undefined) check = await reviewer.check(own, hunks);
    if (check?.state !== "done" || check.reason !== undefined) throw new Error(`not checked: ${check?.reason ?? ""}`);
  };
  for (const id of ids) {
    await sleep(REST_MS);
    await ask(accepting(ids.filter((other) => other !== id)), samples?.without);
  }
  for (const part of otherParts(ids)) await ask(accepting(part), samples?.parts);
  for (const word of ["one", "two", "three"]) {
    const edited = accepting(ids).map((each, index): HunkDecision => {
      return index === 1 ? { ...each, decision: "edit", newText: declaration(at, `${word}${at}`) } : each;
    });
    await ask(edited, samples?.written);
  }
  await ask(accepting(ids.slice(1)), samples?.again);
  for (let next = 0; next < 3; next += 1) {
    await reviewer.decide(own, accepting(ids.slice(next, next + 1)));
    await ask([], samples?.applied);
    await ask(accepting(ids.slice(next + 1)), samples?.applied);
    await ask(accepting(ids.slice(next + 2)), samples?.applied);
  }
  await reviewer.decide(
    own,
    ids.slice(3).map((id) => ({ id, decision: "reject" })),
  );
  samples?.longestBlock.push(blocks.longestSince(began));
}

function accepting(ids: readonly string[]): HunkDecision[] {
  return ids.map((id) => ({ id, decision: "accept" }));
}

/** Parts that no client asks for ahead: the first hunks, and every second one in turn. */
function otherParts(ids: readonly string[]): string[][] {
  const masks = Array.from({ length: OTHER_SUBSETS }, (_, turn) => (turn * 37 + 11) % 2 ** ids.length);
  return masks.map((mask) => ids.filter((_id, index) => (mask >> index) % 2 === 1));
}

/** A function gets another name in its module and in two of those that import it; a third is forgotten. */
function renaming(at: number): object {
  const file = (index: number): string => path.posix.join("src", `part${index}.ts`);
  const [old, name] = [`pick${at}`, `choose${at}`];
  const importing = (index: number): object[] => [
    { op: "replace", path: file(index), original: `import { ${old},`, modified: `import { ${name},` },
    { op: "replace", path: file(index), original: `= ${old}([], "x")`, modified: `= ${name}([], "x")` },
  ];
  return {
    description: "Renames a function.",
    edits: [
      {
        op: "replace",
        path: file(at),
        original: "  readonly name: string;\n",
        modified: "  readonly name: string;\n  readonly size: number;\n",
      },
      { op: "replace", path: file(at), original: declaration(at, old), modified: declaration(at, name) },
      { op: "replace", path: file(at), original: `step${at}_5(`, modified: `fifth${at}(` },
      ...importing(at + 1),
      ...importing(at + 7),
    ],
  };
}

function declaration(at: number, name: string): string {
  return `export function ${name}<T extends { readonly name: string }>(items: readonly T[], name: string): T | undefined {\n`;
}

function compileAll(folder: string): number {
  const [binary] = nativeServer().command;
  const started = performance.now();
  spawnSync(binary, ["--noEmit", "-p", folder]);
  return performance.now() - started;
}
