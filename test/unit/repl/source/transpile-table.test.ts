import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isProblem, transpile } from "../../../../server/src/repl/source/transpile.ts";
import { describeEachNode } from "../../../support/node-versions.ts";
import { startOn, type TestImage } from "../with-image.ts";

/** What a form with it answers; each runs as a form and as a module of the project. */
const features: readonly (readonly [string, string, string, string])[] = [
  ["enum", "enum A1 { Zero, Two = 2, Three }", "[A1.Zero, A1.Three, A1[2]]", '[0, 3, "Two"]'],
  ["an enum of strings", "enum A2 { Up = 'up', Also = Up }", "[A2.Up, A2.Also]", '["up", "up"]'],
  [
    "an enum with computed members",
    "enum A3 { A = 1 << 3, B = 'abc'.length, C = A | B }",
    "[A3.A, A3.B, A3.C]",
    "[8, 3, 11]",
  ],
  ["an enum in two pieces", "enum A4 { A = 1 } enum A4 { B = 2 }", "[A4.A, A4.B, A4[2]]", '[1, 2, "B"]'],
  ["const enum", "const enum A5 { A = 4, B }", "[A5.A, A5.B]", "[4, 5]"],
  [
    "declare",
    "declare const absent: number; declare function nothing(): void; declare class None {}",
    "typeof absent",
    '"undefined"',
  ],
  [
    "namespace",
    "namespace B1 { const hidden = 2; export const shown = hidden * 2; export function f() { return shown } }",
    "[B1.shown, B1.f()]",
    "[4, 4]",
  ],
  [
    "a namespace in namespaces",
    "namespace B2.Inner { export const deep = 1 } namespace B2 { export const more = Inner.deep + 1 }",
    "[B2.Inner.deep, B2.more]",
    "[1, 2]",
  ],
  [
    "an exported let of a namespace",
    "namespace B3 { export let count = 1; export function up() { count += 1 } }",
    "(B3.up(), B3.count)",
    "2",
  ],
  [
    "a namespace that joins a function",
    "function B4() { return B4.note } namespace B4 { export const note = 'joined' }",
    "B4()",
    '"joined"',
  ],
  [
    "a namespace that joins a class",
    "class B5 { static own = 1 } namespace B5 { export const more = 2 }",
    "[B5.own, B5.more]",
    "[1, 2]",
  ],
  [
    "parameter properties",
    "class C1 { constructor(readonly a: number, private b = 2, protected c?: string) {} sum() { return this.a + this.b } }",
    "[new C1(1).sum(), Object.keys(new C1(1)).join()]",
    '[3, "a,b,c"]',
  ],
  [
    "parameter properties of a subclass",
    "class C2 { constructor(public base: string) {} } class C3 extends C2 { extra = this.own + '!'; constructor(public own: string) { super(own) } }",
    "[new C3('x').base, new C3('x').own]",
    '["x", "x"]',
  ],
  [
    "abstract classes and override",
    "abstract class C4 { abstract name(): string; hello() { return 'hi ' + this.name() } } class C5 extends C4 { override name() { return 'c5' } }",
    "new C5().hello()",
    '"hi c5"',
  ],
  [
    "an index signature and declared fields",
    "class C6 { [key: string]: unknown; declare typed: number; x = 1 }",
    "Object.keys(new C6()).join()",
    '"x"',
  ],
  [
    "private names and statics",
    "class C7 { static #made = 0; #id = ++C7.#made; get id() { return this.#id } static { C7.#made = 10 } }",
    "new C7().id",
    "11",
  ],
  [
    "a standard decorator",
    "function twice(f: any, _c: ClassMethodDecoratorContext) { return function (this: any, ...a: any[]) { return f.apply(this, a) * 2 } } class D1 { @twice get3() { return 3 } }",
    "new D1().get3()",
    "6",
  ],
  [
    "a standard decorator of a class and of a field",
    "function mark(c: any, x: ClassDecoratorContext) { c.marked = x.kind } function start(_: undefined, c: ClassFieldDecoratorContext) { return (v: number) => v + 10 } @mark class D2 { @start n = 1 }",
    "[(D2 as any).marked, new D2().n]",
    '["class", 11]',
  ],
  [
    "accessor",
    "class D3 { accessor n = 1; static accessor s = 2 }",
    "[new D3().n, D3.s, 'n' in D3.prototype]",
    "[1, 2, true]",
  ],
  [
    "a decorated accessor",
    "function shout(t: any, _c: ClassAccessorDecoratorContext) { return { get(this: any) { return t.get.call(this) + '!' } } } class D4 { @shout accessor w = 'hey' }",
    "new D4().w",
    '"hey!"',
  ],
  [
    "using",
    "const log1: string[] = []; { using a = { [Symbol.dispose]() { log1.push('a') } }; using b = { [Symbol.dispose]() { log1.push('b') } }; void a; void b; log1.push('body') }",
    "log1.join()",
    '"body,b,a"',
  ],
  [
    "await using",
    "const log2: string[] = []; { await using a = { async [Symbol.asyncDispose]() { log2.push('closed') } }; void a }",
    "log2.join()",
    '"closed"',
  ],
  [
    "satisfies, as, ! and const type parameters",
    "const table = { a: 1 } satisfies Record<string, number>; function first<const T>(x: readonly T[]): T { return x[0]! }",
    "[table.a as number, first([5])]",
    "[1, 5]",
  ],
  ["type assertions in angle brackets", "const angled = <number>(<unknown>5);", "angled", "5"],
  [
    "overloads and this parameters",
    "function over(a: string): string; function over(a: number): number; function over(this: void, a: any) { return a }",
    "over(3)",
    "3",
  ],
  [
    "generics, predicates, asserts",
    "function isText(x: unknown): x is string { return typeof x === 'string' } function must(x: unknown): asserts x { if (!x) throw x }",
    "(must(1), isText('a'))",
    "true",
  ],
  ["types that look like statements", "type T1 = number\n;[1, 2].forEach(() => {})\ntype T2 = T1", "'fine'", '"fine"'],
  ["optional chains and logical assignment", "let o1: { a?: { b: number } } = {}; o1.a ??= { b: 2 }", "o1?.a?.b", "2"],
  [
    "regular expressions with the v flag",
    "const vowels = /[\\p{L}--[a-c]]/v",
    "[vowels.test('d'), vowels.test('a')]",
    "[true, false]",
  ],
];

