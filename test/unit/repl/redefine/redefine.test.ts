import { beforeEach, describe, expect, it } from "vitest";
import { held, seers, shareRedefineImage, type RedefineImage } from "./redefine-project.ts";

const shared = shareRedefineImage();
let t: RedefineImage;
beforeEach(() => {
  t = shared();
});

const app = "import { run, defaults, feelings, table } from './src/app.ts';";

describe("a function of a module", () => {
  it("is replaced for importers, re-exporters, namespaces and callers inside; captured copies are named", async () => {
    expect(await t.value(`${app} run('a')`)).toBe('["hello a!", "hello a!", "hello a!", "HELLO A!", "hello a!"]');
    const report = await t.installOne("greet.ts", "export function greet(name: string) { return `bye ${mark(name)}` }");
    expect(await t.value("run('a')")).toBe('["bye a!", "bye a!", "bye a!", "BYE A!", "hello a!"]');
    expect(report).toMatchObject({ kind: "function", isNew: false, exportedAs: ["greet"] });
    expect(report.sees).toEqual([
      { path: "src/app.ts", how: "import" },
      { path: "src/index.ts", how: "reexport", as: "welcome" },
    ]);
    expect(held(report)).toEqual([
      "src/app.ts captured",
      "src/app.ts table.handlers[0]",
      'src/app.ts table.byName.get("greet")',
    ]);
  });

  it("names copies deep inside of plain values, the nearest first, and comes to an end in rings and long lists", async () => {
    await t.value("import { greet } from './src/greet.ts'; const near = { run: greet };");
    await t.value(`
      const deep: any = { a: { b: new Map([["k", [{ c: { d: new Set([greet]) } }]]]) } };
      deep.self = deep;
      const long = Array.from({ length: 80 }, (_, n) => ({ n, list: Array.from({ length: 80 }, (_, m) => ({ m })) }));
      1`);
    const report = await t.installOne("greet.ts", "export function greet(name: string) { return `bye ${name}` }");
    expect(held(report).filter((each) => each.startsWith("the REPL"))).toEqual([
      "the REPL near.run",
      'the REPL deep.a.b.get("k")[0].c.d.has(…)',
    ]);
  });

  it("is seen through namespaces that another module exports, also by who imports those", async () => {
    t.write("src/hub.ts", "export * as ns from './greet.ts';\n");
    t.write("src/porch.ts", "import * as whole from './greet.ts';\nexport { whole as kept };\n");
    t.write("src/gate.ts", "export { ns } from './hub.ts';\nexport * from './porch.ts';\n");
    t.write(
      "src/guest.ts",
      "import { ns as far, kept } from './gate.ts';\nexport const ask = () => [far.greet('a'), kept.greet('b'), far.nameless.default()];\n",
    );
    t.write("src/other.ts", "import { kept } from './gate.ts';\nexport const ask = () => kept.greet('c');\n");
    t.write(
      "src/greet.ts",
      "export function greet(name: string) { return `old ${name}` }\nexport * as nameless from './default-nameless.ts';\n",
    );
    await t.value("import { ask } from './src/guest.ts'; import { ask as other } from './src/other.ts'; 1");
    const report = await t.installOne("greet.ts", "export function greet(name: string) { return `new ${name}` }");
    expect(await t.value("[...ask().slice(0, 2), other()]")).toBe('["new a", "new b", "new c"]');
    expect(report.sees).toEqual([
      { path: "src/gate.ts", how: "reexport" },
      { path: "src/guest.ts", how: "import", as: "far.greet" },
      { path: "src/hub.ts", how: "reexport", as: "ns" },
      { path: "src/other.ts", how: "import", as: "kept.greet" },
      { path: "src/porch.ts", how: "import" },
    ]);
    const nameless = await t.installOne("default-nameless.ts", "export default () => 'new'");
    expect(seers(nameless)).toEqual([
      "src/gate.ts",
      "src/greet.ts",
      "src/guest.ts",
      "src/hub.ts",
      "src/other.ts",
      "src/porch.ts",
    ]);
  });

  it("may be hidden, an arrow, a constant: what calls it inside the module calls the new one", async () => {
    await t.value(`${app} run('a')`);
    const report = await t.installOne("greet.ts", "const mark = (name: string): string => `${name}?`;");
    expect(report).toMatchObject({ kind: "constant", exportedAs: [], sees: [], isNew: false });
    expect(await t.value("run('a')[0]")).toBe('"hello a?"');
    await t.installOne("greet.ts", "export const shout = (name: string) => `${tone} ${name}`;");
    expect(await t.value("run('a')[3]")).toBe('"plain a"');
  });

  it("keeps its name, its recursion through the binding, and what was put on the old function", async () => {
    await t.inModule("greet.ts", "Object.assign(greet, { used: 3 }); greet.name");
    const report = await t.installOne(
      "greet.ts",
      "export function greet(n: string): string { return n.length > 3 ? n : greet(n + '.') }",
    );
    expect(report.carried).toEqual(["used"]);
    expect(await t.inModule("greet.ts", "[greet.name, greet('a'), (greet as any).used]")).toBe('["greet", "a...", 3]');
  });

  it("names functions that are bound to it", async () => {
    t.write("src/bell.ts", "export function ring() { return 'old' }\n");
    t.write(
      "src/door.ts",
      "import { ring } from './bell.ts';\nconst open = { handler: ring.bind(null) };\nfunction other() {}\n" +
        "const plain = other.bind(null);\nexport const press = () => [open.handler(), plain()];\n",
    );
    await t.value("import { press } from './src/door.ts'; press()");
    expect(held(await t.installOne("bell.ts", "export function ring() { return 'new' }"))).toEqual([
      "src/door.ts open.handler (bound to a function of that name)",
    ]);
    expect(await t.value("press()[0]")).toBe('"old"');
  });

  it("names the generators that it began: they go on in the old code", async () => {
    t.write(
      "src/steps.ts",
      "export function* steps() { yield 'old'; yield 'old too' }\nexport async function* later() { yield 'old' }\n" +
        "export const running = steps(); export const waiting = [later()]; export const other = (function* () {})();\n",
    );
    await t.value("import { running } from './src/steps.ts'; running.next().value");
    expect(held(await t.installOne("steps.ts", "export function* steps() { yield 'new' }"))).toEqual([
      "src/steps.ts running (a generator that it began)",
    ]);
    expect(held(await t.installOne("steps.ts", "export async function* later() { yield 'new' }"))).toEqual([
      "src/steps.ts waiting[0] (a generator that it began)",
    ]);
    expect(await t.value("[running.next().value, (await import('./src/steps.ts')).steps().next().value]")).toBe(
      '["old too", "new"]',
    );
  });

  it("is seen by names that forms imported, and found in handles that hold the old one", async () => {
    const { valueId: handle = "" } = await t.evaluate("import { greet } from './src/greet.ts'; greet");
    const report = await t.installOne("greet.ts", "function greet() { return 'new' }");
    expect(await t.value(`[greet('x'), ${handle}('x')]`)).toBe('["new", "hello x!"]');
    expect(held(report)).toEqual([`the REPL ${handle}`]);
  });
});

