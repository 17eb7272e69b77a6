import { afterAll, beforeAll, expect, it } from "vitest";
import { describeEachNode } from "../../../support/node-versions.ts";
import { startOn, type TestImage } from "../with-image.ts";

const files: Readonly<Record<string, string>> = {
  "tsconfig.json": '{ "compilerOptions": { "module": "nodenext", "paths": { "@src/*": ["./src/*"] } } }',
  "src/many.ts":
    "export const one = 1;\nexport let two = 2;\nexport function bump() { two += 1 }\nexport interface Shape { a: number }\nexport type Id = string;\nexport default class Main { name = 'main' }\nexport const old = () => 'old';\n",
  "src/effect.ts": "(globalThis as any).effects = ((globalThis as any).effects ?? 0) + 1;\nexport {};\n",
  "src/view.tsx": "export const view = { kind: 'tsx' };\n",
  "src/folder/index.ts": "export const where = 'index';\n",
  "src/plain.mjs": "export const plain = 'mjs';\n",
  "src/plain.cjs": "exports.plain = 'cjs'; exports.again = () => 1;\n",
  "src/whole.cjs": "module.exports = function whole() { return 'whole' };\n",
  "src/typed.mts": "export const typed: string = 'mts';\n",
  "src/typed.cts": "export = { typed: 'cts' };\n",
  "src/data.json": '{ "a": [1, 2] }',
  "src/odd.json": '{ "__proto__": { "a": 1 }, "b": 2 }',
  "src/reexports.ts":
    "export * from './many.ts';\nexport { one as first, default as Main } from './many.ts';\nexport * as all from './many.ts';\n",
  "src/uses-paths.ts": "import { one } from '@src/many';\nexport const viaPaths = one + 1;\n",
  "node_modules/mapped/package.json":
    '{ "name": "mapped", "exports": { ".": { "import": "./esm.mjs", "require": "./cjs.cjs" }, "./deep/*": "./lib/*.mjs", "./hidden": null } }',
  "node_modules/mapped/esm.mjs": "export const kind = 'esm'; export default 'default of esm';\n",
  "node_modules/mapped/cjs.cjs": "exports.kind = 'cjs';\n",
  "node_modules/mapped/lib/part.mjs": "export const part = 'deep';\n",
  "node_modules/compiled/package.json": '{ "name": "compiled", "main": "index.js" }',
  "node_modules/compiled/index.js":
    "Object.defineProperty(exports, '__esModule', { value: true }); exports.default = 'the default'; exports.named = 'the named';\n",
};

