/** A run of several test files: each in a process of its own, and each accounted for. */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { expect, it } from "vitest";
import { describeLevels } from "../support/test-rooms.ts";
import { describeWalled } from "../support/wall.ts";
import { FOREVER, projectOf, run as runIn, runOutOfTime } from "./run-tests-project.ts";

const PLAIN = { "package.json": '{ "private": true, "type": "module" }' };
const HEAD = 'import { test } from "node:test";\nimport assert from "node:assert/strict";\n';
const MARKS = `${HEAD}test("finds nothing of another file", () => {
  assert.equal((globalThis as { seen?: boolean }).seen, undefined);
  (globalThis as { seen?: boolean }).seen = true;
});
`;
const PASSES = `${HEAD}test("passes", () => {});\n`;
const HANGS = `${HEAD}test("hangs", () => { ${FOREVER} });\n`;

describeLevels("files for node:test", (level) => {
  const run: typeof runIn = (args, setting) => runIn(args, { ...setting, level });

  it("do not see each other's globals, and are reported in the order of their paths, what each printed under its name", async () => {
    const says = (text: string): string => `${MARKS}console.log("${text}");\ntest("${text}", () => {});\n`;
    const root = projectOf({ ...PLAIN, "test/a.test.ts": says("one"), "test/b.test.ts": says("two") });
    const { content, complete } = await run({}, { root });
    expect(content).toMatch(/^4 passed in 2 files \(node:test/);
    expect(complete).toBeUndefined();
    expect(content).toMatch(/passed:\n(?:.*\n)?.*a\.test\.ts:8:1 one.*\n(?:.*\n)? {2}test\/b\.test\.ts:8:1 two/);
    expect(content).toMatch(
      /printed:\n(?:.*\n)*? {2}test\/a\.test\.ts:\n {2}one\n(?:.*\n)*? {2}test\/b\.test\.ts:\n {2}two$/,
    );
  });

  it("leave what passed files printed at length to a run of the one file", async () => {
    const says = (name: string, body = ""): string =>
      `${HEAD}console.log("${name} ".repeat(300));\ntest("${name}", () => {${body}});\n`;
    const failing = says("two", " assert.fail(); ");
    const root = projectOf({ ...PLAIN, "test/a.test.ts": says("one"), "test/b.test.ts": failing });
    const { content } = await run({}, { root });
    expect(content).toContain("test/b.test.ts:\n  two two");
    expect(content).not.toContain("one one");
    expect(content).toContain("and by 1 file that passed: run one by its path");
    expect((await run({ path: "test/a.test.ts" }, { root })).content).toContain("one one");
  });

  it("are listed with what became of them when the time is over", async () => {
    const files = { "test/a.test.ts": PASSES, "test/b.test.ts": HANGS, "test/c.test.ts": HANGS };
    const root = projectOf({ ...PLAIN, ...files, "test/d.test.ts": PASSES, "test/e.test.ts": PASSES });
    const begun = /^1 passed, 2 unfinished in 3 files/;
    const { content, complete, stopped } = await runOutOfTime({ timeout_ms: 1_500 }, { root, level }, begun);
    expect(complete).toBe(false);
    expect(content).toMatch(begun);
    expect(content).toContain(`The run did not end well: ${stopped}`);
    expect(content).toContain("Ran to the end: test/a.test.ts");
    expect(content).toContain("Never ran: test/d.test.ts, test/e.test.ts");
    expect(content).toContain("timeout_ms");
  });

  it("are listed with what became of them when the run is stopped", async () => {
    const files = { "test/a.test.ts": HANGS, "test/b.test.ts": HANGS, "test/c.test.ts": PASSES };
    const root = projectOf({ ...PLAIN, ...files });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 300);
    const { content } = await run({}, { root, signal: controller.signal });
    expect(content).toContain("The run did not end well: it was cancelled");
    // On a busy machine the first two have not begun by then.
    expect(content).toMatch(/Never ran: (?:.*, )?test\/c\.test\.ts/);
  });

  it.runIf(level === "walled")(
    "find nothing that an earlier run left, where runners keep what they translated or anywhere else",
    async () => {
      const name = `agentq-left-${process.pid}`;
      const head = `${HEAD}import { existsSync, mkdirSync, rmSync } from "node:fs";\nimport { homedir, tmpdir } from "node:os";
const folders = [tmpdir(), "/tmp", "/dev/shm", homedir(), homedir() + "/.cache", "node_modules/.cache", "node_modules/.vite", "."];
const places = folders.map((folder) => folder + "/${name}");\n`;
      const leaves = `${head}test("leaves", () => {
  const left = places.filter((place) => { try { mkdirSync(place, { recursive: true }); return true; } catch { return false; } });
  assert.ok(left.length > 0);
});\n`;
      const looks = `${head}test("looks", () => assert.deepEqual(places.filter((place) => { try { return existsSync(place); } catch { return false; } }), []));\n`;
      const root = projectOf({ ...PLAIN, "test/a.test.ts": leaves, "test/b.test.ts": looks });
      for (const path of ["test/a.test.ts", "test/b.test.ts"])
        expect((await run({ path }, { root })).content).toMatch(/^1 passed in 1 file/);
      for (const folder of [tmpdir(), homedir(), root]) expect(readdirSync(folder)).not.toContain(name);
    },
  );

  it("are reported in full when a test writes into the file that carries the results, and go on when one ends its process", async () => {
    const writes = `${HEAD}import { appendFileSync, readdirSync } from "node:fs";\nimport { tmpdir } from "node:os";
test("writes", () => {
  for (const name of readdirSync(tmpdir())) if (name.endsWith(".jsonl")) appendFileSync(tmpdir() + "/" + name, "null\\nno JSON\\n");
});\n`;
    const ends = `${HEAD}test("ends", () => process.kill(process.pid, "SIGKILL"));\n`;
    const root = projectOf({ ...PLAIN, "test/a.test.ts": ends, "test/b.test.ts": writes, "test/c.test.ts": PASSES });
    const { content, complete } = await run({}, { root });
    expect(complete).toBe(false);
    expect(content).toMatch(/^2 passed, 1 unfinished in 3 files/);
    expect(content).toMatch(/did not end well: test\/a\.test\.ts: .*process (?:is gone|ended with code 137)/);
    expect(content).not.toContain("Never ran");
  });
});