describe("values of a module", () => {
  it("replaces an exported `let`, a constant, an enum and a namespace for importers", async () => {
    expect(await t.value(`${app} feelings()`)).toBe('["plain", ["calm", "loud"], 10]');
    const { names } = await t.install(
      "greet.ts",
      "export let tone = 'high'; export enum Mood { Glad = 'glad' } export namespace Limits { export const max = 99 }",
    );
    expect(await t.value("feelings()")).toBe('["high", ["glad"], 99]');
    expect(names.map(({ name, kind, preview, before }) => [name, kind, preview, before])).toEqual([
      ["tone", "variable", '"high"', '"plain"'],
      ["Mood", "enum", '{ Glad: "glad" }', '{ Calm: "calm", Loud: "loud" }'],
      ["Limits", "namespace", "{ max: 99 }", "{ max: 10 }"],
    ]);
    expect(names.map(seers)).toEqual([["src/app.ts"], ["src/app.ts"], ["src/app.ts"]]);
  });

  it("leaves to an enum what a namespace of its name added, for who has a copy too", async () => {
    // The second one makes another transpiler compile the file, whose namespaces mean what they were called with.
    for (const [file, more] of [
      ["mood.ts", ""],
      ["tune.ts", "export namespace Other { export let n = 1 }"],
    ] as const) {
      const text =
        "export enum Tune { Low, High }\n" +
        "export namespace Tune { export const first = 'low'; export const at = (n: number) => Tune[n] }\n" +
        `export const copy = Tune;\n${more}\n`;
      t.write(`src/${file}`, text);
      await t.value(`import { copy, Tune } from './src/${file}'; copy.at(1)`);
      const report = await t.installOne(file, "export enum Tune { Low, Middle, High }");
      expect(report).toMatchObject({ kind: "enum", carried: ["first", "at"] });
      expect(held(report)).toEqual([]);
      expect(await t.value("[copy === Tune, Tune.at(1), Tune.first, Tune.High, Object.keys(Tune).length]")).toBe(
        '[true, "Middle", "low", 2, 8]',
      );
      await t.install(file, "export enum Tune { Only } export namespace Tune { export const first = 'one' }");
      expect(await t.value("[copy.first, typeof copy.at, copy.High]")).toBe('["one", "function", undefined]');
      await t.install(file, "export namespace Tune { export const first = 'two' }");
      expect(await t.value("[copy.first, Tune.Only, Tune.first]")).toBe('["two", 0, "two"]');
    }
  });

  it("leaves the class or function that a namespace belongs to in its place", async () => {
    t.write(
      "src/merged.ts",
      "export class Thing { say() { return 'thing' } }\nexport namespace Thing { export const extra = 1 }\n" +
        "export function tell() { return 'tell' }\nexport namespace tell { export const loud = 1 }\n",
    );
    t.write("src/taker.ts", "import { Thing, tell } from './merged.ts';\nexport const taken = [Thing, tell];\n");
    await t.value("import { taken } from './src/taker.ts'; import { Thing, tell } from './src/merged.ts'; 1");
    const { names } = await t.install(
      "merged.ts",
      "export namespace Thing { export const extra = 2 } export namespace tell { export const loud = 2 }",
    );
    expect(names.map(held)).toEqual([[], []]);
    expect(await t.value("[new Thing().say(), Thing.extra, tell(), tell.loud, taken[0] === Thing]")).toBe(
      '["thing", 2, "tell", 2, true]',
    );
  });

  it("replaces a namespace instead of adding to it, also where its members change", async () => {
    await t.install("greet.ts", "export namespace Limits { export let low = 1; low += 1 }");
    expect(await t.inModule("greet.ts", "Limits")).toBe("{ low: 2 }");
    await t.install("greet.ts", "namespace Limits { export let high = 3 }");
    expect(await t.inModule("greet.ts", "Limits")).toBe("{ high: 3 }");
    await t.install("greet.ts", "function both() { return 1 } namespace both { export const x = 2 }");
    expect(await t.inModule("greet.ts", "[both(), both.x]")).toBe("[1, 2]");
  });

  it("keeps new names, which later forms and functions compiled later see", async () => {
    const report = await t.installOne("greet.ts", "const suffix = ' (new)';");
    expect(report).toMatchObject({ isNew: true, preview: '" (new)"' });
    await t.install("greet.ts", "export function greet(name: string) { return name + suffix }");
    expect(await t.value(`${app} run('a')[1]`)).toBe('"a (new)"');
    expect(await t.inModule("greet.ts", "suffix")).toBe('" (new)"');
  });

  it("says that a type has nothing to install", async () => {
    const report = await t.install("greet.ts", "export interface Options { loud: boolean } type Name = string;");
    expect(report).toMatchObject({ names: [], types: ["Options", "Name"] });
  });
});

