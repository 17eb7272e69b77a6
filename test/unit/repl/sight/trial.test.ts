/** Trials without side effects: which forms turn out pure, which do not, and that nothing happens in between. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeEachNode } from "../../../support/node-versions.ts";
import { startOn, type TestImage } from "../with-image.ts";

/** State of which nothing may change, and the things that would change it. */
const STATE = `
import * as fs from "node:fs";
import * as child from "node:child_process";
const state: any = {
  n: 0,
  get counted() { return ++this.n; },
  get still() { return 5; },
  loud: new Proxy({}, { get: () => ++state.n }),
  quiet: new Proxy({}, { get: () => 5 }),
  words: { toString: () => "w" + ++state.n },
  custom: { [Symbol.for("nodejs.util.inspect.custom")]: () => "c" + ++state.n },
  json: { toJSON: () => ++state.n },
  list: [3, 1, 2],
  map: new Map([[1, 2]]),
  pattern: /a/g,
  steps: [1, 2].values(),
  made: (function* () { state.n++; yield 1; })(),
  bytes: new Uint8Array(4),
  date: new Date(0),
  bump() { this.n++; return 1; },
  read() { return this.n; },
};
// Imports a memory and writes 65 to its first byte as it is made.
const bytes = [0, 97, 115, 109, 1, 0, 0, 0, 2, 8, 1, 1, 101, 1, 109, 2, 0, 1, 11, 7, 1, 0, 65, 0, 11, 1, 65];
const wasm = new WebAssembly.Module(new Uint8Array(bytes));
const memory = new WebAssembly.Memory({ initial: 1 });
const earlier = new WebAssembly.Instance(wasm, { e: { m: new WebAssembly.Memory({ initial: 1 }) } });
let count = 0;
function twice(x: number) { return x * 2; }
"ready"`;
const SEEN =
  "[state.n, count, state.list, [...state.map], state.pattern.lastIndex, [...state.bytes], +state.date, new Uint8Array(memory.buffer)[0]]";

