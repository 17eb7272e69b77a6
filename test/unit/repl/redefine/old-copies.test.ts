/** Who holds an old copy where no binding shows it, named: closures, private fields, timers, calls that have not ended. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { describeEachNode } from "../../../support/node-versions.ts";
import { held, startRedefineImage, type RedefineImage } from "./redefine-project.ts";

/** By the function that is held: how that is done, and what is said of it. */
const HELD: Record<string, readonly [code: string, ...holders: string[]]> = {
  closure: ["const begun = start(closure)", "the function run (src/holding.ts:1) its variable what"],
  deep: [
    "const deepest = (() => { const config = { routes: [{ run: deep }] }; return () => config })()",
    "the function at repl:3:2 its variable config.routes[0].run",
  ],
  inMap: [
    "const mapped = (() => { const byName = new Map([['x', inMap]]); return () => byName })()",
    "the function at repl:3:3 its variable byName.get(…)",
  ],
  inSet: [
    "const listed = (() => { const all = new Set([inSet]); return () => all })()",
    "the function at repl:3:4 its variable all.has(…)",
  ],
  inPackage: [
    "import { hold } from 'holder'; const packed = hold(inPackage)",
    "the function at node_modules/holder/index.js:3 its variable what",
  ],
  field: ["const keeper = new Keeper(field)", "the REPL keeper.#what"],
  fixed: ["Keeper.keep(fixed)", "the function Keeper (src/holding.ts:4) its property #kept"],
  bound: ["const more = [[[[bound.bind(null)]]]]", "the REPL more[0][0][0][0] (a function that is bound to it)"],
  argument: [
    "const given = ((what: unknown) => what).bind(null, argument)",
    "the REPL given (what a function is bound to)",
  ],
  weakly: ["const key = {}; const weak = new WeakMap([[key, weakly]])", "the REPL key (the key of a WeakMap)"],
  behind: ["const proxies = [new Proxy(behind, {})]", "the REPL proxies[0] (behind a proxy)"],
  got: [
    "const getter = { get [Symbol('way')]() { return 1 } }; Object.defineProperty(getter, 'got', { get: got })",
    "the REPL getter.got",
  ],
  promised: [
    "const { promise, resolve } = Promise.withResolvers<void>(); void promise.then(promised)",
    "the REPL promise (what follows on the promise)",
  ],
  waiting: ["void wait(waiting)", "a call of wait (src/holding.ts:2) that has not ended a variable of its own"],
  generated: [
    "const steps = generate(generated); steps.next()",
    "a call of generate (src/holding.ts:3) that has not ended a variable of its own",
  ],
  timed: ["setTimeout(timed, 1e9)", "a timer its callback"],
  passed: ["setTimeout((what: unknown) => what, 1e9, passed)", "a timer its arguments"],
  listening: [
    "import { EventEmitter } from 'node:events'; const heard = (() => { const inner = new EventEmitter(); inner.on('x', listening); return () => inner })()",
    "the function at repl:3:18 its variable inner._events.x",
  ],
  global: [
    "(globalThis as any).box = { value: { value: { value: { value: global } } } }",
    "globalThis box.value.value.value.value",
  ],
};

describeEachNode([22, 24, 26], (node) => {
  let t: RedefineImage;
  beforeEach(() => {
    t = startRedefineImage(node);
  });
  afterEach(() => t.dispose());

  it("names every one", async () => {
    const names = Object.keys(HELD);
    t.write("src/jobs.ts", names.map((name) => `export function ${name}(): number { return 1 }`).join("\n"));
    t.write(
      "src/holding.ts",
      `export function start(what: () => number) { return function run() { return what() } }
export async function wait(what: () => number) { await new Promise((r) => setTimeout(r, 1e9)); return what() }
export function* generate(what: () => number) { yield 1; yield what() }
export class Keeper { static #kept: unknown; #what: unknown; constructor(what: unknown) { this.#what = what } static keep(what: unknown) { Keeper.#kept = what } told() { return [this.#what, Keeper.#kept] } }`,
    );
    t.write("node_modules/holder/package.json", '{ "name": "holder", "exports": "./index.js" }');
    t.write("node_modules/holder/index.js", "exports.hold = (what) => {\n  // Keeps it.\n  return () => what;\n};\n");
    await t.value(`import { ${names.join(", ")} } from "./src/jobs.ts"; 1`);
    await t.value(`import { start, wait, generate, Keeper } from "./src/holding.ts"; 1`);
    await t.value(
      `${Object.values(HELD)
        .map(([code]) => code)
        .join(";\n")};\n1`,
    );
    const form = names.map((name) => `export function ${name}() { return 2 }`).join("\n");
    const { names: installed } = await t.install("jobs.ts", form);
    const told = Object.fromEntries(installed.map((each) => [each.name, held(each)]));
    expect(told).toEqual(Object.fromEntries(Object.entries(HELD).map(([name, [, ...holders]]) => [name, holders])));
    // Nobody holds the new ones yet.
    const { names: again } = await t.install("jobs.ts", form);
    expect(
      Object.fromEntries(again.filter(({ isHeld }) => isHeld !== false).map((each) => [each.name, held(each)])),
    ).toEqual({});
  });

  it("says that there is one where the memory is too small for looking, and goes on", async () => {
    const small = startRedefineImage(node, { heapLimitMb: 40 });
    try {
      small.write(
        "src/jobs.ts",
        "export function job() { return 1 }\nexport const start = (what: unknown) => () => what;\n",
      );
      await small.value("import { job, start } from './src/jobs.ts'; const begun = start(job); 1");
      await small.value("const much = Array.from({ length: 40_000 }, (_, i) => ({ i, more: [i] })); 1");
      const { isHeld, holders } = await small.installOne("jobs.ts", "export function job() { return 2 }");
      expect([isHeld, holders]).toEqual([true, []]);
      expect(await small.value("[much.length, job()]")).toBe("[40000, 2]");
    } finally {
      await small.dispose();
    }
  });
});
