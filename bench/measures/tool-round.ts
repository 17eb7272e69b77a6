/** What one tool call costs a conversation: from one request of the model to the next, beside a bare loop over the SDK. */
import { spawn } from "node:child_process";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { claudeCode, opencode, type AgentCommand, type AgentTask } from "../support/agents.ts";
import { BareProcess } from "../support/bare-process.ts";
import { installAgents } from "../support/install.ts";
import type { Asked } from "../support/model-api.ts";
import { ModelProcess } from "../support/model-process.ts";
import { ratioUpTo, rowsOf, type MeasureReport, type SkippedRow } from "../support/report.ts";
import { inTurns } from "../support/rounds.ts";
import { inTemporaryFolder, type Setting } from "../support/setting.ts";
import { TurnClient } from "../support/turn-client.ts";

const CALLS = 20;
const ROUNDS = 20;
const PEER_ROUNDS = 3;
const GOAL_RATIO = 1.3;
const ENDS_AFTER_MS = 120_000;
const MEASURE = `round trip of a tool call, ${CALLS} in a conversation`;
const BARE = "bare SDK loop, same bodies";

interface Stage {
  readonly model: ModelProcess;
  readonly folder: string;
  readonly files: readonly string[];
}

/** Answers what one round trip took, in milliseconds. */
type Contender = () => Promise<number>;

export function measureToolRound({ program, rounds }: Setting): Promise<MeasureReport> {
  return inTemporaryFolder(async (temporary) => {
    const folder = path.join(realpathSync(temporary), "project");
    const files = writeProject(folder);
    const model = await ModelProcess.start();
    const stage = { model, folder, files };
    const client = await TurnClient.start({ program, folder, url: model.url });
    const bare = new BareProcess();
    try {
      const own = await ownConversation(stage, client);
      const sent = await model.bodies();
      const { agents, skipped } = installedAgents(stage, temporary);
      const samples = await inTurns<string, number>(
        {
          agentq: async () => roundTrip(await ownConversation(stage, client)),
          [BARE]: async () => roundTrip(await bareConversation(stage, bare, sent)),
          ...agents,
        },
        rounds(ROUNDS),
        { atMost: Object.fromEntries(Object.keys(agents).map((name) => [name, PEER_ROUNDS])) },
      );
      const repeated = await bareConversation(stage, bare, sent);
      const rows = rowsOf({ measure: MEASURE, unit: "ms" }, samples, BARE, { agentq: ratioUpTo(GOAL_RATIO) });
      return { rows: [...rows, ...skipped], notes: [noteOf(own, repeated)] };
    } finally {
      await Promise.all([client.close(), bare.close()]);
      await model.close();
    }
  });
}

/** Modules of about two kilobytes, so that each answer has something to say. */
function writeProject(folder: string): string[] {
  mkdirSync(path.join(folder, "src"), { recursive: true });
  writeFileSync(path.join(folder, "tsconfig.json"), '{ "compilerOptions": { "strict": true }, "include": ["src"] }\n');
  return Array.from({ length: CALLS }, (_, index) => {
    const lines = Array.from({ length: 50 }, (_none, line) => `export const value${line} = ${index} * ${line} + 1;`);
    const name = `src/module${index}.ts`;
    writeFileSync(path.join(folder, name), `${lines.join("\n")}\n`);
    return name;
  });
}

async function ownConversation({ model, files }: Stage, client: TurnClient): Promise<readonly Asked[]> {
  model.plan({ tool: "read_file", inputs: files.map((file) => ({ path: file })) });
  await client.turn("Look at all files.");
  return model.asked();
}

async function bareConversation(
  { model, folder, files }: Stage,
  bare: BareProcess,
  bodies: readonly string[],
): Promise<readonly Asked[]> {
  model.plan({ tool: "read_file", inputs: files.map((file) => ({ path: file })) });
  await bare.run({ url: model.url, folder, bodies });
  return model.asked();
}

/** Each is started for each conversation; from the spawn to the first request is no part of the figure. */
function installedAgents(
  stage: Stage,
  temporary: string,
): { readonly agents: Readonly<Record<string, Contender>>; readonly skipped: readonly SkippedRow[] } {
  const known: readonly (readonly [string, string, string, (task: AgentTask) => AgentCommand])[] = [
    ["Claude Code", "Read", "file_path", claudeCode],
    ["opencode", "read", "filePath", opencode],
  ];
  const installed = installAgents();
  if ("missing" in installed) {
    return {
      agents: {},
      skipped: known.map(([subject]) => ({ measure: MEASURE, subject, skipped: installed.missing })),
    };
  }
  const agents = known.map(([name, tool, parameter, command]): readonly [string, Contender] => {
    const home = path.join(temporary, name.replaceAll(" ", "-"));
    mkdirSync(home);
    return [
      name,
      async () => {
        const { model, folder, files } = stage;
        model.plan({ tool, inputs: files.map((file) => ({ [parameter]: path.join(folder, file) })) });
        const task = { agents: installed.value, url: model.url, folder, prompt: "Look at all files." };
        await runAgent(command(task), folder, home);
        return roundTrip(await model.asked(), name);
      },
    ];
  });
  return { agents: Object.fromEntries(agents), skipped: [] };
}

async function runAgent({ command, env }: AgentCommand, cwd: string, home: string): Promise<void> {
  const [program, ...args] = command;
  const child = spawn(program, args, {
    cwd,
    env: { PATH: "/usr/bin:/bin", HOME: home, ...env },
    stdio: "ignore",
    timeout: ENDS_AFTER_MS,
  });
  await new Promise((resolve) => child.once("exit", resolve).once("error", resolve));
}

function roundTrip(asked: readonly Asked[], who = "A contender"): number {
  const [first, last] = [asked[0], asked.at(-1)];
  if (first === undefined || last === undefined || asked.length !== CALLS + 1) {
    throw new Error(`${who} sent ${asked.length} requests where ${CALLS + 1} belong.`);
  }
  return (last.arrived - first.arrived) / CALLS;
}

function noteOf(own: readonly Asked[], bare: readonly Asked[]): string {
  const [ours, theirs] = [own, bare].map((asked) => asked.reduce((sum, { bytes }) => sum + bytes, 0));
  const words = `in ${CALLS + 1} requests agentq sent ${ours?.toLocaleString("en")} bytes`;
  return `${MEASURE}: ${words}, the bare loop ${theirs?.toLocaleString("en")}.`;
}
