/** What people run below `agentq run`, each from its start to its end: found, looked into, redefined, started anew, killed. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { isAlive } from "../../server/src/process/own-folder.ts";
import type { RequestParams } from "../../server/src/protocol/methods.ts";
import type { EvalResult, RunningProcess } from "../../server/src/protocol/repl-shapes.ts";
import { itAtLength, runsAll } from "../support/extent.ts";
import { describeEachNode, type TestedNode } from "../support/node-versions.ts";
import { installed, installedRunners } from "../support/runners.ts";
import { RunningProgram } from "../support/running-program.ts";
import { serverStage } from "../support/server-stage.ts";
import { PACKAGES, plainWorld, worlds, type Answer, type World } from "./worlds.ts";

const WAIT = { timeout: 30_000, interval: 20 };

// A socket's path may have about a hundred characters.
const runtime = realpathSync(mkdtempSync(path.join(tmpdir(), "aq-")));
const all = [plainWorld, ...worlds];
const project = Object.fromEntries(
  all.flatMap(({ name, files }) => Object.entries(files).map(([file, text]) => [`${name}/${file}`, text])),
);
const tested = `import { existsSync } from "node:fs";
import { price } from "../src/price.js";
test("a price", async () => {
  console.log("runs " + price(3));
  while (!existsSync("go")) await new Promise((resolve) => setTimeout(resolve, 20));
}, 60_000);
`;
const runs = {
  "package.json": '{ "private": true, "type": "module" }\n',
  "src/price.js": "export const price = (count) => count * 2;\n",
};
const stage = serverStage({
  project: {
    ...project,
    ...Object.fromEntries(
      ["jest", "vitest"].flatMap((name) => Object.entries(runs).map(([file, text]) => [`${name}/${file}`, text])),
    ),
    "jest/test/price.test.js": tested,
    "jest/jest.config.js": "export default { transform: {} };\n",
    "vitest/test/price.test.js": `import { test } from "vitest";\n${tested}`,
  },
  env: { XDG_RUNTIME_DIR: runtime },
  isBare: !runsAll,
});
const running: RunningProgram[] = [];

// The packages are fetched once.
beforeAll(() => {
  if (!runsAll) return;
  symlinkSync(path.join(installed("worlds", PACKAGES), "node_modules"), path.join(stage.folder, "../node_modules"));
}, 300_000);
afterEach(stop);
afterAll(() => rmSync(runtime, { recursive: true, force: true }));

async function stop(): Promise<void> {
  for (const each of running.splice(0)) await each.kill();
}

/** The variables that a person has who works with that Node and with the project's packages. */
function environment({ path: node }: TestedNode, packages: string): Record<string, string> {
  const programs = [path.dirname(node), path.join(packages, "node_modules/.bin")];
  // What compilers keep between runs ends with this file.
  return { PATH: [...programs, process.env["PATH"] ?? ""].join(path.delimiter), TMPDIR: runtime };
}

class Story {
  readonly #world: World;
  /** One yes holds for a name: in each Node the program has another. */
  readonly #name: string;
  readonly #node: TestedNode;
  readonly #folder: string;
  readonly #env: Record<string, string>;
  #program!: RunningProgram;

  constructor(world: World, node: TestedNode) {
    this.#world = world;
    this.#name = `${world.name}-${node.major}`;
    this.#node = node;
    this.#folder = path.join(stage.folder, world.name);
    this.#env = environment(node, path.dirname(stage.folder));
  }

