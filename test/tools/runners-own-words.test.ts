/**
 * The judge of what `run_tests` says: the runner's own report for machines, over the same files of the same project. One
 * case of each runner is in `npm test`, every case in `npm run test:all`. Dear, because a case runs its runner twice.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, it } from "vitest";
import { programOf, installedPackage } from "../../server/src/repl/testing/manifest.ts";
import { runTests } from "../../server/src/repl/testing/run-tests.ts";
import type { TestOutcome } from "../../server/src/repl/testing/test-run.ts";
import { runsAll } from "../support/extent.ts";
import { installedRunners } from "../support/runners.ts";
import { placeOfTests } from "../support/test-rooms.ts";
import { describeWalled } from "../support/wall.ts";
import { projectOf } from "./run-tests-project.ts";

type Judge = "jest" | "mocha" | "node:test" | "vitest";

interface Case {
  readonly title: string;
  /** Runs in `npm test`, too. */
  readonly isFirst?: boolean;
  readonly judge: Judge;
  readonly version?: 4 | 5;
  readonly files: Readonly<Record<string, string>>;
  /** What `run_tests` is asked for; nothing for all. */
  readonly paths?: readonly string[];
  /** The words by which a person runs the same. */
  readonly words: readonly string[];
  /** Lines of the runner's report that stand for no test. */
  readonly besides?: readonly string[];
}

const LATE =
  "test('x', () => { setTimeout(() => { Promise.reject(new Error('nobody waits')) }, 10) });\n" +
  "test('waits', async () => { await new Promise((done) => setTimeout(done, 80)) });\n";
const JEST_KINDS =
  "jest.retryTimes(2); let tries = 0;\ntest('second try', () => { expect(++tries).toBe(2) });\n" +
  "test('never', () => { expect(1).toBe(2) });\ntest('same', () => {});\ntest('same', () => { throw new Error('b') });\n" +
  "test.skip('left out', () => {});\ntest.todo('to do');\ntest.failing('fails', () => { throw new Error('c') });\n" +
  "describe('in', () => { beforeAll(() => { throw new Error('d') }); test('one', () => {}); });\n";
const MOCHA_KINDS =
  "it('passes', () => {}); it('fails', () => { throw new Error('a') }); it.skip('left out', () => {}); it('to come');\n" +
  "describe('each', () => { beforeEach(() => { throw new Error('b') }); it('one', () => {}); it('two', () => {}); });\n" +
  "describe('after', () => { afterEach(() => { throw new Error('c') }); it('one', () => {}); it('two', () => {}); });\n" +
  "describe('retried', function () { this.retries(2); let tries = 0; it('second', () => { if (++tries < 2) throw new Error('d') }); });\n";
const NODE_KINDS =
  'import { test, describe, it } from "node:test";\ntest("passes", () => {});\n' +
  'describe.skip("left out", () => { it("in", () => {}); });\ndescribe("reason", { skip: "why" }, () => { it("in", () => {}); });\n' +
  'describe("empty", () => {});\ndescribe("outer", () => { describe.skip("inner", () => { it("x", () => {}) }); it("real", () => {}); });\n' +
  'describe("at once", { concurrency: 4 }, () => { describe("a", { concurrency: 3 }, () => { it("slow", async () => { await new Promise((done) => setTimeout(done, 40)) }); it("quick", () => {}); });\n' +
  '  describe("b", () => { it("slow", async () => { await new Promise((done) => setTimeout(done, 20)) }); it("fails", () => { throw new Error("e") }); }); });\n';
const VITEST_KINDS =
  'import { describe, expect, it } from "vitest";\nlet tries = 0;\nit("second try", { retry: 2 }, () => { expect(++tries).toBe(2) });\n' +
  'it("fails", () => { expect(1).toBe(2) });\nit.skip("left out", () => {});\nit.todo("to do");\nit.fails("turned", () => { expect(1).toBe(2) });\n' +
  'describe.skip("all", () => { it("in", () => {}) });\nit.each([1, 2])("of %i", () => {});\n';
const VITEST_FILES = { "vitest.config.mjs": "export default {};\n", "a.test.ts": VITEST_KINDS };
const WANTS_SETUP =
  'import { expect, it } from "vitest";\nit("has the setup", () => expect(globalThis.said).toBe("setup"));\n';
const SETUP = { "setup.ts": 'globalThis.said = "setup";\n' };
const manifest = (more: object): string => JSON.stringify({ private: true, ...more });
const passing = (title: string): string =>
  `import { test } from "node:test";\ntest(${JSON.stringify(title)}, () => {});\n`;