describe("a default export", () => {
  it("is replaced whatever it was: named or nameless function, arrow, class", async () => {
    expect(await t.value(`${app} defaults()`)).toBe('["hello", "nameless", "arrow x", 1]');
    const reports = [
      await t.installOne("default-function.ts", "export default function hello() { return 'HELLO' }"),
      await t.installOne("default-nameless.ts", "export default function () { return 'NAMELESS' }"),
      await t.installOne("default-arrow.ts", "export default (name: string) => `ARROW ${name}`"),
      await t.installOne("default-class.ts", "export default class { #turns = 10; turn() { return this.#turns } }"),
    ];
    expect(await t.value("defaults()")).toBe('["HELLO", "NAMELESS", "ARROW x", 10]');
    expect(reports.map(seers)).toEqual([["src/app.ts"], ["src/app.ts"], ["src/app.ts"], ["src/app.ts"]]);
    expect(reports.map(({ exportedAs }) => exportedAs.join())).toEqual(["default", "default", "default", "default"]);
  });

  it("is called `default` where the source gives it no name, before and after", async () => {
    const names = "import a from './src/default-arrow.ts'; import c from './src/default-class.ts'; [a.name, c.name]";
    expect(await t.value(names)).toBe('["default", "default"]');
    await t.install("default-arrow.ts", "export default (name: string) => name");
    expect(await t.value("a.name")).toBe('"default"');
  });

  it("of another kind may take its place", async () => {
    await t.value(`${app} 1`);
    await t.install("default-function.ts", "export default () => 'an arrow now'");
    expect(await t.value("defaults()[0]")).toBe('"an arrow now"');
  });
});

