/** Whatever is accepted of a proposal: its patch makes of the files, by `git apply`, what the editor makes of them. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { gitPatch, type PatchedFile } from "../../server/src/proposals/after/git-patch.ts";
import { applyChanges, changesBetween } from "../../server/src/proposals/texts/hunks.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "agentq-patch-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What stands in the folder after `git apply`, by path; git finds no repository there and needs none. */
function applied(files: readonly PatchedFile[]): Record<string, string | null> {
  rmSync(folder, { recursive: true, force: true });
  for (const { path, base } of files) {
    if (base === null) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), base);
  }
  mkdirSync(folder, { recursive: true });
  const patch = gitPatch(files);
  if (patch !== "") {
    const options = { cwd: folder, input: patch, env: { ...process.env, GIT_CEILING_DIRECTORIES: dirname(folder) } };
    execFileSync("git", ["-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "-"], options);
  }
  const names = files.flatMap(({ path, movedTo }) => (movedTo === undefined ? [path] : [path, movedTo]));
  const read = (name: string): string | null =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : null;
  return Object.fromEntries(names.map((name) => [name, read(name)]));
}

function expected(files: readonly PatchedFile[]): Record<string, string | null> {
  const found: Record<string, string | null> = {};
  for (const { path, target, movedTo } of files) {
    if (movedTo === undefined) found[path] = target;
    else Object.assign(found, { [path]: null, [movedTo]: target });
  }
  return found;
}

const line = fc.tuple(
  fc.constantFrom("a", "b", "", "}", "déjà vu 😀", "\t", "\\ No newline at end of file", "-- a", "++ b", "@@ -1 +1 @@"),
  fc.constantFrom("\n", "\n", "\n", "\r\n"),
);
const text = fc
  .tuple(fc.array(line, { maxLength: 20 }), fc.constantFrom("", "", "x", "\uFEFF"))
  .map(([lines, last]) => lines.flat().join("") + last);
const accepted = fc.array(fc.boolean(), { minLength: 20, maxLength: 20 });

it("makes of a text what the accepted hunks make of it, for any subset of them", () => {
  fc.assert(
    fc.property(text, text, accepted, (base, target, isAccepted) => {
      const kept = changesBetween(base, target).filter((_change, index) => isAccepted[index % isAccepted.length]);
      const files = [{ path: "src/a.ts", base, target: applyChanges(base, kept) }];
      expect(applied(files)).toEqual(expected(files));
    }),
  );
});

it("creates, deletes and moves files of any name", () => {
  const name = fc.constantFrom("a.ts", "with space.ts", 'q"uote.ts', "ümläut/ß.ts", "tab\there.ts", "deep/er/b.ts");
  const file = fc.record({ path: name, base: fc.option(text), target: fc.option(text), isMoved: fc.boolean() });
  fc.assert(
    fc.property(fc.uniqueArray(file, { selector: ({ path }) => path, maxLength: 4 }), (made) => {
      const files = made
        .filter(({ base, target }) => base !== null || target !== null)
        .map(({ path, base, target, isMoved }) => {
          const canMove = isMoved && base !== null && target !== null;
          return { path, base, target, ...(canMove ? { movedTo: `moved/${path}` } : {}) };
        });
      expect(applied(files)).toEqual(expected(files));
    }),
  );
});

it("replaces a text that is too large to be compared in time", () => {
  const made = (seed: number): string =>
    Array.from({ length: 40_000 }, (_, index) => `${(index * seed) % 7_919} ${seed}\n`).join("");
  const files = [{ path: "large.ts", base: made(3), target: `${made(5)}end` }];
  expect(applied(files)).toEqual(expected(files));
});
