/** Tests of text that stands in no file: changed, new and absent files, for both runners. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { runTests } from "../../server/src/repl/testing/run-tests.ts";
import { testFilesAmong } from "../../server/src/repl/testing/test-files.ts";
import type { TestOutcome } from "../../server/src/repl/testing/test-run.ts";
import { describeLevels, placeOfTests, type Level } from "../support/test-rooms.ts";
import { projectOf } from "./run-tests-project.ts";

const heads = {
  "node:test":
    'import { test } from "node:test";\nimport assert from "node:assert/strict";\nconst same = assert.equal;\n',
  vitest: 'import { expect, test } from "vitest";\nconst same = (a: unknown, b: unknown) => expect(a).toBe(b);\n',
};
const PLAIN = '{ "private": true, "type": "module" }';

async function outcomes(
  { root, level }: { readonly root: string; readonly level: Level },
  files: readonly string[],
  laid: Readonly<Record<string, string | null>>,
): Promise<TestOutcome[]> {
  const texts = new Map(Object.entries(laid).map(([name, text]) => [join(root, name), text]));
  const sources = { projectRoot: root, readSource: () => undefined, openTexts: () => ({}), log: () => undefined };
  const request = { files: files.map((name) => join(root, name)), texts, timeoutMs: 30_000 };
  const runs = await runTests(sources, placeOfTests(level, root), request, new AbortController().signal);
  if (typeof runs === "string") throw new Error(runs);
  return runs.flatMap((run) => [...run.outcomes]);
}

const told = (found: readonly TestOutcome[]): string[] =>
  found.map(({ titles, state, failures }) => [state, ...titles.slice(-1), failures[0]?.message ?? ""].join(" ").trim());

describeLevels("texts that are laid", (level) =>
  it.each(["node:test", "vitest"] as const)(
    "%s runs what is changed, moved, new and absent beside the disk",
    async (runner) => {
      const imports = (from: string, title: string): string =>
        `${heads[runner]}import { one } from "${from}";\ntest("${title}", () => same(one, 1));\n`;
      const root = projectOf({
        ...(runner === "vitest" ? {} : { "package.json": PLAIN }),
        "src/one.ts": "export const one = 1;\n",
        "src/kept.ts": "export const one = 1;\n",
        "test/absent.test.ts": imports("../src/one.js", "imports what is to be absent"),
        "test/disk.test.ts": imports("../src/kept.js", "stands on the disk"),
        "test/moved.test.ts": imports("../src/one.js", "imports from the old place"),
      });
      const laid = {
        "src/one.ts": null,
        "src/deep/one.ts": "export const one = 1;\n",
        "test/moved.test.ts": imports("../src/deep/one.js", "imports from the new place"),
        "src/two.ts": 'import { one } from "./kept";\nexport const two = one + one;\n',
        "test/new.test.ts": `${heads[runner]}import { two } from "../src/two.js";\ntest("is two", () => same(two, 2));\n`,
      };
      const files = ["absent", "disk", "moved", "new"].map((name) => `test/${name}.test.ts`);
      const found = await outcomes({ root, level }, files, laid);
      expect(told(found.filter(({ state }) => state !== "failed")).toSorted()).toEqual([
        "passed imports from the new place",
        "passed is two",
        "passed stands on the disk",
      ]);
      const failed = found.filter(({ state }) => state === "failed");
      expect(failed).toMatchObject([{ failures: [{ message: expect.stringMatching(/Cannot find module .*one/) }] }]);
      expect(failed[0]?.file).toContain("absent.test.ts");
    },
  ),
);

it("test files are told from those that only help tests, by their text as it is laid", async () => {
  const root = projectOf({ "package.json": PLAIN, "test/a.test.ts": "", "src/a.ts": "", "README.md": "" });
  const read = async (path: string): Promise<string | undefined> =>
    path.endsWith("a.test.ts") ? heads["node:test"] : path.endsWith("gone.test.ts") ? undefined : "export {};\n";
  const files = ["test/a.test.ts", "src/a.ts", "README.md", "test/gone.test.ts"].map((name) => join(root, name));
  expect(
    await testFilesAmong({ root, readText: read, whyNotWalled: undefined }, [...files, "/elsewhere/b.test.ts"]),
  ).toEqual([join(root, "test/a.test.ts")]);
});