const failing = (title: string): string =>
  `import { test } from "node:test";\ntest(${JSON.stringify(title)}, () => { throw new Error("no") });\n`;

const withRoot = (files: Readonly<Record<string, string>>): Record<string, string> => ({
  ...SETUP,
  "package.json": manifest({ type: "module", workspaces: ["packages/*"], scripts: { test: "vitest run" } }),
  "vitest.config.mjs": 'export default { test: { setupFiles: ["./setup.ts"] } };\n',
  "packages/one/src/a.test.ts": WANTS_SETUP,
  ...files,
});
const byPath = {
  judge: "vitest",
  paths: ["packages/one/src/a.test.ts"],
  words: ["packages/one/src/a.test.ts"],
} as const;
const ofNode = (
  script: string,
  files: Readonly<Record<string, string>>,
  words: readonly string[],
): Omit<Case, "title"> => ({
  judge: "node:test",
  files: { "package.json": manifest({ type: "module", scripts: { test: script } }), ...files },
  words,
});

const CASES: readonly Case[] = [
  {
    title: "what fails after its end, is tried again or has its name twice",
    isFirst: true,
    judge: "jest",
    files: { "package.json": manifest({ scripts: { test: "jest" } }), "a.test.js": LATE, "b.test.js": JEST_KINDS },
    words: [],
  },
  {
    title: "a package without a configuration of its own, whose root has one",
    judge: "jest",
    files: {
      "package.json": manifest({ workspaces: ["packages/*"], scripts: { test: "jest" } }),
      "jest.config.js": 'module.exports = { setupFiles: ["./setup.js"] };\n',
      "setup.js": 'globalThis.said = "setup";\n',
      "packages/one/package.json": manifest({ scripts: { test: "jest" }, devDependencies: { jest: "*" } }),
      "packages/one/a.test.js": 'test("has the setup", () => expect(globalThis.said).toBe("setup"));\n',
    },
    paths: ["packages/one/a.test.js"],
    words: ["--runTestsByPath", "packages/one/a.test.js"],
  },
  {
    title: "a folder",
    judge: "jest",
    files: {
      "package.json": manifest({ scripts: { test: "jest" } }),
      "web+ui/a.test.js": "test('a', () => {});\n",
      "web+ui/deep/b.spec.js": "test('b', () => {});\n",
      "web+uis/c.test.js": "test('c', () => {});\n",
    },
    paths: ["web+ui"],
    words: ["--runTestsByPath", "web+ui/a.test.js", "web+ui/deep/b.spec.js"],
  },
  {
    title: "one file, where the configuration names others that say only, hang or cannot be loaded",
    isFirst: true,
    judge: "mocha",
    files: {
      "package.json": manifest({ scripts: { test: "mocha --spec 'test/*.js'" }, mocha: { spec: "test/*.more.js" } }),
      ".mocharc.json": '{ "spec": ["test/**/*.spec.js"], "timeout": 900 }',
      "test/a.spec.js": MOCHA_KINDS,
      "test/b.spec.js":
        "it.only('only', () => {}); setInterval(() => {}, 1000); before(() => { throw new Error('root') });\n",
      "test/c.spec.js": "throw new Error('while it is loaded');\n",
      "test/d.more.js": "throw new Error('while it is loaded');\n",
    },
    paths: ["test/a.spec.js"],
    words: ["--no-config", "--no-package", "--exit", "test/a.spec.js"],
  },
  {
    title: "a folder of a package whose root has the configuration",
    judge: "mocha",
    files: {
      "package.json": manifest({ workspaces: ["packages/*"], scripts: { test: "mocha" } }),
      ".mocharc.json": '{ "require": ["./setup.js"], "spec": "packages/*/test/*.js" }',
      "setup.js": 'globalThis.said = "setup";\n',
      "packages/one/package.json": manifest({ devDependencies: { mocha: "*" } }),
      "packages/one/test/a.js":
        "it('has the setup', () => { if (globalThis.said !== 'setup') throw new Error('no') });\n",
      "packages/two/test/b.js": "it('fails', () => { throw new Error('no') });\n",
    },
    paths: ["packages/one"],
    words: ["--no-config", "--require", "./setup.js", "packages/one/test/a.js"],
  },
  {
    title: "suites that are left out, empty or run at once",
    isFirst: true,
    ...ofNode("node --test", { "a.test.js": NODE_KINDS }, []),
    besides: ["passed a.test.js empty"],
  },
  {
    title: "the files that the script names",
    ...ofNode(
      "node --test src/a.test.js checks/all.js && NODE_ENV=x node --test --test-reporter spec 'deep/**/*.check.js'",
      {
        "src/a.test.js": passing("a"),
        "src/b.test.js": failing("left out"),
        "checks/all.js": failing("fails"),
        "deep/one/two/c.check.js": passing("c"),
      },
      ["src/a.test.js", "checks/all.js", "deep/**/*.check.js"],
    ),
  },
  {
    title: "the files of scripts that the script runs",
    ...ofNode(
      "npm run test:unit && npm run test:more",
      {
        "package.json": manifest({
          type: "module",
          scripts: {
            test: "npm run test:unit && npm run -s test:more",
            "test:unit": "node --test unit/*.js",
            "test:more": "node --test more/**/*.js",
          },
        }),
        "unit/a.js": passing("a"),
        "unit/deep/b.js": failing("left out"),
        "more/x/c.js": passing("c"),
        "more/x/y/d.js": failing("left out by the shell"),
      },
      ["unit/a.js", "more/x/c.js"],
    ),
  },
  {
    title: "the files that Node finds by their names",
    ...ofNode(
      "node --test",
      {
        "build/a.test.js": passing("a"),
        "fixtures/b-test.js": passing("b"),
        "tests/c.js": failing("no name of a test"),
        "test/deep/d.js": passing("d"),
        "test-e.mjs": passing("e"),
        "src/f.spec.js": failing("no name of a test"),
      },
      [],
    ),
  },
  {
    title: "every kind of test",
    isFirst: true,
    judge: "vitest",
    version: 5,
    files: VITEST_FILES,
    words: ["a.test.ts"],
  },
  {
    title: "every kind of test",
    judge: "vitest",
    version: 4,
    files: VITEST_FILES,
    words: ["a.test.ts"],
  },
  { title: "every kind of test", judge: "vitest", files: VITEST_FILES, words: ["a.test.ts"] },
  {
    title: "a package that merely lists vitest",
    ...byPath,
    files: withRoot({ "packages/one/package.json": manifest({ type: "module", devDependencies: { vitest: "*" } }) }),
  },
  {
    title: "a package whose script calls vitest",
    ...byPath,
    files: withRoot({ "packages/one/package.json": manifest({ type: "module", scripts: { test: "vitest" } }) }),
  },
  {
    title: "a package with a configuration to build",
    ...byPath,
    version: 5,
    files: withRoot({
      "packages/one/package.json": manifest({ type: "module" }),
      "packages/one/vite.config.js": "export default { build: { outDir: 'out' } };\n",
    }),
  },
  {
    title: "a package that hands on the configuration of the root, with its projects",
    ...byPath,
    version: 4,
    files: {
      "package.json": manifest({ type: "module", workspaces: ["packages/*"], scripts: { test: "vitest run" } }),
      "vitest.config.mjs": "export default { test: { projects: ['./packages/*'] } };\n",
      "packages/one/package.json": manifest({ name: "one", type: "module" }),
      "packages/one/vitest.config.mjs": "export { default } from '../../vitest.config.mjs';\n",
      "packages/one/src/a.test.ts": 'import { it } from "vitest";\nit("passes", () => {});\n',
      "packages/two/package.json": manifest({ name: "two", type: "module" }),
      "packages/two/src/b.test.ts": 'import { it } from "vitest";\nit("fails", () => { throw new Error("no") });\n',
    },
  },
];

