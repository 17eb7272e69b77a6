/** Answers of a loaded project: each tool beside the bare requests it is made of, and beside what the peers offer. */
import { agentqAsker, cclspAsker, lspAsker, type Asker } from "../support/askers.ts";
import type { LargeProject } from "../support/install.ts";
import { PATTERNS, symbolQuestions, type QuestionKind, type SymbolQuestion } from "../support/questions.ts";
import { p95Below, ratioUpTo, rowsOf, type MeasureReport, type Row, type SkippedRow } from "../support/report.ts";
import { inTurns, timed } from "../support/rounds.ts";
import { agentqServer, nativeServer, typescriptLanguageServer, vtsls } from "../support/servers.ts";
import type { Setting } from "../support/setting.ts";

const ROUNDS = 3;
const GOAL_RATIO = 1.3;
const APROPOS_GOAL_MS = 50;
const BASELINE = "bare native requests";
const KINDS: readonly QuestionKind[] = ["describe", "references", "callers", "hierarchy", "apropos"];

/** Milliseconds by kind: of questions never asked before, and of the same ones once more. */
interface Sample {
  readonly fresh: Readonly<Record<QuestionKind, readonly number[]>>;
  readonly again: Readonly<Record<QuestionKind, readonly number[]>>;
}

export async function measureWarmAnswers({ program, peers, large, rounds }: Setting): Promise<MeasureReport> {
  if ("missing" in large) {
    return { rows: [{ measure: "warm answers", subject: "large project", skipped: large.missing }], notes: [] };
  }
  const project = large.value;
  const starts: Record<string, () => Promise<Asker>> = {
    agentq: () => agentqAsker(agentqServer(program), project),
    [BASELINE]: () => lspAsker(nativeServer(), project),
  };
  if ("value" in peers) {
    starts["typescript-language-server"] = () => lspAsker(typescriptLanguageServer(peers.value), project);
    starts["vtsls"] = () => lspAsker(vtsls(peers.value), project);
    starts["cclsp"] = () => cclspAsker(peers.value, project);
  }
  const contenders = Object.fromEntries(
    Object.entries(starts).map(([name, start]) => [name, async () => sampleOf(await start(), project)]),
  );
  const samples = await inTurns(contenders, rounds(ROUNDS));
  const skipped: SkippedRow[] =
    "value" in peers ? [] : [{ measure: "warm answers", subject: "the peers", skipped: peers.missing }];
  return { rows: [...KINDS.flatMap((kind) => rowsOfKind(kind, samples)), ...skipped], notes: [] };
}

function rowsOfKind(kind: QuestionKind, samples: Readonly<Record<string, readonly Sample[]>>): Row[] {
  const all = (when: keyof Sample): Record<string, number[]> =>
    Object.fromEntries(
      Object.entries(samples)
        .map(([name, list]) => [name, list.flatMap((sample) => sample[when][kind])] as const)
        .filter(([, times]) => times.length > 0),
    );
  const again = all("again");
  const goal = kind === "apropos" ? p95Below(APROPOS_GOAL_MS, "ms") : ratioUpTo(GOAL_RATIO);
  return [
    ...rowsOf(`${kind}, warm`, "ms", all("fresh"), BASELINE, { agentq: goal }),
    ...rowsOf(
      `${kind}, asked again`,
      "ms",
      Object.fromEntries(Object.entries(again).filter(([name]) => name === "agentq" || name === BASELINE)),
      BASELINE,
      { agentq: goal },
    ),
  ];
}

async function sampleOf(asker: Asker, project: LargeProject): Promise<Sample> {
  const functions = symbolQuestions(project, "functions");
  const classes = symbolQuestions(project, "classes");
  const [warmUp, ...others] = functions;
  // Every kind of question has symbols of its own: an answer to one would help with the next.
  const third = Math.floor(others.length / 3);
  const questions: Readonly<Record<QuestionKind, readonly (SymbolQuestion | string)[]>> = {
    describe: others.slice(0, third),
    references: others.slice(third, 2 * third),
    callers: others.slice(2 * third),
    hierarchy: classes,
    apropos: PATTERNS,
  };
  try {
    // The project is loaded and every tool has run once.
    for (const kind of KINDS) {
      if (warmUp !== undefined) await asker.ask(kind, kind === "apropos" ? "zzzz" : warmUp)?.catch(() => undefined);
    }
    return { fresh: await timesOf(asker, questions), again: await timesOf(asker, questions) };
  } finally {
    await asker.close();
  }
}

async function timesOf(
  asker: Asker,
  questions: Readonly<Record<QuestionKind, readonly (SymbolQuestion | string)[]>>,
): Promise<Record<QuestionKind, number[]>> {
  const times: Record<QuestionKind, number[]> = {
    describe: [],
    references: [],
    callers: [],
    hierarchy: [],
    apropos: [],
  };
  for (const kind of KINDS) {
    for (const question of questions[kind]) {
      const taken = await timed(async () => asker.ask(kind, question)).catch((error: unknown) => {
        if (isMissingTool(error)) return undefined;
        throw error;
      });
      if (taken === undefined) break;
      times[kind].push(taken);
    }
  }
  return times;
}

/** A build from before a tool was there is measured without it. */
function isMissingTool(error: unknown): boolean {
  return error instanceof Error && /no tool|unknown tool|not a tool/i.test(error.message);
}