const MODULES: Readonly<Record<string, string>> = {
  "legacy/tsconfig.json":
    '{ // as projects have it\n "compilerOptions": { "experimentalDecorators": true, "emitDecoratorMetadata": true, "useDefineForClassFields": false, }, }',
  "legacy/service.ts":
    "(Reflect as any).metadata ??= (key: string, value: any) => (t: any, p: string) => { (seen as any)[key] = Array.isArray(value) ? value.map((v: any) => v.name) : value.name };\nexport const seen: Record<string, unknown> = {};\nconst log: string[] = [];\nexport { log };\nfunction note(target: object, key: string, d?: PropertyDescriptor): void { log.push(key + (d ? ' method' : ' field')) }\nexport class Service { @note field: string = 'x'; @note run(count: number, when: Date): boolean { return count > 0 } }\n",
  "cjs/package.json": '{ "type": "commonjs" }',
  "cjs/tsconfig.json": '{ "compilerOptions": { "module": "nodenext" } }',
  "cjs/lib.ts":
    "import { basename } from 'node:path';\nexport const here = basename(__filename);\nexport default class Lib { kind = typeof module }\nexport let live = 1;\nexport function change() { live = 2 }\n",
  "cjs/whole.ts": "class Whole { kind = 'whole' }\nexport = Whole;\n",
  "cjs/uses.ts":
    "import Whole = require('./whole');\nimport { live, change } from './lib';\nexport const kind = new Whole().kind;\nexport const both = () => { const was = live; change(); return [was, live]; };\n",
  "elide/types.ts": "export interface OnlyType { a: number }\nexport type Also = string;\nexport const value = 1;\n",
  "elide/effect.ts": "(globalThis as any).elided = 'ran';\nexport interface Quiet { a: number }\n",
  "elide/uses.ts":
    "import { OnlyType, Also, value } from './types.ts';\nimport { Quiet } from './effect.ts';\nimport type { Also as Again } from './types.ts';\nexport type { OnlyType };\nexport { value };\nexport const typed: OnlyType & { also?: Also; again?: Again; quiet?: Quiet } = { a: value };\n",
};