/** The form, and what it answers. */
const forms: readonly (readonly [string, string, string])[] = [
  ["a named import", "import { one } from './src/many.ts'; one", "1"],
  ["a renamed import", "import { one as uno } from './src/many.ts'; uno", "1"],
  ["a default import", "import Main from './src/many.ts'; new Main().name", '"main"'],
  ["a default under its name", "import { default as M } from './src/many.ts'; M.name", '"Main"'],
  ["default and named together", "import D, { one } from './src/many.ts'; [D.name, one]", '["Main", 1]'],
  [
    "a namespace import",
    "import * as many from './src/many.ts'; Object.keys(many)",
    '["bump", "default", "old", "one", "two"]',
  ],
  ["default and namespace together", "import E, * as ns from './src/many.ts'; E === ns.default", "true"],
  ["a type-only import", "import type { Shape } from './src/many.ts'; const s: Shape = { a: 1 }; s.a", "1"],
  ["a type among values", "import { one, type Id } from './src/many.ts'; const id: Id = 'x'; id + one", '"x1"'],
  ["a type without the word", "import { Shape, one } from './src/many.ts'; ({ a: one }) as Shape", "{ a: 1 }"],
  ["an import for its effect, once", "import './src/effect.ts'; import './src/effect.ts'; effects", "1"],
  ["an empty import", "import {} from './src/many.ts'; 'ok'", '"ok"'],
  ["a live binding", "import { two, bump } from './src/many.ts'; const was = two; bump(); [was, two]", "[2, 3]"],
  ["a dynamic import", "(await import('./src/many.ts')).one", "1"],
  [
    "re-exports",
    "import { first, Main, all, one } from './src/reexports.ts'; [first, Main.name, all.one, one]",
    '[1, "Main", 1, 1]',
  ],
  [".js for .ts", "import { one } from './src/many.js'; one", "1"],
  ["no extension", "import { one } from './src/many'; one", "1"],
  [".jsx for .tsx", "import { view } from './src/view.jsx'; view.kind", '"tsx"'],
  ["a folder's index", "import { where } from './src/folder'; where", '"index"'],
  [".mts by .mjs", "import { typed } from './src/typed.mjs'; typed", '"mts"'],
  ["export = in .cts", "import typed from './src/typed.cts'; typed", '{ typed: "cts" }'],
  ["import = require", "import typed = require('./src/typed.cts'); typed", '{ typed: "cts" }'],
  ["plain .mjs", "import { plain } from './src/plain.mjs'; plain", '"mjs"'],
  ["names of plain .cjs", "import { plain } from './src/plain.cjs'; plain", '"cjs"'],
  ["a function as module.exports", "import whole from './src/whole.cjs'; whole()", '"whole"'],
  ["require of .cjs", "require('./src/plain.cjs').plain", '"cjs"'],
  ["JSON", "import data from './src/data.json'; data.a", "[1, 2]"],
  ["JSON with a key of an odd name", "import odd from './src/odd.json'; Object.keys(odd)", '["__proto__", "b"]'],
  ["JSON with its attribute", "import data from './src/data.json' with { type: 'json' }; data.a", "[1, 2]"],
  ["paths of the tsconfig", "import { viaPaths } from '@src/uses-paths'; viaPaths", "2"],
  ["a built-in", "import { join } from 'node:path'; join('a', 'b')", '"a/b"'],
  ["a built-in's default, without the prefix", "import path from 'path'; path.basename('/a/b')", '"b"'],
  ["exports for import", "import mapped, { kind } from 'mapped'; [mapped, kind]", '["default of esm", "esm"]'],
  ["exports for require", "require('mapped').kind", '"cjs"'],
  ["a pattern of exports", "import { part } from 'mapped/deep/part'; part", '"deep"'],
  [
    "the default of compiled CommonJS",
    "import compiled, { named } from 'compiled'; [compiled, named]",
    '["the default", "the named"]',
  ],
];

const failing: readonly (readonly [string, string, RegExp])[] = [
  ["a missing file", "import { a } from './src/none.ts'", /Cannot find module '.\/src\/none.ts'/],
  ["a missing package", "import a from 'no-such-package'", /Cannot find (?:module|package) 'no-such-package'/],
  ["a missing name", "import { won } from './src/many.ts'", /has no export named 'won'. It exports: .*one/],
  ["a missing default", "import view from './src/view.tsx'", /has no export named 'default'/],
  ["a path that exports hides", "import 'mapped/hidden'", /not (?:exported|defined by "exports")|Cannot find module/],
  [
    "a file without exports entry",
    "import 'mapped/lib/part.mjs'",
    /not (?:exported|defined by "exports")|Cannot find module/,
  ],
];

