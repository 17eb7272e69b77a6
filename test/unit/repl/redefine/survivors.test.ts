/** Whether an old copy is left where no binding shows it: in closures, timers, listeners and calls that have not ended. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { describeEachNode } from "../../../support/node-versions.ts";
import { startRedefineImage, type RedefineImage } from "./redefine-project.ts";
import { casesToRun } from "../../../support/extent.ts";

describeEachNode([22, 24, 26], (node) => {
  let t: RedefineImage;
  beforeEach(async () => {
    t = startRedefineImage(node, { network: "open" });
    t.write(
      "src/jobs.ts",
      `let rate = { value: 1 };
       export function job(): number { return rate.value }
       export async function long(): Promise<number> { await new Promise((r) => setTimeout(r, 60_000)); return 1 }
       export function start(what: () => number) { return { run: () => what() } }
       export class Keeper { #what: () => number; constructor(what: () => number) { this.#what = what } run() { return this.#what() } }
       export const change = () => { rate = { value: rate.value + 1 } };`,
    );
    await t.value("import { job, long, start, Keeper, change } from './src/jobs.ts'; job()");
  });
  afterEach(() => t.dispose());

  const redefine = async (form: string): Promise<unknown> => (await t.installOne("jobs.ts", form)).isHeld;
  const JOB = "export function job() { return 2 }";

  it("says that none is left, of functions, arrows and objects that were used a thousand times", async () => {
    await t.value("for (let i = 0; i < 2e4; i++) job(); change(); 1");
    expect(await redefine(JOB)).toBe(false);
    expect(await redefine("export function job() { return rate.value }")).toBe(false);
    expect(await redefine("export const change = () => { rate = { value: rate.value + 2 } }")).toBe(false);
    expect(await redefine("let rate = { value: 5 }")).toBe(false);
    expect(await t.value("change(); job()")).toBe("7");
    expect(await t.value("[1, 2].map(job).concat(job.length)")).toBe("[7, 7, 0]");
    expect(await redefine(JOB)).toBe(false);
  });

  it("does not take what Node keeps of a CommonJS export for an old copy", async () => {
    t.write(
      "src/made.cts",
      "export function tell(): number { return 1 }\nfunction own(): number { return 1 }\nexport const both = () => tell() + own();\n",
    );
    await t.value("import { both } from './src/made.cts'; both()");
    const heldOf = async (form: string): Promise<unknown> => (await t.installOne("made.cts", form)).isHeld;
    expect(await heldOf("export function tell(): number { return 2 }")).toBeUndefined();
    expect(await heldOf("export function tell(): number { return 3 }")).toBe(false);
    expect(await heldOf("function own(): number { return 4 }")).toBe(false);
    expect(await t.value("both()")).toBe("7");
  });

  it.for(
    casesToRun(
      [
        ["a variable of a function", "const begun = start(job); 1"],
        ["a private field", "const keeper = new Keeper(job); 1"],
        ["an interval", "const timer = setInterval(job, 1e6); 1"],
        ["a listener", "process.on('SIGUSR1', job); 1"],
        ["a function that is bound to it", "const more = [[[[job.bind(null)]]]]; 1"],
        ["a WeakMap", "const key = {}; const weak = new WeakMap([[key, job]]); 1"],
        [
          "a reaction of a promise",
          "const { promise, resolve } = Promise.withResolvers<void>(); void promise.then(job); 1",
        ],
      ] as const,
      3,
    ),
  )("says that %s holds one", async ([, code]) => {
    await t.value(code);
    expect(await redefine(JOB)).toBe(true);
    // The new one is held by nobody yet.
    expect(await redefine(JOB)).toBe(false);
  });

  it("names intervals and listeners of the process", async () => {
    await t.value("const timer = setInterval(job, 1e6); const later = setInterval(job, 2e6); clearInterval(later); 1");
    await t.value("process.on('SIGUSR1', job); process.on('SIGUSR1', () => {}); process.once('exit', job); 1");
    const { holders } = await t.installOne("jobs.ts", JOB);
    expect(holders).toEqual([
      { path: "process", what: "its listeners of SIGUSR1" },
      { path: "process", what: "its listeners of exit" },
    ]);
    await t.value("const again = setInterval(job, 1e6); 1");
    expect((await t.installOne("jobs.ts", JOB)).holders).toEqual([{ path: "an interval", what: "every 1000000 ms" }]);
  });

  it("names the server that goes on with the old handler", async () => {
    t.write(
      "src/site.ts",
      `import { createServer, type ServerResponse } from "node:http";
       export function handle(_: unknown, res: ServerResponse): void { res.end(text()) }
       function text() { return "old" }
       export const open = () => void createServer(handle).listen(0, "127.0.0.1");`,
    );
    await t.value("import { open } from './src/site.ts'; open()");
    expect(await t.installOne("site.ts", "function text() { return 'new' }")).toMatchObject({ isHeld: false });
    expect(await t.installOne("site.ts", "export function handle(_, res) { res.end('new') }")).toMatchObject({
      isHeld: true,
      holders: [{ path: "an open Server", what: "its listeners of request" }],
    });
  });

  it("says it of a call that has not ended", async () => {
    await t.value("void long(); 1");
    expect(await redefine("export async function long() { return 2 }")).toBe(true);
  });

  it("says nothing of a function that a trace holds", async () => {
    await t.inModule(
      "jobs.ts",
      "__agentq.trace((code: string) => eval(code), { path: ['job'], address: 'job', filename: 'jobs.ts' })",
    );
    expect(await redefine(JOB)).toBeUndefined();
    expect(await redefine(JOB)).toBe(false);
  });

  it("says nothing of classes, nor where the heap is large", async () => {
    expect(await redefine("export class Keeper { run() { return 3 } }")).toBeUndefined();
    await t.value("const much = Array.from({ length: 1_500_000 }, (_, i) => ({ i, j: [i] })); 1");
    expect(await redefine(JOB)).toBeUndefined();
  });

  it("says it too where the program has replaced what it is found out with", async () => {
    await t.value(
      "globalThis.WeakRef = undefined as never; globalThis.gc = undefined; JSON.stringify = () => ''; Map.prototype.get = undefined as never; 1",
    );
    expect(await redefine(JOB)).toBe(false);
  });
});
