/** Answers of a loaded project: each tool beside the bare requests it is made of, and beside what the peers offer. */
import { setTimeout as delay } from "node:timers/promises";
import { agentqAsker, cclspAsker, lspAsker, type Asker } from "../support/askers.ts";
import type { LargeProject } from "../support/install.ts";
import { PATTERNS, symbolQuestions, type QuestionKind, type SymbolQuestion } from "../support/questions.ts";
import { bothRatiosUpTo, p95Below, rowsOf, type MeasureReport, type Row, type SkippedRow } from "../support/report.ts";
import { inTurns, timed } from "../support/rounds.ts";
import { agentqServer, nativeServer, typescriptLanguageServer, vtsls } from "../support/servers.ts";
import type { Setting } from "../support/setting.ts";

const ROUNDS = 3;
/** The peers need ten times as long for a round, and once is enough to see it. */
const PEER_ROUNDS = 1;
const GOAL_RATIO = 1.3;
const APROPOS_GOAL_MS = 50;
/** For the peers: a peer that needs longer for one question is asked no more of that kind. */
const LIMIT_MS = 10_000;
/**
 * Between the first answers and the ones that count, for everybody: an agent that asks about a project has read for a
 * while before, and what a server prepares meanwhile is its own affair.
 */
const READING_MS = 6_000;
/** How long a late answer is waited for, so that it does not make the next questions wait. */
const LATE_LIMIT_MS = 40_000;
const OWN = "agentq";
const BASELINE = "bare native requests";
const KINDS: readonly QuestionKind[] = ["describe", "references", "callers", "hierarchy", "apropos"];

type Questions = Readonly<Record<QuestionKind, readonly (SymbolQuestion | string)[]>>;
type Times = Readonly<Record<QuestionKind, readonly number[]>>;

/** Milliseconds by kind: of questions never asked before, and of the same ones once more. */
interface Sample {
  readonly fresh: Times;
  readonly again: Times | undefined;
  /** The kinds with a question that was not answered within the limit. */
  readonly late: ReadonlySet<QuestionKind>;
}

type Samples = Readonly<Record<string, readonly Sample[]>>;

export async function measureWarmAnswers({ program, peers, large, rounds }: Setting): Promise<MeasureReport> {
  if ("missing" in large) {
    return { rows: [{ measure: "warm answers", subject: "large project", skipped: large.missing }], notes: [] };
  }
  const project = large.value;
  const own: Record<string, () => Promise<Asker>> = {
    [OWN]: () => agentqAsker(agentqServer(program), project),
    [BASELINE]: () => lspAsker(nativeServer(), project),
  };
  const others: Record<string, () => Promise<Asker>> = {};
  if ("value" in peers) {
    others["typescript-language-server"] = () => lspAsker(typescriptLanguageServer(peers.value), project);
    others["vtsls"] = () => lspAsker(vtsls(peers.value), project);
    others["cclsp"] = () => cclspAsker(peers.value, project);
  }
  const contenders = Object.fromEntries([
    ...Object.entries(own).map(([name, start]) => [name, async () => sampleOf(await start(), project)] as const),
    ...Object.entries(others).map(
      ([name, start]) => [name, async () => sampleOf(await start(), project, LIMIT_MS)] as const,
    ),
  ]);
  const atMost = Object.fromEntries(Object.keys(others).map((name) => [name, PEER_ROUNDS]));
  const samples = await inTurns(contenders, rounds(ROUNDS), { warmUp: false, atMost });
  const skipped: SkippedRow[] =
    "value" in peers ? [] : [{ measure: "warm answers", subject: "the peers", skipped: peers.missing }];
  return { rows: [...KINDS.flatMap((kind) => rowsOfKind(kind, samples)), ...skipped], notes: lateNotes(samples) };
}