const here = fileURLToPath(new URL("..", import.meta.url));
let runners = "";
beforeAll(() => {
  runners = installedRunners();
}, 600_000);

describeWalled("run_tests says what the runner itself reports", () => {
  it.each(runsAll ? CASES : CASES.filter(({ isFirst }) => isFirst))("$judge $version: $title", async (each) => {
    const above = { 5: join(here, "tools"), 4: join(here, "fixtures/vitest4-project") };
    const root = realpathSync(projectOf(each.files, each.version === undefined ? runners : above[each.version]));
    const judged = JUDGES[each.judge](root, each.words).filter((line) => each.besides?.includes(line) !== true);
    const runs = await runTests(
      { projectRoot: root, readSource: () => undefined, openTexts: () => ({}), log: () => undefined },
      placeOfTests("walled", root),
      { timeoutMs: 120_000, ...(each.paths && { files: each.paths.map((path) => join(root, path)) }) },
      new AbortController().signal,
    );
    expect(runs).toBeInstanceOf(Array);
    const outcomes = typeof runs === "string" ? [] : runs.flatMap((run) => run.outcomes);
    expect(judged).not.toEqual([]);
    expect(linesOf(outcomes.map((outcome) => ({ ...outcome, file: relative(root, outcome.file) })))).toEqual(judged);
  });
});

