/** Real runs of jest, mocha, ava and vitest 3, and of a script that is none of these, behind the wall. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { itAtLength } from "../support/extent.ts";
import { installedRunners } from "../support/runners.ts";
import { describeWalled } from "../support/wall.ts";
import { FOREVER, projectOf, run as runIn, runOutOfTime } from "./run-tests-project.ts";

let above = "";
beforeAll(() => {
  above = installedRunners();
}, 600_000);

const run: typeof runIn = (args, setting) => runIn(args, { ...setting, level: "walled" });

type Runner = "jest" | "mocha" | "ava";
const HEADS: Readonly<Record<Runner, string>> = {
  jest: "const same = (a, b) => expect(a).toEqual(b);\n",
  mocha: 'const same = require("node:assert").deepStrictEqual;\nconst test = it;\n',
  ava: 'import assert from "node:assert";\nimport test from "ava";\nconst same = assert.deepStrictEqual;\n',
};
/** Ava wants an assertion of its own in each test. */
const body = (runner: Runner, code: string): string =>
  runner === "ava" ? `(t) => { t.pass(); ${code} }` : `() => { ${code} }`;

function manifest(runner: Runner, script: string): string {
  const type = runner === "ava" ? { type: "module" } : {};
  return JSON.stringify({ private: true, ...type, scripts: { test: script }, devDependencies: { [runner]: "*" } });
}

const SCRIPTS: Readonly<Record<Runner, string>> = {
  jest: "npm run lint && NODE_ENV=probe jest --coverage",
  mocha: "NODE_ENV=probe mocha 'test/*.js'",
  ava: "NODE_ENV=probe ava test/one.js test/two.js test/three.js",
};

const COUNTS: Readonly<Record<Runner, string>> = {
  jest: "2 failed, 2 passed in 3 files",
  mocha: "1 failed, 2 passed in 2 files",
  // Ava tells of a file that cannot be loaded twice.
  ava: "3 failed, 2 passed in 3 files",
};

