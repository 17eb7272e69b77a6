/** What the comparison with TypeScript 6 found out and a small project shows as well. */
import { basename } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { findCallers } from "../../../server/src/typescript/xref/callers.ts";
import { classMembers } from "../../../server/src/typescript/shapes/class-members.ts";
import { findImplementations } from "../../../server/src/typescript/xref/hierarchy/implementations.ts";
import { findReferences } from "../../../server/src/typescript/xref/references/references.ts";
import { resolveSymbol } from "../../../server/src/typescript/names/resolve-symbol.ts";
import type { SymbolTarget } from "../../../server/src/typescript/names/tree/declaration.ts";
import { variableReferences } from "../../../server/src/typescript/xref/references/variable-references.ts";
import type { View } from "../../../server/src/typescript/view.ts";
import { openProject } from "./with-typescript.ts";

const project = openProject({
  "tsconfig.json": '{ "compilerOptions": { "strict": true, "target": "es2022", "types": [] } }',
  "shapes.ts": `export interface Source<T> { read(): T }
export class Reader<T> implements Source<T> {
  /** Documented. */
  constructor(readonly value: T) {}
  /** Reads what {@link Reader#value} holds. */
  read(): T { return this.value }
}
export class Sibling<T> implements Source<T> { constructor(readonly value: T) {} read(): T { return this.value } }
export type Options = { limits: { depth: number } } & { "no-color": boolean };
export interface Settings { cache: { size: number } }
export namespace Outer.Inner { export const answer = 42 }
export const Made: new (name: string) => Source<string> = class {
  constructor(private readonly name: string) {}
  read(): string { return this.name }
};
interface Service<T> { readonly key: T; readonly make: (value: T) => T }
declare function service<T>(): { new (): { readonly own: T } } & Service<T>;
declare function group(...of: readonly unknown[]): new () => { readonly many: number };
export function make(size: make.Size): make.Size { return size }
export namespace make { export type Size = number }
export type Parser = (text: string) => number;
export const Parser: Parser = (text) => text.length;
export class Clock extends service<Reader<number>>() {}
export class Group extends group(Reader, Sibling) {}
`,
  "uses.ts": `import { make, Outer, Parser, Reader, type Options, type Settings, type Source } from "./shapes";
export function viaInterface(source: Source<string>) { return source.read() }
export const made: make.Size = make(Parser("three"));
export function direct() { return new Reader(1).read() }
export const depth = (options: Options) => options.limits.depth;
export const size = (settings: Settings) => settings.cache.size + Outer.Inner.answer;
`,
  "quoted.ts": 'export const palette = { "deep-red": 1 };\nexport const red = palette["deep-red"];\n',
});
afterAll(() => project.dispose());

function about<Result>(address: string, ask: (view: View, target: SymbolTarget) => Promise<Result>): Promise<Result> {
  return project.service.query(async (view) => {
    const resolution = await resolveSymbol(view, address);
    if (resolution.kind !== "found") throw new Error(`${address} is ${resolution.kind}`);
    return ask(view, resolution.target);
  }, AbortSignal.timeout(30_000));
}

const callersOf = (address: string): Promise<string[]> =>
  about(address, async (view, target) => (await findCallers(view, target)).sites.map(({ caller }) => caller));

describe("addresses", () => {
  it("reach into type literals", async () => {
    const lines = ["Options.limits", "Options.limits.depth", 'Options."no-color"', "Settings.cache.size"].map(
      (address) => about(address, async (_view, target) => target.declarations[0].at),
    );
    expect((await Promise.all(lines)).map(({ line }) => line + 1)).toEqual([9, 9, 9, 10]);
  });

  it("ask about the last name of a dotted namespace", async () => {
    const places = await about("Outer.Inner", async (view, target) => findReferences(view, target.declarations[0]));
    expect(places.map(({ at }) => `${at.line + 1}:${at.character + 1}`)).toEqual(["11:24", "6:73"]);
  });
});

describe("callers", () => {
  it("of a generic interface's member include calls of the classes that implement it", async () => {
    expect(await callersOf("Source.read")).toEqual(["viaInterface", "direct"]);
  });

  it("of a generic class's member include calls through its interface and none of a sibling", async () => {
    expect(await callersOf("Reader.read")).toEqual(["viaInterface", "direct"]);
    expect(await callersOf("Sibling.read")).toEqual(["viaInterface"]);
  });
});

describe("callers of a name that is a type first", () => {
  it("are those of the value", async () => {
    expect(await callersOf("Parser")).toEqual(["made"]);
  });
});

describe("references", () => {
  it("of a name that is a function and a namespace are those of both", async () => {
    const found = await about("make", variableReferences);
    expect(found.map(({ file, at }) => `${basename(file)}:${at.line + 1}`)).toEqual([
      ...Array.from({ length: 3 }, () => "shapes.ts:19"),
      "shapes.ts:20",
      "uses.ts:1",
      "uses.ts:3",
      "uses.ts:3",
    ]);
  });

  it("of a quoted member of an object have its declaration among them", async () => {
    const places = await about('palette."deep-red"', async (view, target) =>
      findReferences(view, target.declarations[0]),
    );
    expect(places.map(({ at }) => `${at.line + 1}:${at.character + 1}`)).toEqual(["1:27", "2:29"]);
  });

  it("of a documented constructor stand at its keyword", async () => {
    const places = await about("Reader.constructor", async (view, target) =>
      findReferences(view, target.declarations[0]),
    );
    expect(places.map(({ at }) => `${at.line + 1}:${at.character + 1}`)).toEqual(["4:3", "4:39"]);
  });
});

describe("members", () => {
  it("survive a link to another member in the documentation", async () => {
    const members = await about("Reader", (view, target) => classMembers(view, target));
    expect(members?.own.find(({ name }) => name === "read")?.documentation).toBe(
      "Reads what {@link Reader#value} holds.",
    );
  });

  it("say which members a computed base gives to the class itself", async () => {
    const members = await about("Clock", (view, target) => classMembers(view, target));
    const all = [...(members?.own ?? []), ...(members?.inherited ?? []).flatMap((each) => each.members)];
    const isStatic = (name: string): boolean | undefined =>
      all.find((each) => each.name === name)?.modifiers.includes("static");
    expect({ own: isStatic("own"), make: isStatic("make") }).toEqual({ own: false, make: true });
  });
});

describe("implementations", () => {
  it("leave out a class that is only handed to the function that computes its base", async () => {
    const answer = await about("Reader", (view, target) => findImplementations(view, target));
    const declared = answer?.found.filter(({ how }) => how === "declared").map(({ path }) => path);
    expect(declared).toEqual([]);
  });
});
