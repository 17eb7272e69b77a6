/**
 * The judge of references is the checker of TypeScript 6, asked at every name of a project that is spelled like the symbol:
 * the search for references of either TypeScript passes over what this project holds.
 */
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { resolveSymbol } from "../../server/src/typescript/names/resolve-symbol.ts";
import { findAllReferences } from "../../server/src/typescript/xref/references.ts";
import { openProject, type TestProject } from "../unit/typescript/with-typescript.ts";
import { judgeOf, type Judge } from "./judge-by-checker.ts";

const OPTIONS = {
  module: "nodenext",
  target: "es2022",
  strict: true,
  jsx: "preserve",
  esModuleInterop: true,
  types: [],
};
const LIBRARY = `export = Lib;
declare namespace Lib {
  function useThing(of: number): Thing;
  interface Thing { size: number }
  class Box { open(): void }
  const limit: number;
}
`;
/** A value and its type, as lodash has it. */
const KIT =
  "declare const kit: kit.Static;\ndeclare namespace kit { interface Static { shake(times: number): void } }\nexport = kit;\n";
const FILES = {
  "package.json": '{ "type": "module" }',
  "tsconfig.json": JSON.stringify({ compilerOptions: OPTIONS, include: ["src"] }),
  "node_modules/lib/package.json": '{ "name": "lib", "version": "1.0.0", "types": "index.d.ts" }',
  "node_modules/lib/index.d.ts": LIBRARY,
  "node_modules/kit/package.json": '{ "name": "kit", "version": "1.0.0", "types": "index.d.ts" }',
  "node_modules/kit/index.d.ts": KIT,
  "src/shaken.ts":
    'import kit, { shake, shake as rock } from "kit";\nshake(1);\nrock(2);\nkit.shake(3);\nexport const list = [shake];\n',
  "src/own.cts":
    "namespace Own { export function make(): number { return 1; } export interface Made { size: number } }\nexport = Own;\n",
  "src/named.ts":
    'import { useThing, Box, limit, type Thing } from "lib";\nexport const thing: Thing = useThing(limit);\nexport const box = new Box();\nexport const held = { useThing, limit };\n',
  "src/renamed.ts":
    'import { useThing as use, limit as most } from "lib";\nuse(most);\nconst list = [use];\nexport default list;\n',
  "src/passed.ts": 'export { useThing, type Thing } from "lib";\n',
  "src/through.ts": 'import { useThing, type Thing } from "./passed.ts";\nexport const again: Thing = useThing(2);\n',
  "src/whole.ts":
    'import Lib from "lib";\nimport * as all from "lib";\nexport const both = [Lib.useThing(1), all.limit];\n',
  "src/made.ts":
    'import { make, type Made } from "./own.cjs";\nexport const made: Made = { size: make() };\nexport const kept = { make };\n',
  "src/state.ts": "export interface State { color: string; size: number }\nexport interface Wrap { state: State }\n",
  "src/alias.ts": 'import type { State } from "./state.ts";\nexport type Alias = State["color"];\n',
  "src/deep.ts":
    'import type { Wrap } from "./state.ts";\nexport function paint(to: Wrap["state"][\'color\']): Wrap["state"]["color"] { return to; }\n',
  "src/generic.ts":
    'import type { State } from "./state.ts";\nexport interface Of<C extends State["color"]> { c: C }\nexport type M = { [K in "a"]: State["color"] };\n',
  "src/leaf.ts": "export function hello(): string { return greeting; }\nexport const greeting = 'h';\n",
  "src/api.ts":
    '// "./leaf.ts" is handed on.\nimport * as leaf from "./leaf.ts";\nexport default leaf;\nexport const api = { leaf };\nexport const alias = leaf;\nexport const lazy = () => leaf;\nexport const spread = { ...leaf };\nexport const listed = [leaf] as const;\nexport type Context = { leaf: typeof leaf };\nexport class Holder { leaf = leaf }\n',
  "src/uses.ts":
    'import l, { alias, api, Holder, lazy, listed, spread, type Context } from "./api.ts";\nexport const all = [api.leaf.hello(), alias.hello(), l.hello(), lazy().hello(), spread.hello(), listed[0].hello(), new Holder().leaf.hello()];\nexport function run(context: Context) { return context.leaf.hello() + context.leaf["greeting"]; }\nconst { hello } = api.leaf;\nexport const last = hello();\n',
  "src/card.ts":
    'export const Card = (): string => "";\nCard.Title = (): string => Card.kind;\nCard.kind = "card";\nCard.Box = class { open(): void {} };\nexport function tick(): void {}\ntick.total = 0;\ntick.reset = function reset(): void { tick.total = 0; };\nexport default function main(): void {}\nmain.version = "1";\nfunction local(): void {}\nlocal["level"] = 2;\nexport { local as outer };\nexport function make() { const Inner = (): number => 1; Inner.label = "x"; return Inner; }\n',
  "src/use-card.ts":
    'import main, { Card, make, outer, tick } from "./card.ts";\nexport const all = [Card.Title(), Card.kind, Card["kind"], new Card.Box(), tick.total, main.version, outer.level, make().label];\ntick.total += 1;\ntick.reset();\nconst { kind: own, Title } = Card;\nexport const more = [own, Title()];\n',
  "src/typed.ts": 'export const take = (it: typeof import("./leaf.ts")): string => it.hello();\n',
};

let project: TestProject;
let judge: Judge;
beforeAll(() => {
  project = openProject(FILES);
  const names = Object.keys(FILES).filter((name) => name.startsWith("src/"));
  judge = judgeOf(
    project.root,
    names.map((name) => join(project.root, name)),
    OPTIONS,
  );
});
afterAll(() => project.dispose());

it.each([
  "lib#useThing",
  "lib#Lib.Thing",
  "lib#Lib.Box",
  "lib#Lib.limit",
  "kit#shake",
  "src/own.cts#Own.make",
  "src/own.cts#Own.Made",
  "src/state.ts#State.color",
  "src/state.ts#State.size",
  "src/leaf.ts#hello",
  "src/leaf.ts#greeting",
  "Card.Title",
  "Card.kind",
  "Card.Box",
  "tick.total",
  "tick.reset",
  "main.version",
  "src/card.ts#outer.level",
])("%s is found wherever the checker says that it stands", async (address) => {
  const { references, declaration } = await project.service.query(async (view) => {
    const found = await resolveSymbol(view, address);
    if (found.kind !== "found") throw new Error(`${address}: ${found.kind}`);
    return {
      references: await findAllReferences(view, found.target.declarations),
      declaration: found.target.declarations[0],
    };
  }, AbortSignal.timeout(60_000));
  const ours = references.map(({ file, at }) => judge.shown(file, at));
  const theirs = judge.placesOf(declaration);
  expect(theirs.length).toBeGreaterThan(0);
  expect(theirs.filter((place) => !ours.includes(place))).toEqual([]);
  expect(ours.filter((place) => !theirs.includes(place) && /^src/.test(place))).toEqual([]);
});
