/** Hunks of large files beside `git diff` and `git apply`, and one proposal of many files from its making to its end. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { TextEdit, WorkspaceEdit } from "vscode-languageserver-protocol";
import { ProposalStore } from "../../server/src/proposals/proposal-store.ts";
import type { ProposedDocument } from "../../server/src/proposals/proposal.ts";
import { applyChanges, changesBetween } from "../../server/src/proposals/texts/hunks.ts";
import { planChanges } from "../../server/src/proposals/texts/planned-changes.ts";
import type { HunkDecision, Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import { Documents, sha256 } from "../../server/src/workspace/documents.ts";
import { OwnLoop } from "../support/own-loop.ts";
import { p95Below, rowsOf, type MeasureReport, type Row } from "../support/report.ts";
import { inTurns } from "../support/rounds.ts";
import { inTemporaryFolder, type Setting } from "../support/setting.ts";

const ROUNDS = 9;
const LINES = [10_000, 200_000];
const FILES = 500;
const HUNKS_EACH = 2;
const LOOP_GOAL_MS = 50;
const OURS = "agentq";

export async function measureLargeProposals({ rounds }: Setting): Promise<MeasureReport> {
  const rows: Row[] = [];
  for (const lines of LINES) {
    for (const changed of [10, lines / 100, lines / 10])
      rows.push(...(await besideGit({ lines, changed }, rounds(ROUNDS))));
  }
  rows.push(...(await manyFiles(rounds(3))));
  return {
    rows,
    notes: [
      "Hunks and composing: agentq's figure is processor time of the process, which other programs do not stretch; git's is by the clock, from the spawn, and reads its files.",
      `The proposal of ${FILES} files has ${FILES * HUNKS_EACH} hunks in files of 200 lines; its times are by the clock, its blocks of the loop processor time.`,
    ],
  };
}

interface Size {
  readonly lines: number;
  readonly changed: number;
}

function besideGit({ lines, changed }: Size, rounds: number): Promise<Row[]> {
  return inTemporaryFolder(async (folder) => {
    const every = Math.floor(lines / changed);
    const base = Array.from({ length: lines }, (_, line) => `v(${line});\n`);
    const texts = [base.join(""), base.map((line, at) => (at % every === 3 ? line.replace("v", "w") : line)).join("")];
    const [before = "", after = ""] = texts;
    for (const [index, name] of ["a.ts", "b.ts"].entries()) writeFileSync(path.join(folder, name), texts[index] ?? "");
    const changes = changesBetween(before, after);
    if (applyChanges(before, changes) !== after) throw new Error("the hunks do not lead to the other text");
    const patch = git(folder, "diff", "--no-index", "-U0", "a.ts", "b.ts").replaceAll("b/b.ts", "b/a.ts");
    writeFileSync(path.join(folder, "patch"), patch);
    const what = `${lines.toLocaleString("en")} lines, ${changed.toLocaleString("en")} changed`;
    const cutting = await inTurns(
      {
        [OURS]: () => processorTime(() => changesBetween(before, after)),
        "git diff": () => clockTime(() => git(folder, "diff", "--no-index", "-U0", "a.ts", "b.ts")),
      },
      rounds,
    );
    const composing = await inTurns(
      {
        [OURS]: () => processorTime(() => applyChanges(before, changes).codePointAt(0)),
        "git apply": () => clockTime(() => git(folder, "apply", "--unidiff-zero", "--check", "patch")),
      },
      rounds,
    );
    const blocks: number[] = [];
    for (let round = 0; round < rounds; round += 1) blocks.push(await longestBlock(before, after));
    const goal = { [OURS]: p95Below(LOOP_GOAL_MS, "ms") };
    return [
      ...rowsOf({ measure: `hunks: ${what}`, unit: "ms" }, cutting, "git diff"),
      ...rowsOf(
        { measure: `hunks: ${what}, longest block of the loop`, unit: "ms" },
        { [OURS]: blocks },
        undefined,
        goal,
      ),
      ...rowsOf({ measure: `composing: ${what}`, unit: "ms" }, composing, "git apply", goal),
    ];
  });
}

/** While a proposal's hunks are worked out. */
async function longestBlock(text: string, target: string): Promise<number> {
  const loop = new OwnLoop();
  await sleep(20);
  loop.reset();
  await planChanges([{ uri: "file:///a.ts", path: "a.ts", base: { text, version: 1, sha256: "" }, target }]);
  await sleep(10);
  loop.stop();
  return loop.longest();
}