describeEachNode([22, 24, 26], (node) => {
  let t: TestImage;
  beforeAll(() => {
    t = startOn(node);
    for (const [path, text] of Object.entries(files)) t.write(path, text);
  });
  afterAll(() => t.dispose());

  it.for(forms)("takes %s", async ([, form, answer]) => {
    expect(await t.value(form)).toBe(answer);
  });

  it.for(failing)("says what is wrong with %s, and goes on", async ([, form, message]) => {
    const result = await t.evaluate(form);
    expect(result).toMatchObject({ outcome: "error", stateKept: true });
    expect(result.error?.message).toMatch(message);
  });

  it("imports by a URL that is computed", async () => {
    expect(await t.value("(await import(new URL('./src/many.ts', import.meta.url).href)).one")).toBe("1");
  });

  it("sees a redefined export through an import of an earlier form, until a declaration takes the name", async () => {
    await t.value("import { old } from './src/many.ts'");
    await t.value("old = () => 'new'", { module: `${t.root}/src/many.ts` });
    expect(await t.value("old()")).toBe('"new"');
    await t.value("let old = () => 'mine'");
    expect(await t.value("old()")).toBe('"mine"');
    expect(await t.value("import { old } from './src/many.ts'; old()")).toBe('"new"');
  });

  it("sees what a CommonJS module exports now, and new exports, through imports by name", async () => {
    t.write("src/now.cjs", "function say() { return 'old' }\nexports.say = say;\n");
    t.write("src/typed.cts", "export function tell(): string { return 'old' }\nexport let count = 1;\n");
    const module = { module: `${t.root}/src/now.cjs`, install: {} };
    await t.value("import { say } from './src/now.cjs'; import { tell, count } from './src/typed.cts'; say()");
    await t.evaluate("function say() { return 'new' }", module);
    await t.evaluate("exports.more = () => 'more'", module);
    await t.value("count = 2; tell = () => 'new'", { module: `${t.root}/src/typed.cts` });
    expect(await t.value("import { more } from './src/now.cjs'; [say(), more(), tell(), count]")).toBe(
      '["new", "more", "new", 2]',
    );
    await t.evaluate("module.exports = { say: () => 'whole' }", module);
    expect(await t.value("say()")).toBe('"whole"');
  });

  it.for([
    ["a string", "throw 'text'", '"text"'],
    ["undefined", "throw undefined", "undefined"],
    ["null", "throw null", "null"],
    ["NaN", "throw NaN", "NaN"],
    ["a big integer", "throw 10n", "10n"],
    ["an object", "throw { code: 7 }", "{ code: 7 }"],
    ["a symbol", "throw Symbol('s')", "Symbol(s)"],
    ["a rejection that is no error", "await Promise.reject(['x'])", '["x"]'],
  ])("answers %s that was thrown", async ([, form, shown]) => {
    const result = await t.evaluate(form ?? "");
    expect(result).toMatchObject({
      outcome: "error",
      stateKept: true,
      error: { name: "Thrown value", message: shown },
    });
  });

  it("names the place of a syntax error in the form, and of the error's cause in a module", async () => {
    const { error } = await t.evaluate("const fine = 1;\nconst bad = [1, 2;\nfine");
    expect(error).toMatchObject({ name: "SyntaxError", frames: [{ line: 1, code: "const bad = [1, 2;" }] });
    const emoji = await t.evaluate("const é = '😀';\nconst s = é +;");
    expect(emoji.error?.frames[0]).toMatchObject({ line: 1, code: "const s = é +;" });
    t.write(
      "src/throws.ts",
      "interface Wide {\n  a: number;\n}\nexport const fail = (w: Wide): never => {\n  throw new TypeError(`bad ${w.a}`);\n};\n",
    );
    const thrown = await t.evaluate(
      "import { fail } from './src/throws.ts';\nfunction outer() { fail({ a: 1 }) }\nouter()",
    );
    expect(thrown.error).toMatchObject({
      name: "TypeError",
      message: "bad 1",
      frames: [
        { function: "fail", line: 4, code: "throw new TypeError(`bad ${w.a}`);" },
        { function: "outer", line: 1 },
        { line: 2, code: "outer()" },
      ],
    });
  });
});

describeEachNode([24], (node) => {
  let t: TestImage;
  beforeAll(() => {
    t = startOn(node);
  });
  afterAll(() => t.dispose());

  it.for([
    ["at the beginning", "import 'A'; import { B } from 'B'; import C from 'C'; export * from 'D'; order.join('')"],
    [
      "behind a statement",
      "var first = 1; import 'A'; import { B } from 'B'; import C from 'C'; export { B as D } from 'D'; order.join('')",
    ],
    [
      "on both sides of a function",
      "import { B as A } from 'A'; import * as B from 'B'; f(); import 'C'; function f() { return A } import D from 'D'; order.join('')",
    ],
    [
      "with blanks before",
      "\n\n  import 'A';\n  import { B } from 'B';\n\n let x = 1; import 'C'; import 'D'; order.join('')",
    ],
  ] as const)("runs the imports of a form in their order: %s", async ([title, code]) => {
    const folder = `src/order-${title.replaceAll(" ", "-")}`;
    for (const name of "ABCD")
      t.write(
        `${folder}/${name}.ts`,
        `(globalThis as any).order.push('${name}');\nexport const B = 1;\nexport default 2;`,
      );
    await t.value("globalThis.order = []");
    expect(await t.value(code.replaceAll(/'([ABCD])'/g, `'./${folder}/$1.ts'`))).toBe('"ABCD"');
  });
});
