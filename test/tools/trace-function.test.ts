/** Functions of running modules traced in a real image, found by the real compiler. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { createImage } from "../../server/src/repl/process/image-process.ts";
import type { Repl } from "../../server/src/repl/repl.ts";
import { locateFunction } from "../../server/src/tools/answers/locate-function.ts";
import { createTraceFunction } from "../../server/src/tools/execution/trace-function.ts";
import type { Tool, ToolAnswer } from "../../server/src/tools/tool.ts";
import { aliasOf } from "../support/alias-of.ts";
import { replOn } from "../unit/repl/with-image.ts";
import { openProject, type TestProject } from "../unit/typescript/with-typescript.ts";

const signal = new AbortController().signal;
let project: TestProject;
let repl: Repl;
let trace: Tool;
let untrace: Tool;

beforeAll(() => {
  project = openProject({
    "package.json": `{ "name": "shop", "type": "module" }`,
    "tsconfig.json": `{ "compilerOptions": { "strict": true, "module": "nodenext", "target": "es2023", "noEmit": true } }`,
    "src/cart.ts": `export interface Line { readonly price: number }
const double = (amount: number): number => amount * 2;
export function total(lines: readonly Line[]): number {
  return lines.reduce((sum, line) => sum + double(line.price), 0);
}
export class Cart {
  static open(): Cart { return new Cart(); }
  get size(): number { return 1; }
  #hidden(): number { return 1; }
  shown(): number { return this.#hidden(); }
  add(line: Line): string { if (line.price < 0) throw new RangeError("negative"); return "added"; }
}
export const later = async (ms: number): Promise<string> => { if (ms < 0) throw new RangeError("too early"); await new Promise((done) => setTimeout(done, ms)); return "late"; };
export function* prices(lines: readonly Line[]): Generator<number> { for (const { price } of lines) yield price; }
`,
    "src/report.ts": `import { total } from "./cart.ts";
export const report = (): string =>
  \`total \${total([{ price: 1 }, { price: 2 }])}\`;
`,
    "src/nameless.ts": "export default function (side: number) { return side * side; }\n",
    "src/old.cts": `function area(side: number): number { return side * side; }
export = { area, twice: (side: number) => area(side) * 2 };
`,
    "src/request.cjs": `module.exports = {
  get ips() { return this.list("a") },
  list(text) { return text.split(",") },
};
`,
  });
  const bare = createImage({ projectRoot: project.root, onOutput: () => {}, onState: () => {}, log: () => {} });
  repl = replOn(bare);
  const names = { locate: locateFunction(project.service), showUri: (uri: string) => uri };
  trace = createTraceFunction(repl, names);
  untrace = aliasOf("untrace_function", trace);
});
afterAll(async () => {
  await repl.dispose();
  await project.dispose();
});

async function ask(tool: Tool, args: Record<string, unknown> = {}): Promise<string> {
  const answer = await tool.run(args, { callId: "1", caller: "model", signal });
  return typeof answer === "string" ? answer : (answer as ToolAnswer).content;
}
/** What was told on stderr, with times as `<ms>`. */
async function told(code: string): Promise<string[]> {
  const { stderr, error } = await repl.evaluate({ code, by: "agent" }, signal);
  if (error !== undefined) throw new Error(error.message);
  return stderr
    .replaceAll(/\([\d.]+ ms\)/g, "(<ms>)")
    .trimEnd()
    .split("\n");
}

it("reports each call of an importer with arguments, caller, result and time, inner calls inside", async () => {
  expect(await ask(trace, { symbol: "total" })).toBe(
    "src/cart.ts#total is traced: its calls are printed by the form that makes them, or whose server or timer does.",
  );
  await ask(trace, { symbol: "src/cart.ts#double" });
  expect(await told("import { report } from './src/report.ts'; report()")).toEqual([
    "→ src/cart.ts#total(Array(2) [{ price: 1 }, { price: 2 }])  from report (src/report.ts:3:12)",
    "  → src/cart.ts#double(1)  from <anonymous> (src/cart.ts:4:44)",
    "  ← src/cart.ts#double = 2  (<ms>)",
    "  → src/cart.ts#double(2)  from <anonymous> (src/cart.ts:4:44)",
    "  ← src/cart.ts#double = 4  (<ms>)",
    "← src/cart.ts#total = 6  (<ms>)",
  ]);
});

