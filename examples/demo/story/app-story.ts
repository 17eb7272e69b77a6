/** A running service: a request that fails is recorded, made again behind the wall, and mended without a restart. */
import { spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { copyProject } from "../client/project-copy.ts";
import { PROGRAM, showNextSteps } from "./next-steps.ts";
import { openStage, showHunks, type StoryOptions } from "./stage.ts";

const FAILING = "/price?item=atlas:2&coupon=WELCOME";
/** Two atlases at 38.00, and a fifth less. */
const RIGHT = 6080;
const BETWEEN_REQUESTS_MS = 500;

const PROMPT =
  `GET ${FAILING} of the running service "orders" answers cents: null. I send that request again and again. Find out ` +
  "why in the service as it runs, fix it, and bring the fix into the service without a restart.";

interface Service {
  readonly get: () => Promise<{ readonly cents: number | null; readonly answered: number }>;
  dispose(): Promise<void>;
}

/** Answers the exit code: 0 when the next request is right, or when the person turned the fix down. */
export async function runAppStory(options: StoryOptions): Promise<number> {
  const { screen, interactive } = options;
  await using resources = new AsyncDisposableStack();
  const project = resources.adopt(await copyProject("orders"), (value) => value.dispose());
  const environment = await placeForSockets(options.environment, dirname(project.folder));
  const service = resources.adopt(await startService(project.folder, environment), (value) => value.dispose());
  const stage = await openStage(options, resources, { project, example: "orders", script: "live-bug", environment });
  stage.label("service", "agentq run --name orders -- node src/server.ts");

  const before = await service.get();
  screen.line();
  screen.line(`  GET ${FAILING} answers ${screen.paint("red", JSON.stringify(before))}.`);
  const turn = new AbortController();
  const requests = sendUntil(turn.signal, service);
  const report = await stage.say(PROMPT).finally(() => turn.abort());
  await requests;

  const after = await service.get();
  const isFixed = after.cents === RIGHT;
  screen.line();
  screen.line(`  ${screen.paint("bold", "What happened")}`);
  stage.label("before", JSON.stringify(before));
  stage.label("after", screen.paint(isFixed ? "green" : "red", JSON.stringify(after)));
  showHunks(stage.label, report);
  stage.label("service", `the same process: it has answered ${after.answered} requests`);
  const isTurnedDown = interactive && report.hunks.some(({ applied }) => !applied);
  if (!isFixed && !isTurnedDown) {
    const { end } = report;
    screen.line();
    screen.line(screen.paint("red", `  The demo failed: ${end.message ?? `the turn ended with "${end.reason}"`}.`));
    return 1;
  }
  showNextSteps(screen, "app");
  return 0;
}

/** Where programs and servers find each other; a folder of this story where the person has none. */
async function placeForSockets(
  { XDG_RUNTIME_DIR: own = "" }: StoryOptions["environment"],
  parent: string,
): Promise<Readonly<Record<string, string>>> {
  if (own !== "" || process.platform === "darwin") return {};
  const runtime = join(parent, "run");
  await mkdir(runtime, { mode: 0o700 });
  return { XDG_RUNTIME_DIR: runtime };
}

async function startService(folder: string, more: Readonly<Record<string, string>>): Promise<Service> {
  const args = [PROGRAM, "run", "--name", "orders", "--", process.execPath, "src/server.ts"];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, ...more },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([once(lines, "line"), ended.then(() => [])]);
  const [, origin] = /(http:\/\/[\d.]+:\d+)/.exec(String(first[0])) ?? [];
  if (origin === undefined) throw new Error("the service did not start");
  return {
    get: async () => (await (await fetch(origin + FAILING)).json()) as Awaited<ReturnType<Service["get"]>>,
    dispose: async () => {
      child.kill();
      await ended;
    },
  };
}

/** A customer who tries again. */
async function sendUntil(signal: AbortSignal, service: Service): Promise<void> {
  while (!signal.aborted) {
    await service.get();
    await pause(BETWEEN_REQUESTS_MS, undefined, { signal }).catch(() => undefined);
  }
}