describeWalled("the runner of a project", () => {
  describe.each(["jest", "mocha", "ava"] as const)("%s", (runner) => {
    const folder = runner === "jest" ? "__tests__" : "test";
    const project = (files: Readonly<Record<string, string>>): string => {
      const named = Object.entries(files).map(
        ([name, text]) => [`${folder}/${name}.js`, HEADS[runner] + text] as const,
      );
      return projectOf({ "package.json": manifest(runner, SCRIPTS[runner]), ...Object.fromEntries(named) }, above);
    };
    const passes = `test("passes", ${body(runner, "")});\n`;

    it("is told with what passed, what failed and where, which file could not be loaded and why, and runs as the script says", async () => {
      // Mocha runs nothing where one file cannot be loaded.
      const broken = runner === "jest" ? 'require("./none.js");\n' : 'import "./none.js";\n';
      const unloaded = runner === "mocha" ? {} : { three: `${broken}${passes}` };
      const root = project({
        one: `${passes}test("compares", ${body(runner, "same({ a: 1 }, { a: 2 });")});\n`,
        two: `test("knows", ${body(runner, 'same(process.env.NODE_ENV, "probe"); console.log("printed");')});\n`,
        ...unloaded,
      });
      const { content } = await run({}, { root });
      expect(content).toMatch(new RegExp(`^${COUNTS[runner]} \\(${runner} \\d`));
      if (runner !== "mocha") {
        expect(content).toMatch(/Cannot find module .*none/);
        expect(content).toContain(`${folder}/three.js`);
      }
      expect(content).toMatch(new RegExp(`FAILED ${folder}/one\\.js(?::\\d+:\\d+)? compares`));
      // Ava tells no place of what another library throws.
      if (runner !== "ava") expect(content).toMatch(new RegExp(`  at ${folder}/one\\.js:\\d+:\\d+ `));
      expect(content).toMatch(/a: 2|"a": 2/);
      expect(content).toMatch(/printed:\n(?:.*\n)*? {2}printed/);
    });

    it("runs one file, of it the tests that are named, with unsaved text", async () => {
      const root = project({ one: passes, two: passes });
      const unsaved = { [`${folder}/one.js`]: `${HEADS[runner]}test("unsaved", ${body(runner, "")});\n${passes}` };
      const { content } = await run({ path: `${folder}/one.js`, name: "unsaved" }, { root, unsaved });
      expect(content).toMatch(/^1 passed(?:, 1 skipped)? in 1 file/);
      expect(content).toContain("unsaved");
    });

    it("is stopped in an endless loop, and says what ended and what hung", async () => {
      const root = project({ one: passes, two: `test("hangs", ${body(runner, FOREVER)});\n` });
      const begun = runner === "ava" ? /one\.js/ : /hangs/;
      const { content, complete, stopped } = await runOutOfTime(
        { timeout_ms: 2_500 },
        { root, level: "walled" },
        begun,
      );
      expect(complete).toBe(false);
      expect(content).toContain(stopped);
      expect(content).toContain(`${folder}/one.js`);
      if (runner !== "ava") expect(content).toMatch(/unfinished:\n.*two\.js.*hangs/);
    });
  });

  it.each([
    ["jest", "jest --runInBand", "a timer", "setInterval(() => {}, 1_000);"],
    ["mocha", SCRIPTS.mocha, "a timer", "setInterval(() => {}, 1_000);"],
    ["mocha", SCRIPTS.mocha, "a server", 'require("node:http").createServer().listen(0);'],
  ] as const)("%s (%s) is ended where %s stays open, and says so", async (runner, script, _, opens) => {
    const folder = runner === "jest" ? "__tests__" : "test";
    const files = { [`${folder}/one.js`]: `${HEADS[runner]}test("passes", () => { ${opens} });\n` };
    const root = projectOf({ "package.json": manifest(runner, script), ...files }, above);
    const { content } = await run({}, { root, level: "walled" });
    expect(content).toMatch(/^1 passed in 1 file/);
    expect(content).toMatch(/no test ran any more, and it did not end within 5 s \(open: .*(?:Timeout|TCPServerWrap)/);
  });

  it("mocha says which file could not be loaded and why", async () => {
    const files = { "test/one.js": 'require("./none.js");\n', "test/two.js": 'it("passes", () => {});\n' };
    const root = projectOf({ "package.json": manifest("mocha", SCRIPTS.mocha), ...files }, above);
    const { content } = await run({}, { root });
    expect(content).toMatch(/Cannot find module .*none/);
    expect(content).toContain("test/one.js");
  });

  itAtLength("jest names the files that never ran when the time is over", async () => {
    const hangs = `test("hangs", () => { ${FOREVER} });\n`;
    const files = { "a.test.js": hangs, "b.test.js": hangs, "c.test.js": hangs };
    const root = projectOf({ "package.json": manifest("jest", "jest --runInBand"), ...files }, above);
    const begun = /^1 unfinished in 1 file/;
    const { content } = await runOutOfTime({ timeout_ms: 2_500 }, { root, level: "walled" }, begun);
    expect(content).toMatch(begun);
    expect(content.match(/Never ran: (.*)/)?.[1]?.split(", ")).toHaveLength(2);
  });

  it("is vitest 3 as well, with its projects and its globals", async () => {
    const config = `export default { test: { projects: [{ test: { name: "one", globals: true, include: ["one/*.test.ts"] } }] } };\n`;
    const root = projectOf(
      {
        "vitest.config.mjs": config,
        "one/a.test.ts": 'it("passes", () => {});\nit("compares", () => expect({ a: 1 }).toEqual({ a: 2 }));\n',
        "one/b.test.ts": 'import { none } from "./none";\nit("never", () => none);\n',
        "two/c.test.ts": "throw new Error();\n",
      },
      above,
    );
    const { content } = await run({}, { root });
    expect(content).toMatch(/^2 failed, 1 passed in 2 files \(vitest 3\.2\.4/);
    expect(content).toMatch(/FAILED one\/a\.test\.ts:2:1 compares\n {2}AssertionError[^]*at one\/a\.test\.ts:2:\d+ /);
    expect(content).toMatch(/FAILED one\/b\.test\.ts\n {2}Error: [^]*\.\/none/);
    expect((await run({ name: "passes" }, { root })).content).toMatch(/passed:\n {2}one\/a\.test\.ts:1:1 passes/);
  });

  it("is any script, told with its exit code and its text", async () => {
    const script = JSON.stringify({ scripts: { test: "echo one; echo written > w.txt; exit 3" } });
    const root = projectOf({ "package.json": script }, above);
    const { content } = await run({}, { root });
    expect(content).toMatch(/^Exit code 3 \(script test: echo one; .*\)\n\nprinted:\n {2}one$/m);
    expect(existsSync(join(root, "w.txt"))).toBe(false);
  });

  it("is that of each package in a monorepo", async () => {
    const root = projectOf(
      {
        "package.json": JSON.stringify({ workspaces: ["packages/*"], scripts: { test: "npm test --workspaces" } }),
        "packages/one/package.json": manifest("jest", "jest"),
        "packages/one/one.test.js": 'test("one", () => {});\n',
        "packages/two/package.json": manifest("mocha", "mocha"),
        "packages/two/test/two.js": 'it("two", () => {});\n',
      },
      above,
    );
    const { content } = await run({}, { root });
    expect(content).toMatch(/^packages\/one: 1 passed in 1 file \(jest/m);
    expect(content).toMatch(/^packages\/two: 1 passed in 1 file \(mocha/m);
  });
});
