/** The modules that TypeScript itself is asked about. */

export interface Judged {
  readonly title: string;
  readonly options?: Readonly<Record<string, unknown>>;
  /** The text of `main`, which exports `answer`, or the texts of all files by their names without an end. */
  readonly files: string | Readonly<Record<string, string>>;
  /** By default both. */
  readonly formats?: readonly ("module" | "commonjs")[];
  /** Why the REPL does something else, and means to. */
  readonly differs?: string;
}

type OneFile = readonly [title: string, text: string];

const FIELDS: readonly OneFile[] = [
  [
    "a field that the constructor of the base sets",
    "class Base { constructor() { this.setup() } setup() {} } class Panel extends Base { width: number; setup() { this.width = 7 } } export const answer = new Panel().width ?? 'lost'",
  ],
  [
    "fields behind accessors of the prototype",
    "const log: unknown[] = []; class A { set v(x: any) { log.push(x) } static set w(x: any) { log.push(x) } } class B extends A { v = 3; static w = 4 } new B(); export const answer = log",
  ],
  [
    "the keys of fields with and without a value",
    "const K = { A: 'alpha', B: 'beta' } as const; class R { [K.A] = 1; [K.B]?: number; lit = 3; plain; 't1' = 4; 't2'; 7 = 7; declare d: 1 } export const answer = Object.keys(new R())",
  ],
  [
    "the order of computed keys",
    "let n = 0; const k = () => 'k' + n++; class R { [k()] = 1; [k()]; static [k()] = 5; m() {} [k()]() {} } export const answer = [n, Object.keys(new R()), Object.keys(R), Object.getOwnPropertyNames(R.prototype)]",
  ],
  [
    "static fields",
    "class A { static x = this.name; static y = () => this.x; static z = A.x + '!' } export const answer = [A.x, A.y(), A.z]",
  ],
  [
    "private fields among public ones",
    "class A { a = 1; #b = this.a + 1; c = this.#b + 1; #e; get b() { return [this.#b, #e in this] } } const a = new A(); export const answer = [a, a.b]",
  ],
  [
    "fields of subclasses of built-in classes",
    "class E extends Error { code: string; name = 'E'; constructor(m: string) { super(m); this.code = 'x' } } export const answer = [Object.keys(new E('m')), String(new E('m'))]",
  ],
  [
    "fields of class expressions, in functions and namespaces",
    "const f = () => class { x; y = 2; [f.name] = 1 }; namespace N { export class A { x; y = 2 } } export const answer = [f(), N.A].map((C) => Object.keys(new (C as any)()))",
  ],
  [
    "abstract, optional, definite and overriding fields",
    "abstract class A { abstract x: number; y!: string; z?: number; w = 0 } class B extends A { x = 1; override w = 2 } export const answer = Object.entries(new B())",
  ],
  [
    "a computed key for each turn of a loop",
    "export const answer: unknown[] = []; for (const k of ['a', 'b']) { class A { [k] = 1; [k + 1]; } answer.push(Object.keys(new A())) }",
  ],
];

const WITH_PARAMETERS: readonly OneFile[] = [
  [
    "fields that read parameter properties",
    "class A { z = this.x + 1; constructor(public x = 1, readonly y = 2) {} #p = this.x; get p() { return this.#p } } const a = new A(5); export const answer = [a, a.p]",
  ],
];

const LEGACY: readonly OneFile[] = [
  [
    "decorated fields without a value",
    "const log: unknown[] = []; const d = (t: object, k: string): void => void log.push(k); class A { @d id: number; @d private other; @d ['com' + 'puted'] = 1 } export const answer = [log, Object.keys(new A())]",
  ],
  [
    "decorated classes, parameters and methods",
    "const log: unknown[] = []; const d = (...all: any[]): any => void log.push(all.slice(1).map((x) => x?.value ? 'method' : x)); @d class A { x; y = 1; constructor(@d private z = 2) {} @d m(@d p: number) {} @d get g() { return 1 } } export const answer = [log, Object.keys(new A())]",
  ],
];

/** What becomes of each write, and of what only looks like one. */
const WRITES = [
  "one++",
  "--one",
  "one = 2",
  "one += 1",
  "[one] = [3]",
  "({ one } = { one: 4 })",
  "({ one = 4 } = {} as any)",
  "({ x: one = 5 } = {} as any)",
  "{ for (one of [6]); }",
  "{ for (one in { k: 1 }); }",
  "{ for ([one] of [[6]]); }",
  "one ||= 7",
  "one &&= 8",
  "nothing ??= 9",
  "nothing ||= one + 1",
  "inner = 2",
  "deep++",
  "list = []",
  "[...list] = [1]",
  "one = one = 3",
  "{ let one = 1; one++; return one; }",
  "((one: number) => ++one)(1)",
  "{ const own = { one: 1 }; own.one = 2; own.one++; return own.one; }",
  "{ class Own { one = 1; static one = 2 } return [new Own().one++, Own.one++]; }",
  "list.push(2)",
  "free++",
  "(free = one === 1 ? 5 : 6)",
].map((write) => `() => ${write.startsWith("{") || write.startsWith("(") ? write : `(${write})`}`);