function rowsOfKind(kind: QuestionKind, samples: Samples): (Row | SkippedRow)[] {
  const all = (when: "fresh" | "again"): Record<string, number[]> =>
    Object.fromEntries(
      Object.entries(samples)
        .map(([name, list]) => [name, list.flatMap((sample) => sample[when]?.[kind] ?? [])] as const)
        .filter(([, times]) => times.length > 0),
    );
  const fresh = all("fresh");
  const goal = kind === "apropos" ? p95Below(APROPOS_GOAL_MS, "ms") : bothRatiosUpTo(GOAL_RATIO);
  const silent = Object.entries(samples)
    .filter(([name, list]) => fresh[name] === undefined && list.some(({ late }) => late.has(kind)))
    .map(([subject]) => ({ measure: `${kind}, warm`, subject, skipped: `no answer within ${LIMIT_MS / 1_000} s` }));
  return [
    ...rowsOf({ measure: `${kind}, warm`, unit: "ms" }, fresh, BASELINE, { [OWN]: goal }),
    ...silent,
    ...rowsOf({ measure: `${kind}, asked again`, unit: "ms" }, all("again"), BASELINE, { [OWN]: goal }),
  ];
}

/** A contender that has figures although one of the questions was too much for it. */
function lateNotes(samples: Samples): string[] {
  return Object.entries(samples).flatMap(([name, list]) =>
    KINDS.filter((kind) => list.some(({ late, fresh }) => late.has(kind) && fresh[kind].length > 0)).map(
      (kind) =>
        `${name}, ${kind}: one question had no answer within ${LIMIT_MS / 1_000} s, and no other was asked after it; the figures are of those before.`,
    ),
  );
}

async function sampleOf(asker: Asker, project: LargeProject, limit?: number): Promise<Sample> {
  const questions = questionsAbout(project);
  try {
    // The project is loaded and every tool has run once.
    for (const kind of KINDS) {
      const first = symbolQuestions(project, "functions").slice(0, 1);
      for (const symbol of first) await asker.ask(kind, kind === "apropos" ? "zzzz" : symbol)?.catch(() => undefined);
    }
    await delay(READING_MS);
    const late = new Set<QuestionKind>();
    const fresh = await timesOf(asker, questions, late, limit);
    return { fresh, again: limit === undefined ? await timesOf(asker, questions, late) : undefined, late };
  } finally {
    await asker.close();
  }
}

/** Every kind of question has symbols of its own: an answer to one would help with the next. */
function questionsAbout(project: LargeProject): Questions {
  const [, ...others] = symbolQuestions(project, "functions");
  const third = Math.floor(others.length / 3);
  return {
    describe: others.slice(0, third),
    references: others.slice(third, 2 * third),
    callers: others.slice(2 * third),
    hierarchy: symbolQuestions(project, "classes"),
    apropos: PATTERNS,
  };
}

async function timesOf(
  asker: Asker,
  questions: Questions,
  late: Set<QuestionKind>,
  limit = Number.POSITIVE_INFINITY,
): Promise<Times> {
  const times: Record<QuestionKind, number[]> = {
    describe: [],
    references: [],
    callers: [],
    hierarchy: [],
    apropos: [],
  };
  for (const kind of KINDS) {
    for (const question of questions[kind]) {
      const taken = await timeOf(asker, kind, question, limit);
      if (taken === "late") late.add(kind);
      if (typeof taken !== "number") break;
      times[kind].push(taken);
    }
  }
  return times;
}

async function timeOf(
  asker: Asker,
  kind: QuestionKind,
  question: SymbolQuestion | string,
  limit: number,
): Promise<number | "late" | "no such tool"> {
  const answer = timed(async () => asker.ask(kind, question));
  try {
    const taken = await (limit === Number.POSITIVE_INFINITY ? answer : within(answer, limit));
    if (taken !== undefined && taken <= limit) return taken;
    await within(answer, LATE_LIMIT_MS).catch(() => undefined);
    return "late";
  } catch (error) {
    if (isMissingTool(error)) return "no such tool";
    throw error;
  }
}

/** Undefined when it takes longer. */
async function within<Value>(work: Promise<Value>, limit: number): Promise<Value | undefined> {
  const end = new AbortController();
  const late = delay(limit, undefined, { signal: end.signal }).catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    end.abort();
  }
}

/** A build from before a tool was there is measured without it. */
function isMissingTool(error: unknown): boolean {
  return error instanceof Error && /no tool|unknown tool|not a tool/i.test(error.message);
}
