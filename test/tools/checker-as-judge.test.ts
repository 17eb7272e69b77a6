/**
 * The judge of references is the checker of TypeScript 6, asked at every name of a project that is spelled like the symbol:
 * the search for references of either TypeScript passes over what this project holds. In test:all the packages of the oracle
 * are judged so as well.
 */
import { execFile } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { resolveSymbol } from "../../server/src/typescript/names/resolve-symbol.ts";
import { findAllReferences } from "../../server/src/typescript/xref/references/references.ts";
import { installPackage } from "../oracle/install.ts";
import { oraclePackages, type OraclePackage } from "../oracle/packages.ts";
import { runsAll } from "../support/extent.ts";
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

/** A project, with the judge of it. */
class Judged {
  readonly project: TestProject;
  readonly #judge: Judge;

  constructor(files: Readonly<Record<string, string>>, packages?: string) {
    this.project = openProject(files);
    const { root } = this.project;
    if (packages !== undefined) symlinkSync(packages, join(root, "node_modules"));
    const names = Object.keys(files).filter((name) => name.startsWith("src/"));
    this.#judge = judgeOf(
      root,
      names.map((name) => join(root, name)),
      OPTIONS,
    );
  }

  /** Expects of the symbol that our references are the places where the checker finds it. */
  async expectAll(address: string): Promise<void> {
    const { references, declarations } = await this.project.service.query(async (view) => {
      const found = await resolveSymbol(view, address);
      if (found.kind !== "found") throw new Error(`${address}: ${found.kind}`);
      const { declarations: own } = found.target;
      return { references: await findAllReferences(view, own), declarations: own };
    }, AbortSignal.timeout(60_000));
    const ours = references.map(({ file, at }) => this.#judge.shown(file, at));
    const theirs = [...new Set(declarations.flatMap((each) => this.#judge.placesOf(each)))];
    expect(theirs.length).toBeGreaterThan(0);
    expect(theirs.filter((place) => !ours.includes(place))).toEqual([]);
    expect(ours.filter((place) => !theirs.includes(place) && /^src/.test(place))).toEqual([]);
  }
}

let judged: Judged;
beforeAll(() => void (judged = new Judged(FILES)));
afterAll(() => judged.project.dispose());

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
])("%s is found wherever the checker says that it stands", (address) => judged.expectAll(address));

const TYPES: OraclePackage = {
  name: "@types/react",
  version: "19.3.3",
  others: { "@types/express": "5.0.6", "@types/lodash": "4.17.27" },
  sources: ".",
  without: /./,
};
const PEOPLE = {
  "package.json": '{ "type": "module" }',
  "tsconfig.json": JSON.stringify({ compilerOptions: OPTIONS, include: ["src"] }),
  "src/list.tsx":
    'import { useState, type ReactNode } from "react";\nexport function List(): ReactNode { const [all] = useState(0); return all; }\n',
  "src/more.tsx":
    'import React, { useState as state, type FC } from "react";\nexport const More: FC = () => { const [all] = state(React.useState(1)[0]); return <i>{all}</i>; };\n',
  "src/hooks.ts":
    'export { useState, useEffect } from "react";\nimport * as R from "react";\nexport const held = { use: R.useState };\n',
  "src/server.ts":
    'import express, { Router, type Request } from "express";\nexport const router = Router();\nexport const own = express.Router();\nrouter.get("/", (request: Request) => void request.params);\n',
  "src/sums.ts":
    'import _, { debounce, map as each } from "lodash";\nexport const late = debounce(() => each([1], String), 5);\nexport const later = _.debounce(late, _.map([1]).length);\n',
};

if (runsAll) {
  it("what react, express and lodash hand out by name is found wherever the checker says that it stands", async () => {
    const installed = installPackage(TYPES);
    if ("missing" in installed) throw new Error(installed.missing);
    const people = new Judged(PEOPLE, join(installed.folder, "node_modules"));
    const named = [
      "react#useState",
      "react#ReactNode",
      "express#Router",
      "express#Request",
      "lodash#debounce",
      "lodash#map",
    ];
    for (const address of named) await people.expectAll(address);
    await people.project.dispose();
  }, 300_000);

  it.each(oraclePackages)(
    "no place where the checker finds a symbol of $name is left out",
    async ({ name }) => {
      const script = fileURLToPath(new URL("../support/checker-on-corpus.ts", import.meta.url));
      const run = promisify(execFile);
      const { stdout } = await run(process.execPath, ["--max-old-space-size=6144", script, name]);
      const { asked, found, missing } = JSON.parse(stdout) as { asked: number; found: number; missing: string[] };
      expect(missing).toEqual([]);
      expect(asked).toBeGreaterThan(100);
      expect(found).toBeGreaterThan(asked);
    },
    1_200_000,
  );
}
