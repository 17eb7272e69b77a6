/** Imports of every form, modules that change, and what a form knows of where it is. */
import type { CaseGroup } from "../case.ts";

const NOT_NODE = "a module system of its own";
const COMMONJS = "its forms are CommonJS";

export const modules: CaseGroup = {
  title: "Modules",
  cases: [
    {
      name: "named and default imports",
      source: "nodejs/node#48084",
      files: { "lib/one.mjs": "export default 'def';\nexport const named = 1;\nexport { named as other };\n" },
      steps: [
        { form: "import def, { named, other as renamed } from './lib/one.mjs'" },
        { form: "def + named + renamed", value: "'def11'" },
      ],
    },
    {
      name: "an import of everything",
      source: "denoland/deno#1538",
      files: { "lib/all.mjs": "export const x = 1, y = 2;\n" },
      steps: [{ form: "import * as all from './lib/all.mjs'" }, { form: "all.x + all.y", value: "3" }],
    },
    {
      name: "an import of a built-in module",
      source: "privatenumber/tsx#471",
      steps: [{ form: "import { basename } from 'node:path'" }, { form: "basename('/a/b.txt')", value: "'b.txt'" }],
    },
    {
      name: "an import and its use in one form",
      source: "nodejs/node#34750",
      steps: [{ form: "import { posix } from 'node:path'; posix.join('a', 'b')", value: "'a/b'" }],
    },
    {
      name: "the same import twice",
      source: "denoland/deno#11086",
      steps: [
        { form: "import { sep } from 'node:path'" },
        { form: "import { sep } from 'node:path'" },
        { form: "sep.length", value: "1" },
      ],
    },
    {
      name: "an imported name can be declared as something else",
      source: "denoland/deno#11086",
      steps: [
        { form: "import { join } from 'node:path'" },
        { form: "const join = 'mine'" },
        { form: "join", value: "'mine'" },
      ],
    },
    {
      name: "a type-only import leaves nothing behind, and no error",
      source: "predetermined/aqua#20",
      typescript: true,
      files: { "lib/types.ts": "export interface Shape { sides: number }\nexport const made = 'made';\n" },
      steps: [
        { form: "import type { Shape } from './lib/types.ts'" },
        { form: "import { type Shape as S, made } from './lib/types.ts'" },
        { form: "const s: S = { sides: 3 }; s.sides + made", value: "'3made'" },
      ],
    },
    {
      name: "a TypeScript module of the project",
      source: "yunabe/tslab#51",
      typescript: true,
      files: { "lib/shop.ts": "enum Size { S, L }\nexport const biggest = (): string => Size[Size.L]!;\n" },
      steps: [{ form: "import { biggest } from './lib/shop.ts'" }, { form: "biggest()", value: "'L'" }],
    },
    {
      name: "a specifier that ends in .js finds the .ts file",
      source: "yunabe/tslab#48",
      typescript: true,
      files: {
        "lib/inner.ts": "export const inner = 'ts';\n",
        "lib/outer.ts": "export { inner } from './inner.js';\n",
      },
      steps: [{ form: "import { inner } from './lib/outer.ts'" }, { form: "inner", value: "'ts'" }],
    },
    {
      name: "a JSON file",
      source: "yunabe/tslab#43",
      files: { "lib/data.json": '{ "answer": 42 }\n' },
      steps: [
        { form: "import data from './lib/data.json' with { type: 'json' }" },
        { form: "data.answer", value: "42" },
      ],
    },
    {
      name: "a CommonJS module, by default and by name",
      source: "nodejs/node#33369",
      files: { "lib/old.cjs": "exports.first = 1;\nexports.second = () => 2;\n" },
      steps: [{ form: "import old, { second } from './lib/old.cjs'" }, { form: "old.first + second()", value: "3" }],
    },
    {
      name: "a dynamic import",
      source: "TypeStrong/ts-node#2005",
      files: { "lib/dyn.mjs": "await null;\nexport default { dynamic: true };\n" },
      steps: [
        { form: "const dyn = await import('./lib/dyn.mjs')" },
        { form: "dyn.default", value: "{ dynamic: true }" },
      ],
    },
    {
      name: "`require` of a file of the project",
      source: "nodejs/node#33369",
      files: { "lib/req.cjs": "module.exports = { required: __filename.endsWith('req.cjs') };\n" },
      steps: [{ form: "require('./lib/req.cjs')", value: "{ required: true }" }],
      without: { "deno repl": NOT_NODE },
    },
    {
      name: "an import after the file was edited gives the new code",
      source: "nodejs/node#50618",
      files: { "lib/edited.mjs": "export const version = 'old';\n" },
      steps: [
        { form: "import { version } from './lib/edited.mjs'" },
        { form: "version", value: "'old'" },
        { write: "lib/edited.mjs", text: "export const version = 'new';\n" },
        { form: "import { version } from './lib/edited.mjs'" },
        { form: "version", value: "'new'" },
      ],
    },
    {
      name: "an import after an edit deeper down gives the new code",
      source: "nodejs/modules#307",
      files: {
        "lib/deep.mjs": "export const depth = 'old';\n",
        "lib/top.mjs": "import { depth } from './deep.mjs';\nexport const seen = () => depth;\n",
      },
      steps: [
        { form: "import { seen } from './lib/top.mjs'" },
        { form: "seen()", value: "'old'" },
        { write: "lib/deep.mjs", text: "export const depth = 'new';\n" },
        { form: "import { seen } from './lib/top.mjs'" },
        { form: "seen()", value: "'new'" },
      ],
    },
    {
      name: "a module that failed is loaded again after it was mended",
      source: "nodejs/modules#459",
      files: { "lib/bad.mjs": "throw new RangeError('while loading');\n" },
      steps: [
        { form: "await import('./lib/bad.mjs')", error: "RangeError" },
        { write: "lib/bad.mjs", text: "export const fine = 'fine';\n" },
        { form: "(await import('./lib/bad.mjs')).fine", value: "'fine'" },
      ],
    },
    {
      name: "modules that import each other",
      source: "oven-sh/bun#30259",
      files: {
        "lib/a.mjs": "import { b } from './b.mjs';\nexport const a = () => 'a' + b();\nexport const end = '!';\n",
        "lib/b.mjs": "import { end } from './a.mjs';\nawait 0;\nexport const b = () => 'b' + end;\n",
      },
      steps: [{ form: "import { a } from './lib/a.mjs'" }, { form: "a()", value: "'ab!'" }],
    },
    {
      name: "a missing module is told by its name and the next form runs",
      source: "yunabe/tslab#21",
      steps: [
        { form: "import nothing from './lib/not-there.mjs'", error: "not-there" },
        { form: "await import('no-such-package')", error: "no-such-package" },
        { form: "1", value: "1" },
      ],
    },
    {
      name: "an export of a form declares its name",
      source: "denoland/deno#11086",
      steps: [{ form: "export const shown = 11" }, { form: "shown", value: "11" }],
    },
    {
      name: "an error of a TypeScript module names its own line",
      source: "denoland/deno#1158",
      typescript: true,
      files: {
        "lib/fails.ts":
          "interface Gone {\n  away: true;\n}\nenum E {\n  A,\n}\nexport function fails(_: Gone): never {\n  throw new RangeError(`line eight ${E.A}`);\n}\n",
      },
      steps: [
        { form: "import { fails } from './lib/fails.ts'" },
        { form: "fails({ away: true })", error: "RangeError", shows: ["fails.ts:8:"] },
      ],
    },
    {
      name: "`import.meta.url` is a place in the project",
      source: "nodejs/node#33369",
      steps: [{ form: "import.meta.url.startsWith('file:')", value: "true" }],
      without: { "node -i": COMMONJS, "ts-node": COMMONJS, tsx: COMMONJS, tslab: COMMONJS },
    },
    {
      name: "`this` at the top is the global object",
      source: "TypeStrong/ts-node#1610",
      steps: [{ form: "this === globalThis", value: "true" }],
      without: { tslab: COMMONJS },
    },
    {
      name: "a module whose text is its address",
      source: "nodejs/node#19570",
      steps: [{ form: "(await import('data:text/javascript,export default 41')).default + 1", value: "42" }],
    },
  ],
};
