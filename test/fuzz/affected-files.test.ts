/** No file has other errors than before without being named among the affected ones. */
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { affectedFiles, KnownModules, type TextPair } from "../../server/src/typescript/edits/check/affected-files.ts";
import { surroundingsOf } from "../../server/src/typescript/edits/check/edit-check.ts";
import { errorsOnlyIn, errorsWith, type TextsByFile } from "../../server/src/typescript/edits/check/file-errors.ts";
import { openProject } from "../unit/typescript/with-typescript.ts";
import { fuzz } from "../support/fuzz.ts";

/** Every way in which names go from one module to another, and types through what is written down and what is not. */
const FILES: Readonly<Record<string, string>> = {
  "tsconfig.json":
    '{ "compilerOptions": { "types": [], "strict": true, "module": "nodenext", "noEmit": true, "allowImportingTsExtensions": true, "paths": { "@base": ["./src/base.ts"] } }, "include": ["src"] }',
  "src/base.ts":
    "export interface Item {\n  readonly name: string;\n}\nexport const limit = 3;\nexport function make(name: string): Item {\n  const item = { name };\n  return item;\n}\nexport function guess(name: string) {\n  return { name, limit };\n}\nconst hidden = 1;\nexport default hidden;\n",
  "src/named.ts":
    'import { make, type Item } from "./base.ts";\n\nexport const first: Item = make("a");\nexport const second = make("b");\n',
  "src/guessed.ts":
    'import { guess } from "./base.ts";\n\nexport const found = guess("a");\nexport const size: number = found.limit;\n',
  "src/whole.ts":
    'import * as base from "./base.ts";\n\nexport const all = base;\nexport const three: number = base.limit;\n',
  "src/standard.ts": 'import one from "@base";\n\nexport const two = one + 1;\n',
  "src/passing.ts": 'export * from "./base.ts";\nexport { limit as most } from "./base.ts";\n',
  "src/renaming.ts": 'import { limit } from "./passing.ts";\n\nexport { limit as top };\n',
  "src/far.ts":
    'import { top } from "./renaming.ts";\nimport { most, guess } from "./passing.ts";\n\nexport const sum: number = top + most;\nexport const name: string = guess("a").name;\n',
  "src/through.ts":
    'import { found } from "./guessed.ts";\nimport { all } from "./whole.ts";\n\nexport const name: string = found.name;\nexport const made: string = all.make("c").name;\n',
  "src/late.ts": 'export async function late(): Promise<number> {\n  return (await import("./base.ts")).limit;\n}\n',
  "src/typed.ts": 'export type Base = typeof import("./base.ts");\nexport const most: Base["limit"] = 3;\n',
  "src/classes.ts":
    'import { guess } from "./base.ts";\n\nexport class Box {\n  readonly inside = guess("a");\n  take(): string {\n    return this.inside.name;\n  }\n}\n',
  "src/boxes.ts":
    'import { Box } from "./classes.ts";\n\nexport class Crate extends Box {\n  readonly label: string = this.inside.name;\n}\n',
  "src/alone.ts": "export const alone: string = 'a';\n",
};

const CHANGES: readonly (readonly [from: string, to: string])[] = [
  ["readonly name: string", "readonly title: string"],
  ["readonly name: string", "readonly name: number"],
  ["limit = 3", 'limit = "3"'],
  ["const limit", "const bound"],
  ["function make(", "function build("],
  ["(name: string): Item", "(name: number): Item"],
  ["return item;", "return { ...item };"],
  ["return { name, limit }", "return { title: name, limit }"],
  ["return { name, limit }", "return { name, limit: name }"],
  ["hidden = 1", "hidden = 'one'"],
  ["export default hidden;", ""],
  ['second = make("b")', "second = 2"],
  ["export *", "// export *"],
  ["limit as most", "make as most"],
  ["limit as top", "limit as tip"],
  ["inside = guess", "within = guess"],
  ["take(): string {", "take(): number {"],
  ['"./base.ts"', '"./named.ts"'],
  ["export const found", "export const lost"],
  ["most + 1", "most"],
  ["alone: string = 'a'", "alone = 1"],
  ["found = guess", "found: unknown = guess"],
  ["= base;", "= base.limit;"],
];

const project = openProject({ ...FILES });
afterAll(() => project.dispose());

const places = Object.keys(FILES).filter((path) => path.endsWith(".ts"));
const edits = fc.uniqueArray(
  fc.record({
    path: fc.constantFrom(...places),
    changes: fc.array(fc.constantFrom(...CHANGES), { minLength: 1, maxLength: 4 }),
  }),
  { selector: ({ path }) => path, minLength: 1, maxLength: 4 },
);

it("names every file whose errors change with the texts of others", async () => {
  const signal = new AbortController().signal;
  const fileOf = (path: string): string => `${project.root}/${path}`;
  const modules = new KnownModules();
  await fc.assert(
    fc.asyncProperty(edits, async (edited) => {
      const texts = new Map<string, TextPair>();
      for (const { path, changes } of edited) {
        const before = FILES[path] ?? "";
        const now = changes.reduce((text, [from, to]) => text.replaceAll(from, to), before);
        if (now !== before) texts.set(fileOf(path), { before, now });
      }
      fc.pre(texts.size > 0);
      const documents = [...texts].map(([file, { before, now }]) => ({ file, base: before, target: now }));
      const [found, affected] = await project.service.query(
        async (view) =>
          [await surroundingsOf(view, documents), await affectedFiles(view, texts, { modules, limit: 100 })] as const,
        signal,
      );
      if (found === undefined) throw new Error("nothing is checked");
      if (affected === undefined) return;
      const files = places.map(fileOf);
      const base: TextsByFile = new Map([...texts].map(([file, { before }]) => [file, before]));
      const proposed: TextsByFile = new Map([...texts].map(([file, { now }]) => [file, now]));
      const then = await errorsWith(found, { texts: base, files }, signal);
      const now = await errorsWith(found, { texts: proposed, files }, signal);
      const changed = [...errorsOnlyIn(now, then), ...errorsOnlyIn(then, now)].map(({ file }) => file);
      const missed = changed.filter((file) => !affected.sources.has(file));
      expect(missed).toEqual([]);
      // Nothing is gained when every file is named.
      const alone = fileOf("src/alone.ts");
      if (!texts.has(alone)) expect(affected.sources.has(alone)).toBe(false);
    }),
    fuzz(20),
  );
});
