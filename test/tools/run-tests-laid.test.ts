/** Tests of text that stands in no file: changed, new and absent files, for both runners. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
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
  describe.each(["node:test", "vitest"] as const)("with %s", (runner) => {
    const project = (): { root: string; level: Level } => ({
      level,
      root: projectOf({
        ...(runner === "vitest" ? {} : { "package.json": PLAIN }),
        "src/one.ts": "export const one = 1;\n",
        "test/one.test.ts": `${heads[runner]}import { one } from "../src/one.js";\ntest("is one", () => same(one, 1));\n`,
      }),
    });

    it("a file that is to be absent cannot be imported", async () => {
      const [outcome] = await outcomes(project(), ["test/one.test.ts"], { "src/one.ts": null });
      expect(outcome).toMatchObject({ state: "failed" });
      expect(outcome?.failures[0]?.message).toMatch(/Cannot find module .*one/);
    });

    it("a file that moves is found at its new place alone", async () => {
      const moved = { "src/one.ts": null, "src/deep/one.ts": "export const one = 1;\n" };
      const test = `${heads[runner]}import { one } from "../src/deep/one.js";\ntest("is one", () => same(one, 1));\n`;
      expect(told(await outcomes(project(), ["test/one.test.ts"], { ...moved, "test/one.test.ts": test }))).toEqual([
        "passed is one",
      ]);
    });

    it("a new test runs beside one of the disk, and imports a new file", async () => {
      const laid = {
        "src/two.ts": 'import { one } from "./one";\nexport const two = one + one;\n',
        "test/two.test.ts": `${heads[runner]}import { two } from "../src/two.js";\ntest("is two", () => same(two, 2));\n`,
      };
      const found = told(await outcomes(project(), ["test/one.test.ts", "test/two.test.ts"], laid));
      expect(found.toSorted()).toEqual(["passed is one", "passed is two"]);
    });
  }),
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
