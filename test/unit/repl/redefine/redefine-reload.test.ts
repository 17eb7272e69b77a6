import { beforeEach, expect, it } from "vitest";
import type { Evaluated } from "../../../../server/src/repl/image.ts";
import { shareRedefineImage, type RedefineImage } from "./redefine-project.ts";

const shared = shareRedefineImage();
let t: RedefineImage;
beforeEach(() => {
  t = shared();
});

const reload = (module: string, code: string): Promise<Evaluated> =>
  t.evaluate(code, { module: t.path(module), install: { reload: true } });
const load = "import { run, draw } from './src/app.ts'; import { count } from './src/greet.ts'; const drawn = draw();";

it("says which state a reload would lose, and loses nothing by saying it", async () => {
  await t.value(`${load} count(); count()`);
  const report = await t.install("greet.ts", "export const fresh = () => calls");
  expect(report.newExports).toEqual(["fresh"]);
  expect(report.reload).toMatchObject({
    isDone: false,
    paths: ["src/greet.ts", "src/app.ts", "src/index.ts"],
    losses: {
      state: [
        { path: "src/greet.ts", name: "tone", value: '"plain"' },
        { path: "src/greet.ts", name: "calls", value: "2" },
        {
          path: "src/app.ts",
          name: "table",
          value: '{ handlers: Array(1) [[function greet]], byName: Map(1) { "greet" => [function greet] } }',
        },
      ],
      holders: [],
    },
  });
  expect(await t.value("count()")).toBe("3");
  const shapes = await t.install("shapes.ts", "export const extra = 1");
  expect(shapes.reload?.losses.holders).toEqual(["drawn"]);
});

it("counts as state what a constant holds and can be written to", async () => {
  t.write(
    "src/held.ts",
    "class Store { #rows = new Map() }\nexport const store = new Store();\nconst stats = { hits: 0 };\n" +
      "const fixed = Object.freeze({ a: 1 }), empty = {}, word = /a/, list = [1], name = 'n';\n" +
      "export const hit = () => (void [fixed, empty, word, list, name], ++stats.hits);\n",
  );
  await t.value("import { hit } from './src/held.ts'; hit()");
  const { reload: asked } = await t.install("held.ts", "export const fresh = 1");
  expect(asked?.losses.state).toEqual([
    { path: "src/held.ts", name: "store", value: "Store {}" },
    { path: "src/held.ts", name: "stats", value: "{ hits: 1 }" },
    { path: "src/held.ts", name: "list", value: "Array(1) [1]" },
  ]);
});

it("loads the module and its importers anew with the form in it, and forms that imported them follow", async () => {
  await t.value(`${load} count(); run('a')`);
  const { installation } = await reload(
    "greet.ts",
    "import { basename } from 'node:path';\nexport const base = (path: string) => basename(path);\nfunction greet(name: string) { return base(name) }",
  );
  expect(installation?.reload).toMatchObject({ isDone: true, paths: ["src/greet.ts", "src/app.ts", "src/index.ts"] });
  expect(await t.value("[count(), run('x/y')[0], run('x/y')[1]]")).toBe('[1, "y", "y"]');
  expect(await t.value("import { base } from './src/greet.ts'; base('a/b')")).toBe('"b"');
  expect(await t.inModule("app.ts", "all.base('c/d')")).toBe('"d"');
});

it("leaves the namespace of a class that is replaced, and the class where the namespace is", async () => {
  t.write(
    "src/coin.ts",
    "export class Coin { worth() { return 1 } }\nexport namespace Coin { export const make = () => new Coin(); }\n" +
      "export const use = () => Coin.make().worth();\n",
  );
  await t.value("import { use } from './src/coin.ts'; use()");
  await t.install("coin.ts", "class Coin { worth() { return 2 } }");
  await reload("coin.ts", "export const one = 1;");
  expect(await t.value("use()")).toBe("2");
  await t.install("coin.ts", "namespace Coin { export const make = () => ({ worth: () => 5 }); }");
  await reload("coin.ts", "export const two = 2;");
  expect(await t.value("import { Coin } from './src/coin.ts'; [use(), new Coin().worth()]")).toBe("[5, 2]");
});

it("keeps what runs when the new text does not run, and can be asked again", async () => {
  await t.value(`${load} count()`);
  const { error } = await reload("greet.ts", "export const bad = (() => { throw new Error('no') })();");
  expect(error?.message).toBe("no");
  expect(await t.value("count()")).toBe("2");
  await t.install("greet.ts", "function greet() { return 'still the old instance' }");
  expect(await t.value("run('a')[0]")).toBe('"still the old instance"');
  expect(await t.value("import { count as again } from './src/greet.ts'; again()")).toBe("3");
  await reload("greet.ts", "export const good = 1;");
  expect(await t.value("import { good } from './src/greet.ts'; [good, count()]")).toBe("[1, 1]");
});

it("takes along what was installed before, and names single methods as lost", async () => {
  await t.value(load);
  await t.install("shapes.ts", "function helper() { return 'helped' }");
  await t.install("shapes.ts", "Shape.describe() { return helper() }");
  const { installation } = await reload("shapes.ts", "export const help = () => helper();");
  expect(installation?.reload?.methods).toEqual(["Shape.describe"]);
  expect(await t.value("import { help } from './src/shapes.ts'; [help(), draw().describe()]")).toBe(
    '["helped", "shape drawn"]',
  );
});

it("goes back to the source when that changes, and says what it is without", async () => {
  await t.value(load);
  await t.install("greet.ts", "function greet() { return 'installed' }");
  t.write(
    "src/greet.ts",
    "export const greet = () => 'source', shout = greet, tone = 1; export const word = 2; export enum Mood {}; export namespace Limits { export const max = 1 }; export const count = () => 0;",
  );
  const result = await t.evaluate("import { run } from './src/app.ts'; run('a')[0]");
  expect(result.preview).toBe('"source"');
  expect(result.notes[0]?.message).toContain("src/greet.ts (without what was installed there: greet)");
});

it("points at the source's own lines after a reload", async () => {
  await t.value(load);
  await reload("shapes.ts", "export const extra = 1;\nexport const more = 2;");
  const { error } = await t.evaluate(
    "import { Shape } from './src/shapes.ts'; (Shape.prototype as any).describe.call(null)",
  );
  expect(error?.frames[0]).toMatchObject({ code: "return `shape ${this.name}`;" });
});

it("works for CommonJS: who requires it again gets the new module", async () => {
  await t.value("import { fromWhole } from './src/old/user.cjs'; fromWhole(1)");
  const { installation } = await reload("old/format.cjs", "function format(value) { return 'reloaded ' + value }");
  expect(installation?.reload?.paths).toEqual(["src/old/format.cjs", "src/old/user.cjs"]);
  expect(await t.value("fromWhole(1)")).toBe('"reloaded 1"');
});

it("is refused for an `export` in CommonJS, which needs no reload", async () => {
  const result = await t.evaluate("export function more() { return 1 }", {
    install: { reload: true },
    module: t.path("old/format.cjs"),
  });
  expect(result.error?.message).toBe(
    "A module of CommonJS has no `export`, and takes new exports while it runs. Leave reload out.",
  );
});

it("is refused for the forms' own names, and where one statement declares more than the form", async () => {
  const { error } = await t.evaluate("export const a = 1", { install: { reload: true } });
  expect(error?.message).toContain("Only a module can be loaded anew");
  t.write("src/pair.ts", "export const left = 1, right = 2;");
  expect((await reload("pair.ts", "export const left = 3;")).error?.message).toBe(
    "left is declared in one statement with right: give that whole statement.",
  );
});
