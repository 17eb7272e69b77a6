/** Names that the compiler's outline leaves out, words of overloads, and the order of a search by part of a name. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createAproposSearch } from "../../server/src/tools/introspection/apropos-search.ts";
import { createClassSlots } from "../../server/src/tools/introspection/class-slots.ts";
import { createDescribeSymbol } from "../../server/src/tools/introspection/describe-symbol.ts";
import { createReadSymbol } from "../../server/src/tools/introspection/read-symbol.ts";
import { createWhoCalls } from "../../server/src/tools/introspection/who-calls.ts";
import { diagnosticsOf, quickFixes } from "../../server/src/typescript/edits/code-actions.ts";
import { openFixture } from "./ask-fixture.ts";

const FILES = {
  "tsconfig.json": `{ "compilerOptions": { "strict": true, "noEmit": true, "module": "esnext", "target": "esnext", "types": [], "verbatimModuleSyntax": true } }`,
  "src/values.ts": [
    "const x = class Inner { m() { return Inner; } };",
    "const y = function namedFn() { return namedFn; };",
    "export { x as publicX, y };",
    "export const over = { go: class Deep {} };",
    "export function make() { return class Made { run() { return 1; } }; }",
    "export const list = [function listed() { return 1; }, class Listed {}];",
    "export const same = function same() { return same; };",
    "export const gen = async function* stream() { yield 1; };",
    "export default (class Whole { static s = 1; });",
    "// const no = class Comment1 {}",
    'export const text = " = class Text1 {}";',
  ].join("\n"),
  "src/overloads.ts": [
    "/** Puts a number.\n * @deprecated use set\n */\nexport function put(value: number): void;",
    "/** Puts a text. */\nexport function put(value: string): void;",
    "export function put(value: number | string): void { void value; }",
    "export class Box {",
    "  /** Gives a number.\n   * @param key by number */\n  get(key: number): number;",
    "  get(key: string): string;\n  get(key: unknown): unknown { return key; }\n}",
    'export type Currency = "EUR" | "USD";',
    "export type Table = { [key: string]: number } | { [key: string]: number; size: number };",
  ].join("\n"),
  "src/order.ts": [
    "export function genModelProps() { const model = () => {\n 1; }; return model; }",
    "export const vModelText = 1;",
    "export interface Options { model: string }",
  ].join("\n"),
  "src/person.ts": 'export class Person { name = ""; }',
  "src/unimported.ts":
    "export function nameOf(p: Person): string { return p.name; }\nexport const made = new Person();",
  "js/tsconfig.json": `{ "compilerOptions": { "allowJs": true, "noEmit": true, "module": "nodenext", "types": [] }, "include": ["."] }`,
  "js/package.json": `{ "type": "commonjs" }`,
  "js/mod.js": "exports.run = function run() { return 1; };",
  "js/use.js":
    'const mod = require("./mod.js");\nconst { run } = require("./mod.js");\nmod["run"]();\nrun();\nmod.run();',
  "test/order.test.ts":
    "export function suite() { const model = () => {\n 1; }; class model2 { model() {} } return [model, model2]; }",
};

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-own-names-")));
for (const [name, text] of Object.entries(FILES)) {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  writeFileSync(path.join(folder, name), text);
}
const { service, ask } = openFixture(folder);
afterAll(async () => {
  await service.dispose();
  rmSync(folder, { recursive: true, force: true });
});

const apropos = createAproposSearch(service);
const describeSymbol = createDescribeSymbol(service);

describe("own names of class and function expressions", () => {
  it.each([
    ["Inner", "src/values.ts#x.Inner — class, line 1"],
    ["namedFn", "src/values.ts#y.namedFn — function, line 2"],
    ["Deep", "src/values.ts#over.go.Deep — class, line 4"],
    ["Made", "src/values.ts#make.Made — class, line 5"],
    ["listed", "src/values.ts#list.listed — function, line 6"],
    ["stream", "src/values.ts#gen.stream — async function, line 8"],
    ["Whole", "src/values.ts#Whole — class, line 9"],
    ["Inner.m", "src/values.ts#x.m — method, line 1"],
    ["same", "src/values.ts#same — export function, line 7"],
  ])("describes %s", async (symbol, head) => {
    expect(await ask(describeSymbol, { symbol })).toContain(`\n${head}\n`);
  });

  it("finds them by part of their name, and none in comments and texts", async () => {
    const found = await ask(apropos, { pattern: "/^(Inner|Deep|Listed|Whole|Comment1|Text1)$/" });
    expect(found).toContain("4 symbols match");
    expect(found).toContain("\n  x.Inner  1: class\n".trim());
    expect(found).not.toContain("class class");
    expect(await ask(createReadSymbol(service), { symbol: "Made" })).toContain("return class Made { run()");
  });
});

it("counts a call of a quoted name once", async () => {
  const found = await ask(createWhoCalls(service), { symbol: "js/mod.js#run" });
  expect(found).toContain("\n3 call sites in 1 file");
  expect(found).toContain('  js/use.js:3 (module): mod["run"]();');
});

it("tells quick fixes of one title apart by what they write", async () => {
  const file = path.join(folder, "src/unimported.ts");
  const titles = await service.query(async (view) => {
    const fixes = await quickFixes(view, file, await diagnosticsOf(view, file));
    return fixes.map(({ title }) => title);
  }, AbortSignal.timeout(60_000));
  expect(titles.filter((title) => title.startsWith("Add import"))).toEqual([
    'Add import from "./person": import type { Person } from "./person";',
    'Add import from "./person": import { Person } from "./person";',
  ]);
});

describe("words of overloads", () => {
  it("stand at the overload that they are about", async () => {
    expect(await ask(describeSymbol, { symbol: "put" })).toContain(
      [
        "  function put(value: number): void",
        "    Puts a number.",
        "    @deprecated use set",
        "  function put(value: string): void",
        "    Puts a text.",
        "  function put(value: number | string): void  — implementation, not callable itself",
      ].join("\n"),
    );
    const second = await ask(describeSymbol, { symbol: "put#2" });
    expect(second).toContain("  Puts a text.");
    expect(second).not.toMatch(/Puts a number|deprecated/);
    const method = await ask(describeSymbol, { symbol: "Box.get" });
    expect(method).toMatch(
      /get\(key: number\): number\n {4}Gives a number\.\n {4}@param key by number\n.*get\(key: string\)/,
    );
    expect(await ask(describeSymbol, { symbol: "Box.get#2" })).not.toContain("Gives");
  });
});

it("class_slots counts no characters of texts as members of their union, and an index that the parts declare", async () => {
  const slots = createClassSlots(service);
  expect(await ask(slots, { symbol: "Currency" })).not.toContain("[key: number]");
  expect(await ask(slots, { symbol: "Table" })).toContain("[key: string]: number");
});

it("apropos_search tells what stands inside of functions behind all else, and what stands there in tests last", async () => {
  const found = await ask(apropos, { pattern: "model" });
  const at = (name: string): number => found.indexOf(name);
  const order = ["Options.model", "vModelText", "genModelProps  ", "genModelProps.model", "suite.model"].map(at);
  expect(order).not.toContain(-1);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
});