describeWalled("files for node:test, walled", () => {
  it.each([
    ["no script", {}],
    ["a script", { scripts: { test: "node --test" } }],
  ])("know the paths of tsconfig.json as little as Node itself does, with %s", async (_, scripts) => {
    const root = projectOf({
      "package.json": JSON.stringify({ private: true, type: "module", ...scripts }),
      "tsconfig.json": '{ "compilerOptions": { "paths": { "@own/*": ["./src/*"] } } }',
      "src/a.ts": "export const a = 1;\n",
      "test/a.test.ts": `${HEAD}import { a } from "@own/a.ts";\ntest("passes", () => assert.equal(a, 1));\n`,
    });
    const byHand = spawnSync(process.execPath, ["--test"], { cwd: root, encoding: "utf8" });
    const problem = "Cannot find package '@own/a.ts' imported from";
    expect(byHand.stdout).toContain(problem);
    const { content } = await runIn({}, { root, level: "walled" });
    expect(content).toContain(`FAILED test/a.test.ts\n  Error: ${problem}`);
    // The place would be one of ours, where Node was asked.
    expect(content).not.toContain("resolve-typescript");
  });
});

describeLevels("files for vitest", (level) => {
  it("are listed with what became of them when the time is over", async () => {
    const head = 'import { it } from "vitest";\n';
    const root = projectOf({
      "vitest.config.ts": "export default { test: { fileParallelism: false } };\n",
      "test/a.test.ts": `${head}it("hangs", () => new Promise(() => {}), 60_000);\n`,
      "test/b.test.ts": `${head}it("passes", () => {});\n`,
    });
    const begun = /unfinished:\n {2}test\/a\.test\.ts:2:1 hangs/;
    const { content, stopped } = await runOutOfTime({ timeout_ms: 1_500 }, { root, level }, begun);
    expect(content).toContain(stopped);
    expect(content).toMatch(begun);
    expect(content).toContain("Never ran: test/b.test.ts");
  });
});
