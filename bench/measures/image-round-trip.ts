/** `1+1` there and back: through the server and at the image itself, beside `node -i` and a bare Node's inspector. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { EvalResult } from "../../server/src/protocol/repl-shapes.ts";
import type { Image } from "../../server/src/repl/image.ts";
import { imageMaker, valueOf } from "../support/image-host.ts";
import { InspectedNode } from "../support/inspected-node.ts";
import { LspClient } from "../support/lsp-client.ts";
import { NodeRepl } from "../support/node-repl.ts";
import { ratioUpTo, rowsOf, type MeasureReport } from "../support/report.ts";
import { inTurns, timed } from "../support/rounds.ts";
import { agentqServer } from "../support/servers.ts";
import { inTemporaryFolder, type Setting } from "../support/setting.ts";
import { median } from "../support/statistics.ts";

const EVALUATIONS = 10_000;
/** What one contender does before the next has its turn. */
const BATCH = 250;
const NAMED = 40;
const GOAL_RATIO = 1.5;
const SERVER = "agentq/evaluate, through the server";
const IMAGE = "the image itself";
const NODE = "node -i over a pipe";
const INSPECTOR = "bare inspector websocket";

/** Evaluates `1+1` once, and that many times without waiting for the answers between. */
interface Evaluator {
  readonly once: () => Promise<unknown>;
  readonly atOnce: (times: number) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

export function measureImageRoundTrip({ program, rounds }: Setting): Promise<MeasureReport> {
  return inTemporaryFolder(async (folder) => {
    const image = (await imageMaker(program))(folder);
    const evaluators: Readonly<Record<string, Evaluator>> = {
      [SERVER]: await throughServer(program, folder),
      [IMAGE]: atImage(image),
      [NODE]: inNode(new NodeRepl(folder)),
      [INSPECTOR]: byInspector(new InspectedNode(folder)),
    };
    const batches = rounds(EVALUATIONS / BATCH);
    const turns = (work: (evaluator: Evaluator) => Promise<number>): Promise<Record<string, number[]>> =>
      inTurns(Object.fromEntries(Object.entries(evaluators).map(([name, each]) => [name, () => work(each)])), batches);
    try {
      const sequential = await turns(async ({ once }) => {
        const taken = await timed(async () => {
          for (let count = 0; count < BATCH; count += 1) await once();
        });
        return (taken * 1_000) / BATCH;
      });
      const pipelined = await turns(async ({ atOnce }) => ((await timed(() => atOnce(BATCH))) * 1_000) / BATCH);
      const named = await namedForms(folder, program, image, rounds(NAMED));
      const count = (batches * BATCH).toLocaleString("en");
      return {
        rows: [
          ...besideTheFaster(`1+1, ${count} one after the other`, sequential),
          ...besideTheFaster(`1+1, ${count} pipelined by ${BATCH}`, pipelined),
          ...rowsOf({ measure: "n + 1, one after the other", unit: "ms" }, named, IMAGE),
        ],
        notes: [],
      };
    } finally {
      await Promise.all(Object.values(evaluators).map(({ close }) => close()));
    }
  });
}

/** In a project of its own, so that there is a compiler to ask; the first forms wait for it to start and do not count. */
async function namedForms(
  folder: string,
  program: string,
  image: Image,
  rounds: number,
): Promise<Record<string, number[]>> {
  mkdirSync(path.join(folder, "src"));
  writeFileSync(path.join(folder, "tsconfig.json"), '{ "compilerOptions": { "strict": true }, "include": ["src"] }\n');
  writeFileSync(path.join(folder, "src/one.ts"), "export const one = 1;\n");
  const client = new LspClient(agentqServer(program), folder);
  const evaluate = (code: string): Promise<EvalResult> => client.request<EvalResult>("agentq/evaluate", { code });
  try {
    await client.start(folder);
    await evaluate("const n = 1");
    await valueOf(image, "const n = 1");
    const notes = (): Promise<unknown> =>
      client.request("agentq/callTool", { name: "get_compilation_notes", arguments: {} });
    await evaluate("n + 1");
    // Waits for the compiler's first answer.
    await notes();
    const through = async (): Promise<void> => expectTwo((await evaluate("n + 1")).preview);
    const itself = async (): Promise<void> => expectTwo(await valueOf(image, "n + 1"));
    return await inTurns({ [SERVER]: () => timed(through), [IMAGE]: () => timed(itself) }, rounds);
  } finally {
    await client.close();
  }
}

function besideTheFaster(measure: string, samples: Readonly<Record<string, number[]>>): MeasureReport["rows"] {
  const faster = median(samples[NODE] ?? []) < median(samples[INSPECTOR] ?? []) ? NODE : INSPECTOR;
  const goal = ratioUpTo(GOAL_RATIO);
  return rowsOf({ measure, unit: "µs" }, samples, faster, { [SERVER]: goal, [IMAGE]: goal });
}

async function throughServer(program: string, folder: string): Promise<Evaluator> {
  const client = new LspClient(agentqServer(program), folder);
  await client.start(folder);
  const once = async (): Promise<void> => {
    expectTwo((await client.request<EvalResult>("agentq/evaluate", { code: "1+1" })).preview);
  };
  return { once, atOnce: (times) => all(once, times), close: () => client.close() };
}

function atImage(image: Image): Evaluator {
  const once = async (): Promise<void> => expectTwo(await valueOf(image, "1+1"));
  return { once, atOnce: (times) => all(once, times), close: () => image.dispose() };
}

function inNode(node: NodeRepl): Evaluator {
  const started = node.ready();
  return {
    once: async () => {
      await started;
      expectTwo((await node.evaluate("1+1")).trim());
    },
    atOnce: (times) => node.evaluateAtOnce("1+1", times),
    close: () => node.close(),
  };
}

function byInspector(node: InspectedNode): Evaluator {
  const once = async (): Promise<void> => expectTwo(await node.evaluate("1+1"));
  return { once, atOnce: (times) => all(once, times), close: () => node.close() };
}

function all(once: () => Promise<void>, times: number): Promise<unknown> {
  return Promise.all(Array.from({ length: times }, once));
}

function expectTwo(answer: unknown): void {
  if (String(answer) !== "2") throw new Error(`1+1 was answered with ${JSON.stringify(answer)}`);
}