  start(): void {
    const place = { folder: this.#folder, runtime, env: this.#env };
    this.#program = new RunningProgram(place, this.#world.command, this.#name);
    running.push(this.#program);
  }

  build(): void {
    const [program, ...args] = this.#world.build ?? [];
    if (program === undefined) return;
    execFileSync(program, args, { cwd: this.#folder, env: { ...process.env, ...this.#env }, stdio: "pipe" });
  }

  /** What the program answers, by the process with that id if there is one. */
  async ask(pid?: number): Promise<Answer> {
    const { asksBy } = this.#world;
    await this.#program.port;
    return vi.waitFor(async () => {
      const answer = asksBy === "stdin" ? await this.#type() : ((await this.#program.get("/?count=3")) as Answer);
      if (pid !== undefined) expect(answer.pid).toBe(pid);
      return answer;
    }, WAIT);
  }

  /** The process that answers, once it can be worked with. */
  async found(pid: number): Promise<RunningProcess> {
    const name = this.#name;
    const { processes: many = 1 } = this.#world;
    return vi.waitFor(async () => {
      const mine = (await listed()).filter(({ folder }) => folder === this.#folder);
      expect(mine).toHaveLength(many);
      const ids = mine.map(({ id, ...each }) => (id === name ? name : id.replace(`:${each.pid}`, ":")));
      expect(ids).toEqual(Array.from({ length: many }, (_, at) => (at === 0 ? name : `${name}:`)));
      const found = mine.find((each) => each.pid === pid);
      if (found === undefined) throw new Error(`${name} ${pid} is not among ${JSON.stringify(mine)}`);
      return found;
    }, WAIT);
  }

  evaluate({ id }: RunningProcess, code: string, module?: string): Promise<EvalResult> {
    const place: Partial<RequestParams<"agentq/evaluate">> =
      module === undefined ? {} : { module: `${this.#world.name}/${module}` };
    return stage.client.request("agentq/evaluate", { code, process: id, ...place });
  }

  async value(found: RunningProcess, code: string, module?: string): Promise<string | undefined> {
    const told = await this.evaluate(found, code, module);
    expect(told, code).toMatchObject({ outcome: "value" });
    return told.preview;
  }

  async redefine({ id }: RunningProcess): Promise<EvalResult> {
    const { name, price } = this.#world;
    const types = price.endsWith(".ts") ? ": number" : "";
    const code = `export function price(count${types})${types} { return count * rate + 1000; }`;
    return stage.client.request("agentq/evaluate", { code, process: id, module: `${name}/${price}`, install: true });
  }

  /** Starts the program anew, with another rate where a watcher does so. */
  async restart(pid: number): Promise<number> {
    if (this.#world.isWatcher !== true) {
      await this.#program.kill();
      // Vite starts no second server beside one that it can still see.
      await vi.waitFor(() => expect(isAlive(pid)).toBe(false), WAIT);
      this.start();
      return 6;
    }
    const { name, price, files } = this.#world;
    const before = this.#program.ports().length;
    const text = files[price] ?? "";
    writeFileSync(path.join(stage.folder, name, price), text.replace("rate: number = 2", "rate: number = 5"));
    await vi.waitFor(() => expect(this.#program.ports().length).toBeGreaterThan(before), WAIT);
    return 15;
  }

  async end({ pid, id }: RunningProcess): Promise<void> {
    stage.client.forget();
    process.kill(pid, "SIGKILL");
    await stage.client.waitFor(({ method, params }) =>
      method === "agentq/processesChanged" && params.processes.every((each) => each.pid !== pid) ? true : undefined,
    );
    const { error } = await stage.client.request("agentq/evaluate", { code: "1", process: id });
    expect(error?.message).toContain(`${id} does not run`);
  }

  async #type(): Promise<Answer> {
    const answers = (): string[] => this.#program.output.split("\n").filter((line) => line.startsWith("{"));
    const before = answers().length;
    this.#program.send("3");
    await vi.waitFor(() => expect(answers().length).toBeGreaterThan(before), WAIT);
    return JSON.parse(answers().at(-1) ?? "") as Answer;
  }

  get nodeVersion(): RegExp {
    return new RegExp(String.raw`^v${this.#node.major}\.`);
  }
}

const sockets = (): string[] => readdirSync(path.join(runtime, "agentq")).filter((name) => name.startsWith("app-"));

const listed = async (): Promise<readonly RunningProcess[]> =>
  (await stage.client.request("agentq/listProcesses", {})).processes;

/** The form is asked about, once. */
async function agreed<T>(work: () => Promise<T>): Promise<T> {
  stage.client.forget();
  const answer = work();
  const { approvalId } = await stage.client.waitFor(({ method, params }) =>
    method === "agentq/approval" ? params : undefined,
  );
  await stage.client.request("agentq/answerApproval", { approvalId, decision: "approved" });
  const value = await answer;
  expect(stage.client.received.filter(({ method }) => method === "agentq/approval")).toHaveLength(1);
  return value;
}

async function tell(world: World, node: TestedNode): Promise<void> {
  const story = new Story(world, node);
  const { why, server, price } = world;
  story.build();
  story.start();
  const { pid } = await story.ask();
  const found = await story.found(pid);
  expect(found.nodeVersion).toMatch(story.nodeVersion);
  expect(found).toMatchObject({ level: why === undefined ? "modules" : "globals" });
  expect(await agreed(() => story.value(found, "process.pid"))).toBe(String(pid));
  if (why === undefined) {
    const { served } = await story.ask(pid);
    expect(await story.value(found, "served", server)).toBe(String(served));
    expect(await story.value(found, "[rate, price(3)]", price)).toBe("[2, 6]");
    expect(await story.redefine(found)).toMatchObject({ outcome: "value" });
    expect(await story.ask(pid)).toEqual({ pid, served: served + 1, price: 1006 });
  } else {
    expect(found.why).toMatch(why);
    const refused = await story.evaluate(found, "rate", price);
    expect(refused.error).toMatchObject({ name: "ModuleNotReachable", message: expect.stringMatching(why) });
  }
  await story.value(found, "globalThis.left = 1");
  const expected = await story.restart(pid);
  const anew = await story.ask();
  expect(anew).toMatchObject({ price: expected });
  expect(anew.pid).not.toBe(pid);
  const again = await story.found(anew.pid);
  // One yes holds for a name, and a second process beside the first has another one.
  const left = (): Promise<string | undefined> => story.value(again, "typeof left");
  expect(await (again.id === found.id ? left() : agreed(left))).toBe('"undefined"');
  await story.end(again);
}

it("each world has a name of its own, and the modules that are asked", () => {
  const names = all.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const sources = all.flatMap(({ files, server, price }) =>
    server.startsWith("src/") ? [files[server], files[price]] : [],
  );
  expect(sources.filter((text) => text === undefined)).toEqual([]);
});

/** Each costs some seconds of the processor; what they share is tested in `test/server/running-program.test.ts`. */
const everyNode: typeof describeEachNode = (majors, body) => (runsAll ? describeEachNode(majors, body) : undefined);

everyNode([22, 24, 26], (node) => {
  for (const world of all) {
    itAtLength(`${world.name} works from its start to its end`, () => tell(world, node));
  }

  for (const [name, ...command] of [
    ["jest", "node", "--experimental-vm-modules", "node_modules/jest/bin/jest.js"],
    ["vitest", "node", "node_modules/vitest/vitest.mjs", "run"],
  ] as const) {
    itAtLength(`${name} is left alone`, async () => {
      const folder = path.join(stage.folder, name);
      const runners = installedRunners();
      symlinkSync(path.join(runners, "node_modules"), path.join(folder, "node_modules"));
      const program = new RunningProgram({ folder, runtime, env: environment(node, runners) }, command, name);
      running.push(program);
      await vi.waitFor(() => expect(program.output).toContain("runs 6"), WAIT);
      expect(await listed()).toEqual([]);
      writeFileSync(path.join(folder, "go"), "");
      expect(await program.ended).toBe(0);
      expect(sockets()).toEqual([]);
    });
  }
});
