import { expect, it } from "vitest";
import { instrument } from "../../../server/src/repl/instrument.ts";
import { mapperOf } from "../../../server/src/repl/source-position.ts";
import { isProblem, transpile } from "../../../server/src/repl/transpile.ts";

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
    const body = code.slice(code.indexOf(";") + 1);
    const restored = body.replace(/let {3}?/g, (found) => (found === "let   " ? "const " : found));
    expect(restored.length).toBe(plain.length);
    expect(body).toContain("let   ");
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
