/**
 * Random kills of a server that works with a program of the person's, and of the program, while requests run against the
 * program. The program never notices a server's end; a server tells the program's end and works with the next one.
 *
 * AGENTQ_TESTS=all makes the run longer, AGENTQ_SEED=<n> repeats one.
 */
import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, expect, it, vi } from "vitest";
import type { RequestParams } from "../../server/src/protocol/methods.ts";
import type { EvalResult } from "../../server/src/protocol/repl-shapes.ts";
import { startLoad, type Load } from "../programs/http-load.ts";
import { plainWorld, type Answer } from "../programs/worlds.ts";
import { casesToRun, itAtLength } from "../support/extent.ts";
import { randomFrom, seed } from "../support/fuzz.ts";
import { RunningProgram } from "../support/running-program.ts";
import type { ServerClient } from "../support/server-client.ts";
import { serverStage } from "../support/server-stage.ts";

/** Each needs a program's start, or a server's, which take one or two seconds of the processor. */
const KILLS = casesToRun(Array.from({ length: 50 }, (_, number) => number + 1));
/** How long after the requests a kill comes, at most: some of them take longer than that. */
const SPREAD_MS = 250;
const WAIT = { timeout: 30_000, interval: 20 };
const PRICE = "export function price(count: number): number { return count * rate; }";

/** What a look is told while a form holds the program, and when the program has ended. */
const REFUSAL = /lets nobody look|has ended|does not run|where its process ends/;

const random = randomFrom(seed);
const oneOf = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(random() * items.length)];

// A socket's path may have about a hundred characters.
const runtime = realpathSync(mkdtempSync(path.join(tmpdir(), "aq-")));
const stage = serverStage({ project: plainWorld.files, env: { XDG_RUNTIME_DIR: runtime } });
let program: RunningProgram | undefined;
let load: Load | undefined;

afterEach(async () => {
  await program?.kill();
  await load?.stop();
  load = program = undefined;
});
afterAll(() => rmSync(runtime, { recursive: true, force: true }));

async function start(): Promise<RunningProgram> {
  program = new RunningProgram({ folder: stage.folder, runtime }, plainWorld.command);
  load = startLoad(await program.port, 2, 10);
  return program;
}

function approveAll(client: ServerClient): void {
  client.connection.onNotification("agentq/approval", ({ approvalId }: { readonly approvalId: string }) => {
    client.request("agentq/answerApproval", { approvalId, decision: "approved" }).catch(() => undefined);
  });
}

const found = (client: ServerClient, other = 0): Promise<number> =>
  vi.waitFor(async () => {
    const { processes } = await client.request("agentq/listProcesses", {});
    const { pid = other } = processes.find(({ id }) => id === "api") ?? {};
    expect(pid).not.toBe(other);
    return pid;
  }, WAIT);

type More = Partial<RequestParams<"agentq/evaluate">>;
const inServer: More = { module: plainWorld.server };
const inPrice: More = { module: plainWorld.price };

class Work {
  readonly #client: ServerClient;

  constructor(client: ServerClient) {
    this.#client = client;
  }

  evaluate(code: string, more: More = {}): Promise<EvalResult> {
    return this.#client.request("agentq/evaluate", { code, process: "api", ...more });
  }

  async value(code: string, more: More = {}): Promise<string | undefined> {
    const told = await this.evaluate(code, more);
    expect(told, code).toMatchObject({ outcome: "value" });
    return told.preview;
  }

  tool(name: string, more: Readonly<Record<string, unknown>>): Promise<unknown> {
    return this.#client.request("agentq/callTool", { name, arguments: { process: "api", ...more } });
  }

  /** Each ends while the program lives, or a kill ends it. */
  readonly all: Readonly<Record<string, () => Promise<unknown>>> = {
    "a value": () => this.evaluate("[served, price(3)]", inServer),
    "a busy form": () => this.evaluate("{ const until = Date.now() + 100; while (Date.now() < until); }"),
    "an endless form": () => this.evaluate("for (;;);"),
    "a form that waits": () => this.evaluate("await new Promise((resolve) => setTimeout(resolve, 300))"),
    "a large value": () => this.evaluate("Array.from({ length: 20_000 }, (_, number) => ({ number }))"),
    output: () => this.evaluate('for (let line = 0; line < 100; line++) console.log("a line of a form")'),
    "an import": () => this.evaluate('import { price } from "./src/price.ts"; price(1)'),
    "a redefinition": () => this.evaluate(PRICE, { ...inPrice, install: true }),
    "a trace": () => this.tool("trace_function", { symbol: "src/price.ts#price" }),
    "the calls": () => this.tool("trace_function", {}),
    "a look": () =>
      this.#client.request("agentq/inspectValue", { value: "server", module: plainWorld.server, process: "api" }),
    "a completion": () => {
      const position = { line: 0, character: 7 };
      return this.#client.request("agentq/completeInRepl", { code: "server.", position, ...inServer, process: "api" });
    },
  };

