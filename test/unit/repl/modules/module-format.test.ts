/** Where no package.json says of which kind modules are, Node finds out by their text: the REPL finds the same. */
import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestImage, type TestImage } from "../with-image.ts";

const KIND = "globalThis.kinds[NAME] = typeof exports === 'undefined' ? 'module' : 'commonjs';";

/** Texts that Node runs as they are, as .js and as .ts. */
const TEXTS: readonly (readonly [string, string])[] = [
  ["nothing but statements", KIND],
  ["an export in a comment", `/*\nexport default 1\n*/ ${KIND} module.exports = 1`],
  ["an import in a template", `const text = \`\nimport x from 'y'\nexport {}\n\`; ${KIND} exports.text = text`],
  ["an import in a text that goes on", `const text = 'a\\\nimport x from \\'y\\''; ${KIND} require('node:fs')`],
  ["an export in a regular expression", `const found = /\nexport/.source; ${KIND}`.replace("/\n", "/")],
  ["an export behind a statement", `${KIND} const x = 1; export { x as default }`],
  ["an import behind a comment", `/* first */ import 'node:fs'; ${KIND}`],
  ["an import without a space", `import{readFileSync}from'node:fs'; void readFileSync; ${KIND}`],
  ["export star", `${KIND} export * from 'node:path'`],
  ["an empty export", `${KIND} export {}`],
  ["import()", `${KIND} void import('node:fs')`],
  ["import() at the margin", `${KIND}\nimport ('node:fs')`],
  ["import.meta", `${KIND} import.meta.url`],
  ["import.meta in a function", `${KIND} function f() { return import.meta.dirname }`],
  ["import.meta in a text", `${KIND} 'import.meta'`],
  ["an await at the top", `await null; ${KIND}`],
  ["an await in a block", `if (true) { await null } ${KIND}`],
  ["an await in a function", `async function f() { await null } ${KIND} void f`],
  ["for await", `for await (const x of []) void x; ${KIND}`],
  ["import.meta and an await", `await null; ${KIND} import.meta.url`],
  ["a require of its own", `const require = () => 1; ${KIND}`],
  ["a class with the name of what CommonJS has", `class module {} ${KIND}`],
  ["a variable with the name of what CommonJS has", `var require = () => 1; ${KIND}`],
  ["a property called export", `const o = { export: 1,\nimport: 2 }; ${KIND} o.export`],
  ["an export and what CommonJS has", `export const x = typeof require; ${KIND}`],
  ["a hashbang", `#!/usr/bin/env node\n${KIND} module.exports = 1`],
];
const TYPES: readonly (readonly [string, string])[] = [
  ["an import of a type alone", `import type { X } from './none'; ${KIND} module.exports = 1`],
  ["exports of types alone", `export type A = 1; export interface B {}; ${KIND} module.exports = 1`],
  ["a module that is declared", `declare module 'x' { export const a: 1 } ${KIND}`],
];
/** What Node itself does not run: TypeScript makes CommonJS of it, whatever `module` says. */
const COMPILED: readonly (readonly [string, string])[] = [
  ["import = require", `import fs = require('node:fs'); void fs.existsSync; ${KIND}`],
  ["export =", `class Whole {}\n${KIND}\nexport = Whole;`],
  [
    "import = require among imports",
    `import fs = require('node:fs'); import { join } from 'node:path'; export const x = [fs, join]; ${KIND}`,
  ],
];

const files = [
  ...TEXTS.flatMap(([title, text]) => ["js", "ts"].map((end) => ({ title, text, end }))),
  ...TYPES.map(([title, text]) => ({ title, text, end: "ts" })),
].map((each, index) => named(each, `file${index}`));
const compiled = COMPILED.map(([title, text], index) => named({ title, text, end: "ts" }, `compiled${index}`));

function named<Each extends { readonly text: string; readonly end: string }>(
  each: Each,
  name: string,
): Each & { readonly file: string } {
  return { ...each, text: each.text.replace("NAME", `"${name}.${each.end}"`), file: `${name}.${each.end}` };
}

const asker = `globalThis.kinds = {};
for (const file of ${JSON.stringify([...files, ...compiled].map(({ file }) => file))}) {
  try { await import("./plain/" + file) } catch (error) { kinds[file] = String(error) }
}
console.log(JSON.stringify(kinds));`;

describe("without a type in the package", () => {
  let t: TestImage;
  let inNode: Readonly<Record<string, string>>;
  let inImage: Readonly<Record<string, string>>;
  beforeAll(async () => {
    t = startTestImage();
    t.write("plain/package.json", "{}");
    t.write("plain/tsconfig.json", '{ "compilerOptions": { "module": "esnext" } }');
    for (const { file, text } of [...files, ...compiled]) t.write(`plain/${file}`, text);
    t.write("ask.mjs", asker);
    // Node warns of what the tests are about.
    const answered = execFileSync(process.execPath, ["--no-warnings", "ask.mjs"], { cwd: t.root, encoding: "utf8" });
    inNode = JSON.parse(answered) as typeof inNode;
    await t.value(asker);
    inImage = JSON.parse(t.outputs.map(({ text }) => text).join("")) as typeof inImage;
  });
  afterAll(() => t.dispose());

  it.for(files)("$end: $title", ({ file }) => {
    expect(inNode[file]).toMatch(/^(?:module|commonjs)$/);
    expect(inImage[file]).toBe(inNode[file]);
  });

  it.for(compiled)("ts: $title is CommonJS", ({ file }) => {
    expect(inImage[file]).toBe("commonjs");
  });
});
