/** The judge of a rename is the program: what ran before says the same afterwards, or the rename is refused. */
import { createContext, runInContext } from "node:vm";
import ts from "@typescript/typescript6";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRenameSymbol } from "../../server/src/tools/edit/rename-symbol.ts";
import { openEditFixture, openEditWorkspace, type EditFixture } from "./edit-fixture.ts";

const workspace = openEditWorkspace("edits-project");
let fixture: EditFixture;

beforeEach(() => {
  fixture = openEditFixture(workspace);
});
afterEach(() => fixture.dispose());
afterAll(() => workspace.dispose());

type Files = Readonly<Record<string, string>>;

/** The value that `main.ts` exports as `value`. */
async function valueOf(names: readonly string[]): Promise<unknown> {
  const texts = new Map(
    await Promise.all(names.map(async (name) => [name, await fixture.textOf(`src/${name}`)] as const)),
  );
  const loaded = new Map<string, Record<string, unknown>>();
  const load = (name: string): Record<string, unknown> => {
    const known = loaded.get(name);
    if (known !== undefined) return known;
    const exports = {};
    loaded.set(name, exports);
    const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
    const { outputText } = ts.transpileModule(texts.get(name) ?? "", { compilerOptions });
    const require = (path: string): unknown => load(path.replace("./", ""));
    runInContext(outputText, createContext({ exports, require, module: { exports } }));
    return exports;
  };
  return JSON.stringify(load("main.ts")["value"]);
}

/** `main.ts` alone, or several files; the symbol that is renamed, and its new name. */
const RUNS: readonly (readonly [string, string | Files, string, string])[] = [
  [
    "a subclass has a method of the name",
    'class A { go() { return "a" } all() { return this.go() } } class B extends A { run() { return "b" } } export const value = new B().all();',
    "A.go",
    "run",
  ],
  [
    "a subclass of a subclass in another file has a getter of the name",
    {
      "base.ts": 'export class A { get one() { return "a" } all() { return this.one } }',
      "middle.ts": 'import { A } from "./base.ts"; export class B extends A {}',
      "main.ts":
        'import { B } from "./middle.ts"; class C extends B { get two() { return "c" } } export const value = new C().all();',
    },
    "base.ts#A.one",
    "two",
  ],
  [
    "a subclass has a static method of the name",
    'class A { static go() { return "a" } static all() { return this.go() } } class B extends A { static run() { return "b" } } export const value = B.all();',
    "A.go",
    "run",
  ],
  [
    "a subclass has a parameter property of the name",
    'class A { go = "a"; all() { return this.go } } class B extends A { constructor(public run = "b") { super() } } export const value = new B().all();',
    "A.go",
    "run",
  ],
  [
    "a barrel exports the name itself",
    {
      "a.ts": "export const alpha = 1;",
      "lib.ts": 'export * from "./a.ts"; export const beta = 2;',
      "main.ts": 'import { alpha } from "./lib.ts"; export const value = alpha;',
    },
    "a.ts#alpha",
    "beta",
  ],
  [
    "a barrel passes the name on from another module",
    {
      "a.ts": "export const alpha = 1;",
      "b.ts": "export const beta = 2;",
      "lib.ts": 'export * from "./a.ts"; export * from "./b.ts";',
      "main.ts": 'import { alpha } from "./lib.ts"; export const value = alpha;',
    },
    "a.ts#alpha",
    "beta",
  ],
  [
    "a catch variable has the name",
    'function f(err: string) { try { throw new Error("x") } catch (e) { return [typeof e, err] } } export const value = f("mine");',
    ":1:12",
    "e",
  ],
  [
    "a part of a catch variable has the name",
    'const err = "mine"; function f() { try { throw new Error("x") } catch ({ message }) { return [message, err] } } export const value = f();',
    "err",
    "message",
  ],
  [
    "a function expression has the name",
    "const fact = 10; const g = function inner(n: number): unknown { return n > 1 ? inner(1) : typeof fact }; export const value = g(1);",
    "fact",
    "inner",
  ],
  [
    "a class expression has the name",
    'class Node1 { kind = "node" } const K = class Self { kind = "self"; make() { return new Node1() } }; export const value = new K().make().kind;',
    "Node1",
    "Self",
  ],
  [
    "a member of an enum is used by the name",
    "const big = 9; enum E { small = 1, mid = big } export const value = E.mid;",
    "E.small",
    "big",
  ],
  [
    "a member of an enum's other block is used by the name",
    "const big = 9; enum E { small = 1 } enum E { mid = big } export const value = E.mid;",
    "E.small",
    "big",
  ],
  [
    "a member of an enum has the name",
    "const big = 9; enum E { small = 1, mid = big } export const value = E.mid;",
    "big",
    "small",
  ],
  [
    "a namespace's other block uses the name",
    "namespace N { export const one = 1 } namespace N { export const f = () => two } const two = 2; export const value = N.f();",
    "N.one",
    "two",
  ],
  [
    "a namespace's other block has the name",
    "namespace N { export const one = 1 } namespace N { export const f = () => two } const two = 2; export const value = N.f();",
    "two",
    "one",
  ],
  [
    "a spread behind the member has the name",
    'interface Base { kind?: string } const base: Base = { kind: "b" }; const own = "own"; const made = { type: own, ...base }; export const value = made.type;',
    "made.type",
    "kind",
  ],
  [
    "a spread before the member has the name",
    'const base = { kind: "b" }; const made = { ...base, type: "own" }; export const value = [made.type, made.kind];',
    "made.type",
    "kind",
  ],
  [
    "the other part of an intersection has the name",
    'interface A { id: number } interface K { key: string } type B = A & K; const k: K = { key: "k" }; const a: A = { id: 1 }; const b: B = Object.assign({}, k, a); export const value = b.key;',
    "K.key",
    "id",
  ],
  [
    "nothing has the name",
    'class A { go() { return "a" } } class B extends A { run() { return "b" } } export const value = new B().go();',
    "A.go",
    "walk",
  ],
  [
    "an unrelated catch variable has the name",
    "const err = 1; function f() { try { throw 1 } catch (e) { return e } } export const value = [f(), err];",
    "err",
    "e",
  ],
];

describe("after rename_symbol the program says what it said before", () => {
  it.each(RUNS)("or the rename is refused, where %s", async (_title, given, symbol, newName) => {
    const files = typeof given === "string" ? { "main.ts": given } : given;
    for (const [name, text] of Object.entries(files)) fixture.write(`src/${name}`, `${text}\n`);
    const [file, path = file] = symbol.includes("#") ? symbol.split("#") : ["main.ts", symbol];
    const address = path?.startsWith(":") === true ? `src/${file}${path}` : `src/${file}#${path}`;
    const before = await valueOf(Object.keys(files));
    const answer = await fixture.ask(createRenameSymbol(fixture.ports), { symbol: address, new_name: newName });
    const isRefused = /NOT PROPOSED: renaming .* collides/.test(answer);
    expect(isRefused ? before : await valueOf(Object.keys(files)), answer).toEqual(before);
    // Where nothing collides, the rename is made; a refusal of everything would change nothing, too.
    expect(isRefused, answer).toBe(!_title.startsWith("nothing") && !_title.startsWith("an unrelated"));
  });
});