describe("what the form may not be", () => {
  it("leaves the module untouched when a later declaration of the form throws", async () => {
    await t.value(`${app} run('a')`);
    const code =
      "function greet() { return 'broken' } const word = 'broken'; const bad = (() => { throw new Error('no') })();";
    expect(await t.failure("greet.ts", code)).toBe("Error: no");
    expect(await t.value("run('a')[0]")).toBe('"hello a!"');
    expect(await t.inModule("greet.ts", "[word, typeof bad]")).toBe('["hello", "undefined"]');
  });

  it("leaves the module untouched when it does not parse", async () => {
    expect(await t.failure("greet.ts", "function greet( { return 1 }")).toContain("SyntaxError");
    expect(await t.inModule("greet.ts", "greet('a')")).toBe('"hello a!"');
  });

  it("refuses statements, with the place and the tool for them", async () => {
    expect(await t.failure("greet.ts", "const a = 1;\ngreet('x')")).toBe(
      "SyntaxError: compile_form installs declarations only; run statements with eval_form and this `path`.",
    );
    expect(await t.failure(undefined, "1 + 1")).toContain("run statements with eval_form");
  });

  it("refuses to redefine an imported binding, and names its owner", async () => {
    expect(await t.failure("app.ts", "function greet() { return 'x' }")).toBe(
      "SyntaxError: greet is imported from ./greet.ts: redefine it there (path: that module).",
    );
  });

  it("refuses a JSON file, a folder and a file that is not there in one sentence that says what there is", async () => {
    t.write("src/data.json", "{}");
    expect(await t.failure("data.json", "const a = 1")).toBe(
      "ModuleNotReachable: src/data.json is JSON: it has no scope",
    );
    expect(await t.failure("greeting.ts", "const a = 1")).toBe(
      "ModuleNotReachable: There is no file src/greeting.ts. In src: greet.ts, account.ts, app.ts, cycle-a.ts, " +
        "cycle-b.ts, default-arrow.ts, default-class.ts, default-function.ts, … 5 more",
    );
    expect(await t.failure("old", "const a = 1")).toBe(
      "ModuleNotReachable: src/old is a folder: name one of its files: cycle-one.cts, cycle-two.cts, format.cjs, single.cjs, typed.cts, user.cjs",
    );
    // Two folders up from the sources is the project of the image.
    expect(await t.failure("../../lodsh", "const a = 1")).toBe("ModuleNotReachable: There is no file or package lodsh");
    expect(await t.failure("../../node:fs", "const a = 1")).toBe(
      "ModuleNotReachable: node:fs is built into Node and has no scope to work in: import it in a form",
    );
  });

  it("names the place of a syntax error in the module", async () => {
    t.write("src/half.ts", "export const a = 1;\nexport const b = ;\n");
    expect(await t.failure("half.ts", "const a = 1")).toBe("ModuleNotReachable: src/half.ts:2:18: Unexpected token");
  });
});