/** `git diff` ends with 1 where texts differ. */
function git(folder: string, ...args: string[]): string {
  try {
    return execFileSync("git", args, {
      cwd: folder,
      encoding: "utf8",
      maxBuffer: 1e9,
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch (error) {
    const { status, stdout } = error as { readonly status?: number; readonly stdout?: string };
    if (status !== 1 || stdout === undefined || args[0] !== "diff") throw error;
    return stdout;
  }
}

async function processorTime(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

async function clockTime(work: () => unknown): Promise<number> {
  const started = performance.now();
  work();
  return performance.now() - started;
}

const PHASES = ["propose", "decide all at once", "propose again", "decide one by one"] as const;

async function manyFiles(rounds: number): Promise<Row[]> {
  const times = Object.fromEntries(PHASES.map((phase): [string, number[]] => [phase, []]));
  const blocks = Object.fromEntries(PHASES.map((phase): [string, number[]] => [phase, []]));
  const loop = new OwnLoop();
  for (let round = -1; round < rounds; round += 1) {
    const measure = async (phase: (typeof PHASES)[number], work: () => Promise<unknown>): Promise<void> => {
      // What was before is not this phase's.
      await sleep(20);
      loop.reset();
      const started = performance.now();
      await work();
      if (round >= 0) times[phase]?.push(performance.now() - started);
      await sleep(20);
      if (round >= 0) blocks[phase]?.push(loop.longest());
    };
    const all = new ManyFiles(`${round}a`);
    await measure("propose", () => all.propose());
    await measure("decide all at once", () => all.decide(all.ids()));
    const single = new ManyFiles(`${round}b`);
    await measure("propose again", () => single.propose());
    await measure("decide one by one", async () => {
      for (const id of single.ids()) await single.decide([id]);
    });
  }
  loop.stop();
  const goals = Object.fromEntries(PHASES.map((phase) => [phase, p95Below(LOOP_GOAL_MS, "ms")]));
  const measure = `a proposal of ${FILES} files`;
  return [
    ...rowsOf({ measure, unit: "ms" }, times),
    ...rowsOf({ measure: `${measure}, longest block of the loop`, unit: "ms" }, blocks, undefined, goals),
  ];
}

/** A store with one proposal, and the editor that applies what is decided. */
class ManyFiles {
  readonly #documents = new Documents();
  readonly #proposed: ProposedDocument[];
  readonly #store: ProposalStore;
  readonly #id: string;
  #proposal: Proposal | undefined;

  constructor(id: string) {
    this.#id = id;
    // As long as it takes to write a message to the client, which is the server's work too.
    const told = (proposal: Proposal): void => {
      JSON.stringify(proposal);
      this.#proposal ??= proposal;
    };
    this.#store = new ProposalStore({
      documents: this.#documents,
      whyMoved: () => undefined,
      onProposal: told,
      onChanged: told,
    });
    this.#proposed = Array.from({ length: FILES }, (_, file) => this.#open(`file:///${id}/f${file}.ts`));
  }

  #open(uri: string): ProposedDocument {
    const text = Array.from({ length: 200 }, (_, line) => `export const value${line} = compute(${line});\n`).join("");
    this.#documents.open({ uri, languageId: "typescript", version: 1, text });
    const target = text.replace("compute(10)", "work(10)").replace("compute(90)", "work(90)");
    return { uri, path: path.basename(uri), base: { text, version: 1, sha256: sha256(text) }, target };
  }

  ids(): string[] {
    return (this.#proposal?.hunks ?? []).map(({ id }) => id);
  }

  async propose(): Promise<void> {
    await planChanges(this.#proposed);
    const request = { title: "Work", why: "To work.", documents: this.#proposed };
    void this.#store.propose(request, new AbortController().signal, this.#id);
  }

  async decide(ids: readonly string[]): Promise<void> {
    const hunks = ids.map((id): HunkDecision => ({ id, decision: "accept" }));
    const { edit } = await this.#store.review(this.#id).decide({ hunks });
    // The editor is a process of its own.
    await this.#apply(edit);
    await this.#store.review(this.#id).didApply();
    await sleep(0);
  }

  async #apply(edit: WorkspaceEdit | null): Promise<void> {
    for (const change of edit?.documentChanges ?? []) {
      if ("kind" in change) continue;
      const open = this.#documents.get(change.textDocument.uri);
      if (open === undefined) continue;
      const document = TextDocument.create(open.uri, open.languageId, open.version, open.text);
      this.#documents.change(open.uri, open.version + 1, [
        { text: TextDocument.applyEdits(document, change.edits as TextEdit[]) },
      ]);
      await sleep(0);
    }
  }
}
