/**
 * Random kills of the server, the image and the compiler while requests run. A server that lives answers every request,
 * says what was lost, and works on; of a server that is killed nothing stays behind.
 *
 * AGENTQ_TESTS=all and AGENTQ_FUZZ=<factor> make the run longer, AGENTQ_SEED=<n> repeats one.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ServerClient } from "../support/server-client.ts";
import { factor, randomFrom, seed, times } from "../support/fuzz.ts";

const example = fileURLToPath(new URL("../../examples/invoices", import.meta.url));
const KILLS = times(3);
/** How long after the requests a kill comes, at most: some of them take longer than that. */
const SPREAD_MS = 400;
const REPLY_MS = 45_000;

const random = randomFrom(seed);
const oneOf = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(random() * items.length)];

let folder: string;
let client: ServerClient;
const start = async (): Promise<void> => {
  client = new ServerClient({ isProgram: true });
  await client.initialize([folder]);
};
beforeAll(async () => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-kills-")));
  cpSync(example, folder, { recursive: true });
  await start();
});
afterAll(async () => {
  await client.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** Everything that a process has started, directly or not, and that runs. */
function descendants(of: number): Process[] {
  const all = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (look(Number(name)) ?? []) : []));
  const found: Process[] = [];
  for (const parents = [of]; parents.length > 0;) {
    const parent = parents.pop();
    const children = all.filter((each) => each.parent === parent);
    found.push(...children);
    parents.push(...children.map(({ pid }) => pid));
  }
  return found;
}

function look(pid: number): Process | undefined {
  try {
    const [, run = "", parent = "0"] = /\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    if (run === "Z") return undefined;
    return { pid, parent: Number(parent), command: readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ") };
  } catch {
    return undefined;
  }
}

const value = async (code: string): Promise<void> => {
  const result = await client.request("agentq/evaluate", { code });
  // A process that dies while it starts has run nothing and had nothing to lose.
  const isUnstarted = result.error?.name === "ReplUnavailable";
  const isTold = result.outcome === "value" || isUnstarted || (result.outcome === "crashed" && !result.stateKept);
  expect(isTold, `${code}: ${JSON.stringify(result)}`).toBe(true);
};
const tool = async (name: string, args: Record<string, unknown>, wanted: string): Promise<void> => {
  const result = await client.request("agentq/callTool", { name, arguments: args });
  expect(result.content, `${name}: ${result.error ?? ""}`).toContain(wanted);
};
/** Each fails when its answer is neither right nor says what was lost. */
const requests: Readonly<Record<string, () => Promise<void>>> = {
  "evaluate at once": () => value("1 + 1"),
  "evaluate and wait": () => value("await new Promise((r) => setTimeout(r, 300)); 'slept'"),
  "evaluate busily": () => value("{ const until = Date.now() + 200; while (Date.now() < until); }"),
  "import a module": () => value("import { money } from './src/money.ts'; typeof money"),
  describe: () => tool("describe_symbol", { symbol: "Invoice" }, "export class Invoice"),
  references: () => tool("who_references", { symbol: "src/money.ts#money" }, "src/money.ts"),
  diagnostics: () => tool("get_diagnostics", {}, "files checked"),
  tests: () => tool("run_tests", { path: "test/money.test.ts" }, "passed in 1 file"),
  status: async () => expect(await client.request("agentq/status", {})).toHaveProperty("repl.state"),
  complete: async () => {
    const position = { line: 0, character: 10 };
    expect(await client.request("agentq/completeInRepl", { code: "globalThis", position })).toHaveProperty("items");
  },
};

/** Every request is answered, whatever dies. */
async function answered(name: string): Promise<void> {
  const lost = sleep(REPLY_MS, undefined, { ref: false }).then(() => {
    throw new Error(`No answer to "${name}" within ${REPLY_MS} ms`);
  });
  await Promise.race([(requests[name] as () => Promise<void>)(), lost]);
}

const isImage = ({ command }: Process): boolean => command.includes("--disable-sigusr1");
const isCompiler = ({ command }: Process): boolean => command.includes("--lsp");
const imagePid = async (): Promise<number | undefined> => (await client.request("agentq/status", {})).repl.pid;

async function killServer(): Promise<void> {
  const { pid } = client.child;
  if (pid === undefined) return;
  const left = descendants(pid);
  const exited = new Promise((resolve) => client.child.once("exit", resolve));
  // Nobody is there to hear of the requests that were under way.
  client.connection.dispose();
  client.child.kill("SIGKILL");
  await exited;
  const orphans = (): Process[] => left.filter(({ pid: each, command }) => look(each)?.command === command);
  await expect.poll(orphans, { timeout: 40_000, interval: 20 }).toEqual([]);
  await start();
}

/** The name that only this process of the image has. */
async function declareIn(number: number): Promise<string> {
  const name = `kept${number}`;
  const { outcome } = await client.request("agentq/evaluate", { code: `const ${name} = 1;` });
  expect(outcome).toBe("value");
  return name;
}

async function round(number: number): Promise<string> {
  const { pid = 0 } = client.child;
  const asked = Array.from({ length: 2 + Math.floor(random() * 4) }, () => oneOf(Object.keys(requests)) ?? "");
  const victim = oneOf(["image", "image", "compiler", "compiler", "server"]);
  // Else the kill may come while a process starts.
  const name = victim === "image" && random() < 0.7 ? await declareIn(number) : undefined;
  const image = await imagePid();
  const running = Promise.allSettled(asked.map((request) => answered(request)));
  await sleep(random() * SPREAD_MS);
  if (victim === "server") {
    await killServer();
    return `server during ${asked.join(", ")}`;
  }
  const processes = descendants(pid);
  // A process of a test run starts as the image does.
  const starting = asked.includes("tests") ? undefined : processes.find(isImage)?.pid;
  const found = victim === "image" ? (image ?? starting) : oneOf(processes.filter(isCompiler))?.pid;
  if (found !== undefined) process.kill(found, "SIGKILL");
  const told = `${victim} during ${asked.join(", ")}`;
  const failures = (await running).flatMap((each) => (each.status === "rejected" ? [String(each.reason)] : []));
  expect(failures, told).toEqual([]);
  // A busy machine lets a killed process run on for a moment, and answer.
  if (found !== undefined) await expect.poll(() => look(found), { timeout: 40_000, interval: 5 }).toBeUndefined();
  // It works on, with a fresh process where one was lost.
  await answered("evaluate at once");
  await answered("describe");
  if (name !== undefined) {
    const lost = await client.request("agentq/evaluate", { code: name });
    expect(lost.error?.message, told).toBe(`${name} is not defined: it was lost when the REPL's process ended`);
  }
  return told;
}

it.skipIf(process.platform !== "linux")(
  `answers every request, tells what is lost and leaves no process behind through ${KILLS} kills (seed ${seed}; /proc of Linux)`,
  { timeout: KILLS * 20_000 },
  async () => {
    for (let number = 0; number < KILLS; number++) {
      try {
        await round(number);
      } catch (error) {
        throw new Error(`kill ${number + 1} of AGENTQ_SEED=${seed} AGENTQ_FUZZ=${factor}`, { cause: error });
      }
    }
    const { pid = 0 } = client.child;
    const left = descendants(pid);
    expect(await client.close()).toBe(0);
    await expect.poll(() => left.filter(({ pid: each }) => look(each) !== undefined)).toEqual([]);
    await start();
  },
);