type Line = Pick<TestOutcome, "file" | "titles" | "state">;

function linesOf(outcomes: readonly Line[]): string[] {
  return outcomes.map(({ file, titles, state }) => `${state} ${file} ${titles.join(" ")}`).toSorted();
}

/** Of what the runner itself reports. */
const JUDGES: Readonly<Record<Judge, (root: string, words: readonly string[]) => string[]>> = {
  jest: (root, words) => {
    runRunner(root, "jest", ["--json", "--outputFile=report.json", ...words]);
    return jestLines(root);
  },
  vitest: (root, words) => {
    runRunner(root, "vitest", ["run", "--reporter=json", "--outputFile=report.json", ...words]);
    return jestLines(root);
  },
  mocha: (root, words) => {
    runRunner(root, "mocha", ["--reporter", "json", "--reporter-option", "output=report.json", ...words]);
    const report = reportIn(root) as Record<string, readonly { readonly file: string; readonly fullTitle: string }[]>;
    const told = ([list, state]: readonly [string, Line["state"]]): Line[] =>
      (report[list] ?? []).map(({ file, fullTitle }) => ({ file: relative(root, file), titles: [fullTitle], state }));
    return linesOf(
      [["passes", "passed"] as const, ["failures", "failed"] as const, ["pending", "skipped"] as const].flatMap(told),
    );
  },
  "node:test": (root, words) => {
    const args = ["--test", "--test-reporter=junit", ...words];
    return junitLines(root, spawnSync(process.execPath, args, { cwd: root, encoding: "utf8", env: ownEnv() }).stdout);
  },
};

function runRunner(root: string, name: string, words: readonly string[]): void {
  const installed = installedPackage(root, name);
  const program = installed && programOf(installed, name);
  spawnSync(process.execPath, [program ?? "", ...words], { cwd: root, env: ownEnv() });
}

/** Without what the runner of this test itself says to its processes. */
function ownEnv(): NodeJS.ProcessEnv {
  const names = Object.entries(process.env).filter(
    ([name]) => !/^(?:VITEST|NODE_TEST|NODE_OPTIONS|JEST|TEST|CI$|NODE_ENV)/.test(name),
  );
  return Object.fromEntries(names);
}

function reportIn(root: string): unknown {
  return JSON.parse(readFileSync(join(root, "report.json"), "utf8"));
}

/** Vitest writes its report in jest's form. */
function jestLines(root: string): string[] {
  interface Assertion {
    readonly ancestorTitles: readonly string[];
    readonly title: string;
    readonly status: string;
  }
  const { testResults } = reportIn(root) as {
    readonly testResults: readonly { readonly name: string; readonly assertionResults: readonly Assertion[] }[];
  };
  const states: Readonly<Record<string, Line["state"]>> = { passed: "passed", failed: "failed", todo: "todo" };
  return linesOf(
    testResults.flatMap(({ name, assertionResults }) =>
      assertionResults.map(({ ancestorTitles, title, status }) => ({
        file: relative(root, name),
        titles: [...ancestorTitles, title],
        state: states[status] ?? "skipped",
      })),
    ),
  );
}

const TAG = /<(\/?)(testsuite|testcase|failure|skipped)\b([^>]*?)(\/?)>/g;

function junitLines(root: string, report: string): string[] {
  const lines: { file: string; titles: string[]; state: Line["state"] }[] = [];
  const suites: string[] = [];
  for (const [, closes, tag, attributes = "", isEmpty] of report.matchAll(TAG)) {
    const valueOf = (name: string): string => new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1] ?? "";
    if (tag === "testsuite" && closes !== "") suites.pop();
    else if (tag === "testsuite" && isEmpty === "") suites.push(valueOf("name"));
    else if (tag === "testcase" && closes === "") {
      lines.push({ file: relative(root, valueOf("file")), titles: [...suites, valueOf("name")], state: "passed" });
    } else if (closes === "" && tag !== "testsuite") {
      const last = lines.at(-1);
      if (last !== undefined)
        last.state = tag === "failure" ? "failed" : valueOf("type") === "todo" ? "todo" : "skipped";
    }
  }
  return linesOf(lines);
}