  /** Some of it at once. Answers what was begun, and when all of it has ended. */
  begin(): {
    readonly names: string;
    readonly over: Promise<PromiseSettledResult<unknown>[]>;
  } {
    const names = Array.from({ length: 1 + Math.floor(random() * 4) }, () => oneOf(Object.keys(this.all)) ?? "");
    return { names: names.join(", "), over: Promise.allSettled(names.map(async (name) => this.all[name]?.())) };
  }
}

/** The rounds of a walk; one that fails says how it is repeated. */
async function walk(round: (number: number) => Promise<void>): Promise<void> {
  for (const number of KILLS) {
    try {
      await round(number);
    } catch (error) {
      throw new Error(`kill ${number} of AGENTQ_SEED=${seed}`, { cause: error });
    }
  }
}

const threadsOf = (pid: number): number => readdirSync(`/proc/${pid}/task`).length;

const atLength = process.platform === "linux" ? itAtLength : it.skip;
atLength(
  `a program answers every request, and keeps its state, through ${KILLS.length} kills of its server (seed ${seed}; /proc of Linux)`,
  { timeout: KILLS.length * 20_000 + 20_000 },
  async () => {
    const running = await start();
    const first = (await running.get("/?count=3")) as Answer;
    const { pid } = first;
    const threads = threadsOf(pid);
    await walk(async (number) => {
      const client = await stage.start({}, { isProgram: true });
      approveAll(client);
      expect(await found(client)).toBe(pid);
      const work = new Work(client);
      // The last server's end may not have come to the program.
      await vi.waitFor(async () => expect(await work.value("globalThis.round ?? 0")).toBe(String(number - 1)), WAIT);
      expect(Number(await work.value(`globalThis.round = ${number}; served`, inServer))).toBeGreaterThan(0);
      const { names } = work.begin();
      await sleep(random() * SPREAD_MS);
      await client.kill();
      const before = load?.replies.length ?? 0;
      await vi.waitFor(() => expect(load?.replies.length, names).toBeGreaterThan(before + 8), WAIT);
    });
    await load?.stop();
    expect(load?.dropped).toEqual([]);
    const answers = [first, ...(load?.replies ?? []).map(({ body }) => JSON.parse(body) as Answer)];
    expect(answers.filter((answer) => answer.pid !== pid)).toEqual([]);
    const served = answers.map((answer) => answer.served).toSorted((one, other) => one - other);
    expect(served).toEqual(Array.from(served, (_, at) => at + 1));
    await vi.waitFor(() => expect(threadsOf(pid)).toBe(threads), WAIT);
    const left = (): string[] => readdirSync(path.join(runtime, "agentq")).filter((name) => name.startsWith("app-"));
    await vi.waitFor(() => expect(left()).toHaveLength(1), WAIT);
  },
);

it(
  `a server tells the end, keeps the history, and works with the next process through ${KILLS.length} kills of a program (seed ${seed})`,
  { timeout: KILLS.length * 20_000 + 20_000 },
  async () => {
    const { client } = stage;
    approveAll(client);
    const work = new Work(client);
    let last = 0;
    await walk(async (number) => {
      const running = await start();
      last = await found(client, last);
      expect(await work.value("[process.pid, typeof left]")).toBe(`[${last}, "undefined"]`);
      expect(await work.value(`globalThis.left = ${number}; rate`, inPrice)).toBe("2");
      client.forget();
      const { names, over } = work.begin();
      await sleep(random() * SPREAD_MS);
      await Promise.all([load?.stop(), running.kill()]);
      const told = await over;
      await client.waitFor(({ method, params }) =>
        method === "agentq/processesChanged" && params.processes.length === 0 ? params : undefined,
      );
      const refusals = told.flatMap((each) => (each.status === "rejected" ? [String(each.reason)] : []));
      expect(
        refusals.filter((each) => !REFUSAL.test(each)),
        names,
      ).toEqual([]);
      const { items } = await client.request("agentq/replHistory", { process: "api" });
      expect(items.map(({ code }) => code)).toContain(`globalThis.left = ${number}; rate`);
      expect((await work.evaluate("1")).error?.message, names).toContain("api does not run");
    });
  },
);