it("tells an editor where the function is declared", async () => {
  const answer = await trace.run({ symbol: "total" }, { callId: "1", caller: "person", signal });
  expect((answer as ToolAnswer).lists?.()).toMatchObject({
    places: [{ range: { start: { line: 2, character: 16 } }, text: "src/cart.ts#total" }],
  });
});

it("traces methods, static ones too, with `this` and `new` intact, and reports what was thrown", async () => {
  await ask(trace, { symbol: "Cart.add" });
  await ask(trace, { symbol: "Cart.open" });
  const code =
    "import { Cart } from './src/cart.ts'; const cart = Cart.open(); cart.add({ price: 1 }); try { cart.add({ price: -1 }) } catch {} cart instanceof Cart";
  expect((await told(code)).map((line) => line.replace(/ {2}from .*/, ""))).toEqual([
    "→ src/cart.ts#Cart.open()",
    expect.stringMatching(/^← src\/cart\.ts#Cart\.open = Cart\b.*\(<ms>\)$/),
    "→ src/cart.ts#Cart.add({ price: 1 })",
    `← src/cart.ts#Cart.add = "added"  (<ms>)`,
    "→ src/cart.ts#Cart.add({ price: -1 })",
    expect.stringMatching(/^← src\/cart\.ts#Cart\.add threw .*negative.*\(<ms>\)$/),
  ]);
});

it("reports when a promise is settled", async () => {
  await ask(trace, { symbol: "later" });
  const lines = await told("import { later } from './src/cart.ts'; await later(20)");
  expect(lines.at(-1)).toBe(`← src/cart.ts#later resolved to "late"  (<ms>)`);
  const failing = await told("await later(-1).catch(() => 0)");
  expect(failing.at(-1)).toMatch(/^← src\/cart\.ts#later rejected with .*too early.*\(<ms>\)$/);
  expect(await ask(untrace, { symbol: "later" })).toMatch(/#later: 2 calls, 1 of them failed, /);
});

it("marks the call of a generator", async () => {
  await ask(trace, { symbol: "prices" });
  const lines = await told("import { prices } from './src/cart.ts'; [...prices([{ price: 1 }])]");
  expect(lines).toEqual([
    expect.stringMatching(/^→ src\/cart\.ts#prices\(Array\(1\) \[\{ price: 1 \}\]\)/),
    expect.stringMatching(/^← src\/cart\.ts#prices = Generator \{\} /),
  ]);
});

it("traces what a CommonJS module keeps for itself", async () => {
  await ask(trace, { symbol: "area" });
  const lines = await told("import old from './src/old.cts'; old.twice(3)");
  expect(lines.at(-1)).toBe("← src/old.cts#area = 9  (<ms>)");
});

it("traces a method of the object that a CommonJS module exports, and says of a getter that it cannot be traced", async () => {
  expect(await ask(trace, { symbol: "src/request.cjs#list" })).toContain("src/request.cjs#list is traced");
  const lines = await told("import request from './src/request.cjs'; request.ips");
  expect(lines.at(-1)).toMatch(/^← src\/request\.cjs#list = .*"a"/);
  await ask(trace, { symbol: "src/request.cjs#list", off: true });
  await expect(ask(trace, { symbol: "src/request.cjs#ips" })).rejects.toThrow("ips is a getter or setter");
});

it("says what is traced and what was called, and ends it with the counts", async () => {
  expect(await ask(trace)).toMatch(
    /^src\/cart\.ts#total: 1 call, [\d.]+ ms each\.\n {2}#1 \(Array\(2\) .* = 6 {2}\([\d.]+ ms\) {2}from report/,
  );
  expect(await ask(trace, { symbol: "total" })).toBe("src/cart.ts#total is traced already.");
  expect(await ask(untrace, { symbol: "total" })).toMatch(/^src\/cart\.ts#total: 1 call, .* No longer traced\.$/);
  expect((await told("report()")).join("\n")).not.toContain("#total");
  expect(await ask(trace, { symbol: "area", off: true })).toMatch(
    /^src\/old\.cts#area: 1 call, .* No longer traced\.$/,
  );
  expect(await ask(trace, { off: true })).toMatch(/src\/cart\.ts#double: 4 calls/);
  expect(await told("report()")).toEqual([""]);
  expect(await ask(trace)).toBe("Nothing is traced.");
});

it("ends after so many calls that a condition holds for, also for a copy that somebody keeps, and tells one at length", async () => {
  const limits = { when: "args[0] > 1 && result !== args[1].none", count: 2 };
  await ask(trace, { symbol: "double", ...limits });
  await told("import { total as sum } from './src/cart.ts'; sum([{ price: 2 }])");
  expect(await ask(trace)).toMatch(
    /^src\/cart\.ts#double: 1 call, [\d.]+ ms each\. The condition threw TypeError\(.*undefined.*\)\.$/,
  );
  await ask(trace, { symbol: "double", when: "args[0] > 1", count: 2 });
  const keep = "const keptDouble = double; [1, 2, 3, 4].map((n) => keptDouble(n)).join()";
  await repl.evaluate({ code: keep, module: `${project.root}/src/cart.ts`, by: "agent" }, signal);
  const report = await ask(trace);
  expect(report).toMatch(/The trace has ended after 2\.\n {2}#1 \(2\) = 4 .*\n {2}#2 \(3\) = 6 [^\n]*$/);
  expect(await ask(trace, { symbol: "double", call: 2 })).toMatch(
    /^#2 src\/cart\.ts#double\(3\) = 6 [^]*\ndouble\(3\)$/,
  );
  await expect(ask(trace, { symbol: "double", call: 3 })).rejects.toThrow("has no record 3");
  await expect(ask(trace, { symbol: "total", call: 1 })).rejects.toThrow("is not traced");
  await ask(untrace);
  expect(await ask(trace, { wait: 60 })).toBe("Nothing is traced.");
});

it("notices that a traced function was redefined", async () => {
  await ask(trace, { symbol: "double" });
  await repl.evaluate(
    {
      code: "function double(amount: number) { return amount * 3 }",
      module: `${project.root}/src/cart.ts`,
      by: "agent",
    },
    signal,
  );
  expect(await ask(trace)).toContain("It was redefined since: calls of the new one were not counted.");
  expect(await ask(trace, { symbol: "double" })).toContain("is traced:");
});

it("says that a redefined function was traced, finds copies of the function behind the trace, and counts no calls of the new one", async () => {
  const install = (code: string) =>
    repl.evaluate({ code, module: `${project.root}/src/cart.ts`, by: "agent", install: {} }, signal);
  await repl.evaluate({ code: "import { total } from './src/cart.ts'; const kept = { total };", by: "agent" }, signal);
  await ask(trace, { symbol: "total" });
  const { installation } = await install("export function total(): number { return 7 }");
  expect(installation?.names[0]).toMatchObject({
    holders: [{ path: "the REPL", what: "kept.total" }],
    problems: ["it was traced and is no longer: trace it again to see the calls of the new one"],
  });
  expect(await ask(untrace, { symbol: "total" })).toBe(
    "src/cart.ts#total: 0 calls. It was redefined since: calls of the new one were not counted. No longer traced.",
  );
  expect((await install("export function total(): number { return 8 }")).installation?.names[0]?.problems).toBe(
    undefined,
  );
});

it.each([
  [{ symbol: "Cart" }, /src\/cart\.ts#Cart is a class: name one of its methods/],
  [{ symbol: "Cart.size" }, /size is a getter or setter, which cannot be traced/],
  [{ symbol: "nowhere" }, /nowhere/],
])("explains why %j cannot be traced", async (args, text) => {
  await expect(ask(trace, args).catch((error: Error) => error.message)).resolves.toMatch(text);
});

it("stands in the history in the tool's own words, and a replay traces again", async () => {
  await repl.restart();
  await ask(trace, { symbol: "src/cart.ts#double" });
  await ask(trace);
  await told("import { total } from './src/cart.ts'; total([])");
  const codes = repl.history({ limit: 3 }).items.map(({ by, code }) => `${by}: ${code}`);
  expect(codes).toEqual([
    "agent: import { total } from './src/cart.ts'; total([])",
    "agent: trace_function",
    "agent: trace_function src/cart.ts#double",
  ]);
  expect(JSON.stringify(repl.history())).not.toContain("__agentq");
  const { replayed } = await repl.restart({ replay: "all" });
  expect(replayed?.map(({ code, outcome }) => `${code} ${outcome}`)).toEqual([
    "trace_function src/cart.ts#double value",
    "import { total } from './src/cart.ts'; total([]) value",
  ]);
  expect(await told("total([{ price: 2 }])")).toHaveLength(2);
});

it("says when the module of a traced function is loaded anew, and traces the new function when asked again", async () => {
  const first = `export const price = (n: number): number => n;\nexport class Till { add(n: number): number { return n } }\n`;
  project.write("src/till.ts", first);
  project.write(
    "src/older.cts",
    "function half(n: number): number { return n / 2 }\nexport = { half: (n: number) => half(n) };\n",
  );
  const form =
    "import { price, Till } from './src/till.ts'; import { half } from './src/older.cts'; [price(2), new Till().add(3), half(4)]";
  await told(form);
  const names = ["src/till.ts#price", "src/till.ts#Till.add", "src/older.cts#half"];
  for (const symbol of names) expect(await ask(trace, { symbol })).toContain(`${symbol} is traced`);
  expect((await told(form)).filter((line) => line.startsWith("→"))).toHaveLength(3);
  project.write("src/till.ts", first.replace("=> n", "=> n * 2"));
  project.write(
    "src/older.cts",
    "function half(n: number): number { return n / 4 }\nexport = { half: (n: number) => half(n) };\n",
  );
  expect((await told(form)).toSorted()).toEqual(
    names.map((name) => `${name} is no longer traced: its module was loaded anew.`).toSorted(),
  );
  expect((await ask(trace)).match(/It was redefined since: calls of the new one were not counted\./g)).toHaveLength(3);
  for (const symbol of names) expect(await ask(trace, { symbol })).toContain(`${symbol} is traced: `);
  expect((await told(form)).filter((line) => line.startsWith("→"))).toHaveLength(3);
  expect(await ask(trace)).not.toContain("redefined");
  await ask(untrace);
});

it("traces a default export without a name", async () => {
  await ask(trace, { symbol: "src/nameless.ts#default" });
  const { stderr } = await repl.evaluate(
    { code: "import area from './src/nameless.ts'; area(3)", by: "agent" },
    signal,
  );
  expect(stderr).toMatch(/default\(3\)[^]* 9/);
  await ask(untrace, {});
});

it.each([
  [
    "Cart.#hidden",
    "src/cart.ts#Cart.#hidden: #hidden is private: nothing outside of its class reaches it. Trace a method that calls it.",
  ],
  ["src/cart.ts#Line", "src/cart.ts#Line is a type"],
])("says why %s cannot be traced", async (symbol, why) => {
  await expect(ask(trace, { symbol })).rejects.toThrow(why);
});