describe("a module that is not ready", () => {
  it("is loaded first, and that is said", async () => {
    expect(await t.install("greet.ts", "function greet() { return 'first' }")).toMatchObject({ isLoadedNow: true });
    expect(await t.install("greet.ts", "function greet() { return 'second' }")).toMatchObject({ isLoadedNow: false });
    expect(await t.value(`${app} run('a')[0]`)).toBe('"second"');
  });

  it("can be worked in while it still awaits, and says which names are not there yet", async () => {
    await t.value("void import('./src/waiting.ts').catch(() => 0); 1");
    expect(await t.inModule("waiting.ts", "ready")).toBe('"ready"');
    await t.install("waiting.ts", "export function after() { return 'patched ' + pending }");
    expect(await t.failure("waiting.ts", "let pending = 'now'")).toMatch(
      /^Error: pending is not initialised: src\/waiting\.ts has not come to its declaration/,
    );
    await t.value("(globalThis as any).release('done'); 1");
    expect(await t.value("import { after } from './src/waiting.ts'; after()")).toBe('"patched done"');
  });

  it("may be part of an import cycle", async () => {
    expect(await t.value("import { both } from './src/cycle-b.ts'; both()")).toBe('"early late"');
    await t.install("cycle-a.ts", "export const early = () => `soon ${late}`");
    await t.install("cycle-b.ts", "export let late = 'later'");
    expect(await t.value("both()")).toBe('"soon later"');
  });

  it("is changed as it runs, although its source has gone on", async () => {
    await t.value(`${app} run('a')`);
    await t.inModule("greet.ts", "calls = 41");
    t.write("src/greet.ts", "export const gone = 1;");
    const report = await t.install("greet.ts", "export const count = () => calls + 1");
    expect(report.isBehindSource).toBe(true);
    expect(await t.value("$1.length")).toBe("5");
  });
});

describe("the names of the forms themselves", () => {
  it("are installed all or none", async () => {
    await t.install(undefined, "function twice(n: number) { return n * 2 } class Pair { sum() { return twice(1) } }");
    expect(await t.value("new Pair().sum()")).toBe("2");
    expect(await t.failure(undefined, "function twice() { return 0 } const x = (() => { throw 1 })()")).toContain("1");
    expect(await t.value("twice(4)")).toBe("8");
  });

  it("keep instances of a class that is declared again", async () => {
    await t.value("class Dot { show() { return 'old' } } const dot = new Dot();");
    const report = await t.installOne(undefined, "class Dot { show() { return 'new' } }");
    expect(report.classChange).toMatchObject({ instances: 1 });
    expect(await t.value("[dot.show(), dot instanceof Dot]")).toBe('["new", true]');
  });
});

it("redefines what a module exports by default under a name, for who imports it", async () => {
  t.write("src/settings.ts", "const settings = { name: 'old' };\nexport default settings; // once\n");
  t.write(
    "src/old/box.cts",
    "class Box { what() { return 'old' } }\nfunction pack() { return new Box().what() }\nexport default pack\n",
  );
  t.write("src/reads.ts", "import s from './settings.ts';\nexport const read = () => s.name;\n");
  t.write("src/old/packs.cts", "import pack from './box.cjs';\nexport const packed = () => pack();\n");
  const both =
    "import { read } from './src/reads.ts'; import { packed } from './src/old/packs.cts'; [read(), packed()]";
  expect(await t.value(both)).toBe('["old", "old"]');
  const settings = await t.installOne("settings.ts", "const settings = { name: 'new' };");
  const pack = await t.installOne("old/box.cts", "function pack() { return 'new' }");
  expect([await t.value("[read(), packed()]"), seers(settings), held(settings), held(pack)]).toEqual([
    '["new", "new"]',
    ["src/reads.ts"],
    [],
    [],
  ]);
  const again = await t.installOne("settings.ts", "export default { name: 'newer' };");
  expect([await t.value("read()"), seers(again), held(again)]).toEqual(['"newer"', ["src/reads.ts"], []]);
});

it("names nothing of its own where an installed form fails", async () => {
  const { error } = await t.evaluate("const mark = nothing()", { module: t.path("greet.ts"), install: {} });
  expect(error?.frames).toMatchObject([{ function: "", line: 0 }]);
});