describeEachNode([22, 24, 26], (node) => {
  let t: TestImage;
  beforeAll(() => {
    t = startOn(node);
    for (const [path, text] of Object.entries(MODULES)) t.write(path, text);
  });
  afterAll(() => t.dispose());

  it.for(features)("runs %s in a form and in a module", async ([feature, declarations, expression, answer]) => {
    expect(await t.value(`${declarations}\n;${expression}`)).toBe(answer);
    const file = `src/feature-${feature.replaceAll(/\W+/g, "-")}.ts`;
    t.write(file, `${declarations}\nexport const answer: unknown = ${expression};\n`);
    expect(await t.value(`(await import('./${file}')).answer`)).toBe(answer);
  });

  it("compiles legacy decorators with their metadata where the tsconfig asks for them", async () => {
    expect(await t.value("import { log, seen, Service } from './legacy/service.ts'; new Service(); log.join()")).toBe(
      '"field field,run method"',
    );
    expect(await t.value("[seen['design:type'], seen['design:paramtypes'], seen['design:returntype']]")).toBe(
      '["Function", ["Number", "Date"], "Boolean"]',
    );
  });

  it("keeps what CommonJS means for a package that is CommonJS", async () => {
    expect(await t.value("import Lib, { here } from './cjs/lib.ts'; [here, new Lib().kind]")).toBe(
      '["lib.ts", "object"]',
    );
    expect(await t.value("import { kind, both } from './cjs/uses.ts'; [kind, both()]")).toBe('["whole", [1, 2]]');
    expect(await t.value("import Whole = require('./cjs/whole.ts'); new Whole().kind")).toBe('"whole"');
  });

  it("leaves out imports that are only types, with and without the word", async () => {
    expect(await t.value("import { typed, value } from './elide/uses.ts'; [typed, value]")).toBe("[{ a: 1 }, 1]");
    expect(await t.value("'elided' in globalThis")).toBe("false");
  });
});

describe("the choice of the transpiler", () => {
  const code = (text: string, more: Partial<Parameters<typeof transpile>[0]> = {}): string => {
    const result = transpile({ path: "a.ts", text, format: "module", emit: {}, ...more });
    if (isProblem(result)) throw new Error(result.message);
    return result.code;
  };

  it("leaves a standard decorator to no Node: none is left in the output", () => {
    expect(code("function d(...a: any[]) {}\n@d class A { @d accessor x = 1 }")).not.toMatch(/@d|accessor x/);
  });

  it("takes an `@` in comments and texts for what it is", () => {
    const text = "/** @param a the accessor */\nexport const mail = 'a@b'; // @todo\nexport const t = `@${mail}`;";
    expect(code(text)).toContain('export const mail = "a@b"');
  });

  it("follows useDefineForClassFields", () => {
    const text = "class A { x = 1; y?: number }";
    expect(code(text)).toContain("x = 1");
    expect(code(text, { emit: { useDefineForClassFields: false } })).toContain("this.x = 1");
  });

  it("names the place of a syntax error, also behind characters of two units", () => {
    const result = transpile({ path: "a.ts", text: "const a = '😀';\nconst b = ;", format: "module", emit: {} });
    expect(isProblem(result)).toBe(true);
  });
});
