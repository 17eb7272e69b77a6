/** How costs grow with what there is: modules, projects, conversations, open proposals, evaluations. */
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { EvalResult } from "../../server/src/protocol/repl-shapes.ts";
import type { Page } from "../../server/src/protocol/shapes.ts";
import type { SessionInfo } from "../../server/src/protocol/session-shapes.ts";
import { rowsOfCurve } from "../support/curves.ts";
import { LspClient, type ServerCommand } from "../support/lsp-client.ts";
import { writeManyModules } from "../support/many-modules.ts";
import { writeManyProjects } from "../support/many-projects.ts";
import { ModelProcess } from "../support/model-process.ts";
import { progress } from "../support/progress.ts";
import type { Curve, MeasureReport, Point } from "../support/report.ts";
import { Reviewer } from "../support/reviewer.ts";
import { inTurns, timed } from "../support/rounds.ts";
import { agentqServer, nativeServer } from "../support/servers.ts";
import { inTemporaryFolder, type Setting } from "../support/setting.ts";
import { TurnClient } from "../support/turn-client.ts";
import { firstAnswer, type FirstAnswer } from "./memory-by-size.ts";

const ROUNDS = 3;
/** From so many modules on the server's own memory shall hardly be seen beside the compiler's. */
const MANY_MODULES = 2_000;

export async function measureGrowth(setting: Setting): Promise<MeasureReport> {
  const [evaluations, proposals] = [await ofEvaluations(setting), await ofProposals(setting)];
  const [conversations, projects] = [await ofConversations(setting), await ofProjects(setting)];
  const curves = [...(await ofModules(setting)), projects, conversations, proposals, evaluations];
  return { rows: curves.flatMap(rowsOfCurve), notes: [], curves };
}

async function ofModules(setting: Setting): Promise<Curve[]> {
  const [answers, memory]: [Point[], Point[]] = [[], []];
  for (const size of [500, 2_000, 8_000, 20_000]) {
    const sampled = await inTemporaryFolder((folder) => {
      writeManyModules(folder, size);
      return besideTheCompiler(setting, folder, { file: "src/part100.ts", name: "pick100" });
    });
    answers.push(pointOf(size, sampled, ({ answeredMs }) => answeredMs));
    memory.push({ ...pointOf(size, sampled, ({ peakMb }) => peakMb), limit: size < MANY_MODULES ? 1.6 : 1.3 });
  }
  return [
    { name: "first who_calls, from the spawn", of: "modules", unit: "ms", points: answers },
    { name: "memory at its peak", of: "modules", unit: "MB", points: memory },
  ];
}

async function ofProjects(setting: Setting): Promise<Curve> {
  const points: Point[] = [];
  for (const size of [1, 5, 20, 40]) {
    const sampled = await inTemporaryFolder((folder) => {
      const { file, name, open } = writeManyProjects(folder, size);
      return besideTheCompiler(setting, folder, { file, name, open });
    });
    points.push(pointOf(size, sampled, ({ answeredMs }) => answeredMs));
  }
  return { name: "first who_calls, a file of each open", of: "projects of a monorepo", unit: "ms", points };
}

type Sampled = Readonly<Record<"ours" | "bare", readonly FirstAnswer[]>>;

function besideTheCompiler(
  { program, rounds }: Setting,
  folder: string,
  about: { readonly file: string; readonly name: string; readonly open?: readonly string[] },
): Promise<Sampled> {
  const ask = (server: ServerCommand, how: "tool" | "references") => () =>
    firstAnswer(server, folder, { ...about, how });
  return inTurns(
    { ours: ask(agentqServer(program), "tool"), bare: ask(nativeServer(), "references") },
    rounds(ROUNDS),
    { warmUp: false },
  );
}

function pointOf(size: number, { ours, bare }: Sampled, figure: (sample: FirstAnswer) => number): Point {
  return { size, ours: ours.map(figure), bare: bare.map(figure) };
}

function ofConversations({ program, rounds }: Setting): Promise<Curve> {
  return inTemporaryFolder(async (temporary) => {
    const folder = path.join(realpathSync(temporary), "project");
    mkdirSync(folder);
    writeFileSync(path.join(folder, "small.ts"), "export const one = 1;\n");
    const model = await ModelProcess.start();
    const client = await TurnClient.start({ program, folder, url: model.url });
    const points: Point[] = [];
    try {
      model.plan({ tool: "read_file", inputs: [{ path: "small.ts" }] });
      const sessionId = await client.turn("Look at the file.");
      let there = 1;
      for (const size of [10, 100, 1_000, 5_000]) {
        for (; there < size; there += 1) {
          progress(`conversation ${there} of ${size}`);
          await client.lsp.request("agentq/forkSession", { sessionId });
        }
        const list = () => client.lsp.request<Page<SessionInfo>>("agentq/listSessions", { limit: 50 });
        points.push({ size, ours: await timesOf(rounds(5 * ROUNDS), list) });
      }
    } finally {
      await client.close();
      await model.close();
    }
    return { name: "the newest 50 listed", of: "conversations", unit: "ms", points };
  });
}

function ofProposals({ program, rounds }: Setting): Promise<Curve> {
  return inTemporaryFolder(async (folder) => {
    writeManyModules(folder, 500);
    const client = new LspClient(agentqServer(program), folder);
    try {
      await client.start(folder);
      const reviewer = new Reviewer(client);
      const points = await grown([1, 10, 25, 50], rounds(ROUNDS), (nth) => {
        const original = `export const sum${nth}: number = ${nth};`;
        const modified = original.replace(/;$/, ".5;");
        const edit = { op: "replace", path: `src/part${nth}.ts`, original, modified };
        return reviewer.propose("propose_edits", { description: "Another limit.", edits: [edit] });
      });
      return { name: "one more, proposed and checked", of: "open proposals", unit: "ms", points };
    } finally {
      await client.close();
    }
  });
}

function ofEvaluations({ program, rounds }: Setting): Promise<Curve> {
  return inTemporaryFolder(async (folder) => {
    writeFileSync(path.join(folder, "package.json"), "{}\n");
    const client = new LspClient(agentqServer(program), folder);
    try {
      await client.start(folder);
      const points = await grown([1, 10, 100, 1_000], rounds(3 * ROUNDS), async (nth) => {
        const code = `const value${nth} = { n: ${nth} }; value${nth}`;
        const { outcome } = await client.request<EvalResult>("agentq/evaluate", { code });
        if (outcome !== "value") throw new Error(`evaluation ${nth} ended with ${outcome}`);
      });
      return { name: "one more, with a name of its own", of: "evaluations", unit: "ms", points };
    } finally {
      await client.close();
    }
  });
}

/** Makes one after the other, and tells at each size what some more take. The first pays for what is loaded with it. */
async function grown(
  sizes: readonly number[],
  samples: number,
  make: (nth: number) => Promise<unknown>,
): Promise<Point[]> {
  const points: Point[] = [];
  let made = 0;
  const one = async (): Promise<number> => {
    made += 1;
    progress(`${made} of ${sizes.at(-1)}`);
    return timed(() => make(made));
  };
  for (const size of sizes) {
    for (let more = size - made; more > 0; more -= 1) await one();
    const ours: number[] = [];
    for (let sample = 0; sample < samples; sample += 1) ours.push(await one());
    points.push({ size, ours });
  }
  return points;
}

async function timesOf(rounds: number, work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) times.push(await timed(work));
  return times;
}