const CONSTANTS: readonly OneFile[] = [
  [
    "writes to constants",
    `const one: any = 1, list: any = [1], { a: inner, b: [deep] }: any = { a: 1, b: [2] };
const nothing: any = undefined;
let free = 1;
const tried = (write: () => unknown): string => { try { return 'wrote ' + String(write()) } catch (e) { return String(e) } };
export const answer = [${WRITES.join(", ")}].map(tried).concat(String([one, list, inner, deep, nothing, free]))`,
  ],
  [
    "a class that is a constant",
    "const C = class { static n = 1 }; export const answer = (() => { try { (C as any) = 2 } catch (e) { return String(e) } C.n = 3; return C.n })()",
  ],
];

const ENUMS: readonly OneFile[] = [
  [
    "enums with the texts of constants",
    "const s = 'w'; namespace N { export const foo = 'f' } enum E { A = 'a', B = `${s}x`, C = s, D = N.foo, F = s + 'q', G = 1, H = G, I = A } export const answer = E",
  ],
  [
    "enums with the numbers of constants and of calls",
    "const n = 5; const f = () => 3; enum E { A = n, B, C = n << 1, D, 'x-y' = f(), Z = 'abc'.length } export const answer = E",
  ],
  [
    "enums in functions, of functions and across pieces",
    "function g() { const s = 'q'; enum E { A = s, B = ((x: number) => { return x })(4) } return E } export enum M { A = 1 } export enum M { B = 's', C = A, D = 1 + 4 } export const answer = [g(), M]",
  ],
  [
    "enums that have the name of a value",
    "const s = 'w'; enum E { w = 1, C = s } export const answer = Object.entries(E)",
  ],
  [
    "const enums and members by their texts",
    "const enum A { X = 'x', Y = X, 'z-z' = 3 } enum B { Q = A.X, R = A['z-z'], S = -1, T, N = NaN } export const answer = [A.X, A['z-z'], B]",
  ],
  [
    "an enum inside of a namespace in pieces",
    "namespace N { export const base = 4 } namespace N { export enum E { A = base, B } } export const answer = N",
  ],
];

const SEVERAL_FILES: readonly Judged[] = [
  {
    title: "an enum that goes on from an imported value",
    files: {
      base: "export enum Step { Open, Shut = 4 } export const text = 'w'; export const five = 5",
      main: "import { Step, five } from './base.js'; export enum Later { First = Step.Shut, Second, Third = five, Fourth, Fifth = Step['Open'] | 8, Sixth } export const answer = Later",
    },
  },
  {
    title: "an enum of a cycle, asked for before it is there",
    files: {
      other:
        "import { E, N } from './main.js'; export const seen = typeof E + typeof N; export const later = () => E.A",
      main: "import { seen, later } from './other.js'; export enum E { A = 1 } export namespace N { export const x = 1 } export const answer = [seen, later()]",
    },
  },
  {
    title: "a class that is exported as the module before it stands there",
    formats: ["commonjs"],
    files: {
      whole: "export = Whole;\nclass Whole { kind = 'whole' }\n",
      main: "import Whole = require('./whole'); export const answer = new Whole().kind",
    },
  },
  {
    title: "import = require in a module of ES",
    formats: ["module"],
    options: { module: "nodenext" },
    files:
      "import path = require('node:path'); export import fs = require('node:fs'); export const answer = [path.join('a', 'b'), typeof fs.existsSync]",
  },
  {
    title: "namespaces that are exported as the module",
    formats: ["commonjs"],
    files: {
      whole: "export = f;\nfunction f() { return f.x }\nnamespace f { export let x = 1 }\nnamespace f { x = 3 }\n",
      main: "import f = require('./whole'); import { x } from './whole'; export const answer = [f(), x]",
    },
  },
];

const forTargets = (rows: readonly OneFile[], more: Readonly<Record<string, unknown>>): readonly Judged[] =>
  rows.map(([title, files]) => ({
    title: [title, ...Object.entries(more).map((each) => each.join(" "))].join(", "),
    files,
    options: more,
  }));

export const JUDGED: readonly Judged[] = [
  ...["es2015", "ES2020", "es2021"].flatMap((target) => forTargets([...FIELDS, ...WITH_PARAMETERS], { target })),
  ...["es2022", "esnext"].flatMap((target) => forTargets([...FIELDS, ...WITH_PARAMETERS], { target })),
  ...forTargets([...FIELDS, ...WITH_PARAMETERS], { target: "esnext", useDefineForClassFields: false }),
  ...forTargets([...FIELDS], { target: "es2020", useDefineForClassFields: true }),
  ...["es2021", "esnext"].flatMap((target) => forTargets(LEGACY, { target, experimentalDecorators: true })),
  ...forTargets([...FIELDS, ...WITH_PARAMETERS], {}),
  {
    title: "decorated static members",
    options: { experimentalDecorators: true },
    files:
      "const log: unknown[] = []; const d = (t: object, k: string): void => void log.push(k); class A { @d static s: string; @d id: number } export const answer = log",
    differs: "swc runs decorators in the order of the members, TypeScript those of static members last",
  },
  ...forTargets(ENUMS, {}),
  ...["es2020", "esnext"].flatMap((target) => forTargets(CONSTANTS, { target })),
  {
    title: "writes to an exported constant",
    formats: ["module"],
    files:
      "export const limit: any = 3; export let answer: unknown; try { limit++; answer = limit } catch (error) { answer = String(error) }",
  },
  ...SEVERAL_FILES,
];