describeEachNode([22, 24, 26], (node) => {
  let t: TestImage;
  let open: TestImage;
  beforeAll(async () => {
    open = startOn(node, { confinement: "open" });
    await open.value("1");
    t = startOn(node);
    await t.value(STATE);
    await t.value("1");
  });
  afterAll(() => Promise.all([t.dispose(), open.dispose()]));

  const tryOut = (code: string, module?: string) =>
    t.image.tryOut({ code, ...(module === undefined ? {} : { module: `${t.root}/${module}` }) });
  /** The value of a pure form, as an evaluation with a handle. */
  const valueOf = async (code: string, module?: string): Promise<string> => {
    const token = await tryOut(code, module);
    if (token === undefined) return "not pure";
    const place = module === undefined ? {} : { module: `${t.root}/${module}` };
    const result = await t.evaluate(code, { trial: token, ...place });
    return result.preview ?? JSON.stringify(result.error);
  };

  it.each([
    ["1 + 1", "2"],
    ["1 + 1;", "2"],
    ["twice(21) as number", "42"],
    ["state.still", "5"],
    ["state.quiet.anything", "5"],
    ["state.read()", "0"],
    ["state.list.map((x: number) => { let sum = 0; sum += x; return sum; }).toSorted().join()", '"1,2,3"'],
    ["[...state.list].sort().length", "3"],
    ["Object.keys(state).length > 5", "true"],
    ["typeof missing", '"undefined"'],
    ["JSON.stringify({ a: state.list })", JSON.stringify('{"a":[3,1,2]}')],
    ['"x".repeat(500).length', "500"],
  ])("finds %s pure", async (code, preview) => {
    expect(await valueOf(code)).toBe(preview);
  });

  it.each(["Date.now() > 0", "new Date(0)", '"a".repeat(500)'])(
    "finds %s pure, which changes nothing",
    async (code) => {
      expect(await tryOut(code)).toBeDefined();
    },
  );

  it.each([
    // Getters, proxies, conversions, printing.
    "state.counted",
    "state.loud.anything",
    "String(state.words)",
    "`${state.words}`",
    "[state.words] + ''",
    "JSON.stringify(state.json)",
    "Object.assign({}, state)",
    "({ ...state })",
    // Writes.
    "state.n = 1",
    "count = 1",
    "count++",
    "delete state.list",
    "(globalThis as any).made = 1",
    "state.list.sort()",
    "state.list.length = 0",
    "state.map.set(3, 4)",
    "state.bytes.fill(1)",
    "state.bytes[0] = 1",
    "state.date.setTime(1)",
    "state.pattern.test('aaa')",
    "state.steps.next()",
    "[...state.made]",
    "Object.freeze(state.list)",
    "state.bump()",
    "(() => { try { count = 1; } catch {} return 1; })()",
    "(() => { try { state.n = 1; } catch {} return 1; })()",
    "[1].map(() => count++)",
    "(([count]) => ([count] = [2]))([1]) && state.bump()",
    "new WebAssembly.Instance(wasm, { e: { m: memory } })",
    "Reflect.construct((earlier as any).constructor, [wasm, { e: { m: memory } }])",
    "memory.grow(1)",
    // The world.
    "console.log(1)",
    "fs.writeFileSync('made.txt', '')",
    "fs.readFileSync('package.json')",
    "child.spawnSync('true')",
    "child.execSync('touch made.txt')",
    "process.exit()",
    "process.kill(process.pid, 'SIGTERM')",
    "process.chdir('/')",
    "process.emitWarning('x')",
    "fetch('http://127.0.0.1:1')",
    "setTimeout(() => state.bump())",
    "queueMicrotask(() => state.bump())",
    "process.nextTick(() => state.bump())",
    // What would go on after the trial.
    "Promise.resolve().then(() => state.bump())",
    "new Promise(() => {})",
    "(async () => { await 0; state.bump(); })()",
    "(async () => 1)()",
    "await 1",
    "import('node:os')",
    // Other roads to code.
    "eval('1')",
    "(0, eval)('count = 1')",
    "new Function('state.n++')()",
    "Reflect.apply(state.bump, state, [])",
    "__agentq.lend('', [])",
    "require('node:os')",
    // What is no expression, or means something else elsewhere.
    "const x = 1",
    "function made() {}",
    "class Made {}",
    "enum Made { A }",
    "import os from 'node:os'",
    "{ a: 1 }",
    "1; 2",
    "this",
    "for (const x of []) {}",
    "type A = 1",
    "missing",
    "1 +",
    "",
    // Time.
    "(() => { for (;;); })()",
  ])("finds no purity in %s", async (code) => {
    const before = await t.value(SEEN);
    expect(await tryOut(code)).toBeUndefined();
    expect(await t.value(SEEN)).toBe(before);
  });

  it("makes WebAssembly instances as ever in an evaluation", async () => {
    const made =
      "const mine = new WebAssembly.Memory({ initial: 1 }); const more = new WebAssembly.Instance(wasm, { e: { m: mine } });";
    const seen = "[new Uint8Array(mine.buffer)[0], more instanceof WebAssembly.Instance, more.constructor.name]";
    expect(await t.value(made + seen)).toBe('[65, true, "Instance"]');
  });

  it("tells the value of a trial without running what would print it", async () => {
    const before = await t.value(SEEN);
    expect(await valueOf("state.custom")).not.toMatch(/c\d/);
    expect(await valueOf("[state.loud, state.words]")).toContain("[Proxy]");
    expect(await t.value(SEEN)).toBe(before);
  });

  it("tells more of the value than a glance does", async () => {
    const items = Array.from({ length: 20 }, (_, index) => index).join(", ");
    expect(await valueOf("Object.keys(Array(20).fill(0)).map(Number)")).toBe(`Array(20) [${items}]`);
    expect(await valueOf("({ a: { b: { c: { d: 1 } } } })")).toBe("{ a: { b: { c: { d: 1 } } } }");
  });

  it("gives the value of the trial itself, with a handle, and runs the form no second time", async () => {
    const token = await tryOut("({ at: Date.now(), list: state.list })");
    await t.value("state.list = [9]");
    const result = await t.evaluate("({ at: Date.now(), list: state.list })", { trial: token ?? "" });
    expect(result).toMatchObject({ outcome: "value", preview: expect.stringContaining("[3, 1, 2]") });
    expect(await t.value(`${result.valueId}.list.length`)).toBe("3");
    expect(await t.evaluate("1", { trial: token ?? "" })).toMatchObject({ outcome: "error" });
    await t.value("state.list = [3, 1, 2]");
  });

  it("tries a form out in the scope of a loaded module, and none that writes there", async () => {
    const module = "src/invoice.ts";
    expect(await tryOut("1 + 1", module)).toBeUndefined();
    await t.value("1", { module: `${t.root}/${module}` });
    expect(await valueOf("1 + 1", module)).toBe("2");
    expect(await valueOf("typeof Invoice", module)).toBe('"function"');
    expect(await tryOut("Invoice = 1", module)).toBeUndefined();
    expect(await tryOut("(() => { try { Invoice = 1 } catch {} return Invoice })()", module)).toBeUndefined();
  });

  it.each([
    "(process as any).binding('buffer').isUtf8(1)",
    "(process as any)['bind' + 'ing']('util').getProxyDetails(1)",
    "Reflect.get(process, 'binding').call(process, 'buffer').isAscii(1)",
    "(process as any)._linkedBinding('buffer')",
  ])("finds no purity in %s where it is open, and goes on", async (code) => {
    const { pid } = open.image.status();
    expect(await open.image.tryOut({ code })).toBeUndefined();
    expect(await open.value("1")).toBe("1");
    expect(open.image.status().pid).toBe(pid);
  });
});
