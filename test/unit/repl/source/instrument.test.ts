import { expect, it } from "vitest";
import { instrument } from "../../../../server/src/repl/source/instrument.ts";
import { mapperOf } from "../../../../server/src/repl/source/source-position.ts";
import { isProblem, transpile } from "../../../../server/src/repl/source/transpile.ts";

const run = (text: string) => {
  const output = transpile({ path: "/a.ts", text, format: "module", emit: {} });
  if (isProblem(output)) throw new Error(output.message);
  return { plain: output.code, ...instrument(output, "module", "file:///a.ts") };
};

it("turns every const of the top level, and no other, into a let of the same length", () => {
  const texts = [
    "export const a: number = 1;\nconst { b, c: [d] } = x, e = 2;\nfunction f() {\n  const inner = 1;\n  return inner;\n}",
    "const a = `line\nconst inTemplate = 1\n${() => {\n  const z = 1;\n  return z;\n}}`;\nexport const b = 2;",
    "/*\nconst inComment\n*/\nfor (const k of []) {}\nexport default class {\n  m() { const q = 1; return q }\n}",
  ];
  for (const text of texts) {
    const { plain, code } = run(text);
    const named = /;(\n?)\nexport \{ \$default as default \}.*$/;
    const body = code.slice(code.indexOf(";") + 1).replace(named, "$1");
    const restored = body.replace(/let {3}?/g, (found) => (found === "let   " ? "const " : found));
    expect(restored.length).toBe(plain.length);
    expect(body.includes("let   ")).toBe(/^(?:export )?const (?!in)/m.test(plain));
  }
  expect(run(texts[0] ?? "").code).toContain("\tconst inner");
  expect(run(texts[1] ?? "").code).toContain("\nconst inTemplate");
  expect(run(texts[2] ?? "").code).toContain("for (const k");
});

it("knows every name of the top level", () => {
  const text =
    "import d, { x as y } from 'm';\nimport * as ns from 'n';\nexport const { a, b: [c, ...r] } = d;\nlet l: number, m = y;\nexport function f() { return ns }\nexport default class K {}\nenum E { A }";
  expect([...run(text).names()].toSorted()).toEqual(["E", "K", "a", "c", "d", "f", "l", "m", "ns", "r", "y"]);
});

it("moves no line, and maps the columns of the first line past its prefix", () => {
  const text =
    "export const first = (): never => { throw new Error('one') };\ninterface Gone { a: 1 }\nconst second = () => first();";
  const { code, map } = run(text);
  const toSource = mapperOf(map);
  const column = code.indexOf("throw");
  expect(column).toBeGreaterThan(-1);
  const line = code.slice(0, column).split("\n").length - 1;
  const at = toSource({ line, column: column - (code.lastIndexOf("\n", column) + 1) });
  expect(at).toEqual({ line: 0, column: text.indexOf("throw") });
  const start = code.indexOf("first");
  expect(toSource({ line: 0, column: start })).toEqual({ line: 0, column: text.indexOf("first") });
});

it("gives a nameless default export a binding, keeps functions hoisted, and moves nothing", () => {
  const texts = [
    "export default (name: string) => name;",
    "export default async function* () { yield 1 }",
    "export default class extends Map {}\nexport const after = 1;",
    "const a = 1;\nexport default { a };",
  ];
  for (const text of texts) {
    const { plain, code, names } = run(text);
    const body = code.slice(code.indexOf(";") + 1);
    expect(names().has("$default")).toBe(true);
    expect(body).toContain("export { $default as default };");
    expect(body).not.toContain("export default");
    expect(body.split("\n").slice(0, plain.split("\n").length - 1).length).toBe(plain.split("\n").length - 1);
  }
  expect(run(texts[1] ?? "").code).toContain("async function* $default");
  const named = run("export default function hello() {}\nexport class Other {}").code;
  expect(named).toContain("export default function hello");
});

it("gives classes with private names an evaluator of their own, on the line of the brace, and maps past it", () => {
  const text =
    "interface Gone { a: 1 }\nexport class A { #x = 1; get x(): number { return this.#x } }\nclass B { y = 1 }";
  const { plain, code, map, classes } = run(text);
  expect(code.split("\n").length).toBe(plain.split("\n").length);
  expect(code.match(/__agentq\.brand\(this/g)?.length).toBe(1);
  expect([...classes().keys()]).toEqual(["A", "B"]);
  expect(classes().get("A")).toMatchObject({ privates: { instance: ["x"] }, members: [{ name: "x", uses: ["x"] }] });
  const toSource = mapperOf(map);
  const at = code.indexOf("return this.#x");
  const line = code.slice(0, at).split("\n").length - 1;
  const position = toSource({ line, column: at - (code.lastIndexOf("\n", at) + 1) });
  expect(position).toEqual({ line: 1, column: (text.split("\n")[1] ?? "").indexOf("return this.#x") });
});

it("leaves CommonJS as it was written, with its directives and its first line, and maps it", () => {
  const text =
    "#!/usr/bin/env node\n// first\n'use strict'\nconst a = 1;\nfunction f() { const b = 2; return b }\nmodule.exports = { a, f };\n";
  const { code, map, names } = instrument({ code: text }, "commonjs", "file:///a.cjs");
  expect(code.split("\n").length).toBe(text.split("\n").length);
  expect(code).toContain("'use strict';__agentq.reg(\"file:///a.cjs\",module,");
  expect(code).toContain("\nlet   a = 1;");
  expect(code).toContain("const b = 2");
  expect([...names()]).toEqual(["a", "f"]);
  expect(mapperOf(map)({ line: 4, column: 15 })).toEqual({ line: 4, column: 15 });
});

it("names what the declarations import, and not what only looks like one", () => {
  const text = [
    'import d, { x as y } from "./one.ts";',
    'import "./two.ts";',
    'import type { Gone } from "./types.ts";',
    "export * from './three.ts';",
    'export { z } from "./one.ts";',
    "/*",
    'import { no } from "./comment.ts";',
    "*/",
    "const text = `",
    'import { no } from "./template.ts";',
    "${d}`;",
    'export const from = "./string.ts";',
    'const later = () => import("./dynamic.ts");',
  ].join("\n");
  expect(run(`${text}\nconsole.log(text, y, later, null as unknown as Gone);`).imports().toSorted()).toEqual([
    "./one.ts",
    "./three.ts",
    "./two.ts",
  ]);
});
