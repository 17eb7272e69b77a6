/** Which model the demo talks to: the one that the environment configures, else the script on the loopback address. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

type Environment = Readonly<Record<string, string | undefined>>;

export interface ChosenModel {
  readonly scripted: boolean;
  /** For the person: who answers, and how to choose another. */
  readonly sentence: string;
  /** The environment in which the server finds the model. */
  readonly environment: Environment;
  dispose(): Promise<void>;
}

export interface ScriptedChoice {
  readonly script: string;
  readonly project: string;
  readonly paceMs: number;
}

const PROGRAM = fileURLToPath(new URL("../scripted-model.ts", import.meta.url));

export function isModelConfigured(environment: Environment): boolean {
  return ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"].some((name) => !!environment[name]);
}

export async function chooseModel(environment: Environment, choice: ScriptedChoice): Promise<ChosenModel> {
  if (isModelConfigured(environment)) {
    const where = environment["ANTHROPIC_BASE_URL"] ? "at ANTHROPIC_BASE_URL" : "of your API key";
    return {
      scripted: false,
      sentence: `the model ${where}. It decides for itself, so the story may take another road.`,
      environment,
      dispose: async () => {},
    };
  }
  const args = [
    "--script",
    choice.script,
    "--project",
    choice.project,
    "--pace",
    String(choice.paceMs),
    "--with-stdin",
  ];
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const url = await Promise.race([firstLine(child.stdout), ended.then(() => undefined)]);
  if (url === undefined) throw new Error("the scripted model did not start");
  return {
    scripted: true,
    sentence: "a script, played over the real Messages API. Set ANTHROPIC_API_KEY to talk to a model.",
    environment: { ...environment, ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "scripted" },
    async dispose() {
      child.stdin.end();
      child.kill();
      await ended;
    },
  };
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string | undefined> {
  for await (const line of createInterface({ input: stream })) return line;
  return undefined;
}
