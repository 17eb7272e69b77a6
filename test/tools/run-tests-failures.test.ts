/** What tests throw is told as it was: values that are no errors, causes, and what nobody caught. */
import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { describeLevels } from "../support/test-rooms.ts";
import { describeWalled } from "../support/wall.ts";
import { projectOf, run as runIn } from "./run-tests-project.ts";

const PLAIN = { "package.json": '{ "private": true, "type": "module" }' };

describeLevels("vitest", (level) => {
  const run: typeof runIn = (args, setting) => runIn(args, { ...setting, level });

  it("shows thrown values that are no errors, the cause of an error, and during which test an uncaught one was thrown where", async () => {
    const root = projectOf({
      "a.test.ts": `import { it } from "vitest";
it("throws an object", () => { throw { code: 7 }; });
it("throws a text", () => { throw "out"; });
it("wraps", () => {
  throw new Error("outer", { cause: new AggregateError([new TypeError("inner")], "middle") });
});
`,
      "b.test.ts": `import { it } from "vitest";
it("rejects", async () => {
  void Promise.reject(new Error("lost"));
  await new Promise((resolve) => setTimeout(resolve, 10));
});
`,
    });
    const { content } = await run({}, { root });
    expect(content).toMatch(/^4 failed, 1 passed in 2 files/);
    expect(content).toContain("FAILED a.test.ts:2:1 throws an object\n  Thrown: { code: 7 }\n");
    expect(content).toContain("FAILED a.test.ts:3:1 throws a text\n  Thrown: out\n");
    expect(content).toMatch(
      / {2}Error: outer\n {2}at a\.test\.ts:5.*\n {2}caused by AggregateError: middle\n {2}at a\.test\.ts:5.*\n {2}caused by TypeError: inner\n {2}at a\.test\.ts:5:/,
    );
    expect(content).toMatch(
      /FAILED b\.test\.ts \(unhandled error while "rejects" ran\)\n {2}Error: lost\n {2}at b\.test\.ts:3:/,
    );
  });
});

describeLevels("node:test", (level) => {
  const run: typeof runIn = (args, setting) => runIn(args, { ...setting, level });

  it("shows thrown values that are no errors, the cause of an error, and what came after a test had ended", async () => {
    const root = projectOf({
      ...PLAIN,
      "a.test.ts": `import { it } from "node:test";
it("throws an object", () => { throw { code: 7 }; });
it("throws a text", () => { throw "out"; });
it("wraps", () => {
  throw new AggregateError([new TypeError("inner")], "outer");
});
`,
      "b.test.ts": `import { it } from "node:test";
it("ends too early", () => { setImmediate(() => { throw new Error("after the end"); }); });
it("rejects later", () => {
  const wait = new Promise((resolve) => setTimeout(resolve, 50));
  void wait.then(() => { throw new TypeError("much later"); });
});
`,
      "c.test.ts": `import { createServer } from "node:http";
import { it, mock } from "node:test";
it("comes to an end though it leaves something running, and its timers replaced", () => {
  setInterval(() => {}, 1000);
  createServer().listen(0);
  mock.timers.enable();
});
`,
    });
    const { content } = await run({}, { root });
    expect(content).toMatch(/^5 failed, 3 passed in 3 files/);
    expect(content).toContain("FAILED a.test.ts:2:1 throws an object\n  Thrown: { code: 7 }\n");
    expect(content).toContain("FAILED a.test.ts:3:1 throws a text\n  Thrown: out\n");
    expect(content).toMatch(/: outer\n {2}at a\.test\.ts:5.*\n {2}caused by TypeError: inner\n {2}at a\.test\.ts:5:/);
    expect(content).toContain("FAILED b.test.ts:2:1 ends too early > (after it had ended)\n  Error: after the end\n");
    expect(content).toContain("FAILED b.test.ts:3:1 rejects later > (after it had ended)\n  TypeError: much later\n");
  });
});

describe("without a wall", () => {
  it("says that a snapshot is new, and shows an error that every try threw only once", async () => {
    const root = projectOf({
      "a.test.ts": `import { expect, it } from "vitest";
it("is new", () => expect({ a: 1 }).toMatchSnapshot());
it("never passes", { retry: 2 }, () => { throw new Error("again"); });
`,
    });
    const { content } = await runIn({}, { root });
    expect(content).toContain("mismatched: it is new, and a run here writes no snapshots");
    expect(content.match(/again\n/g)).toHaveLength(1);
  });

  it("shows where a test for node:test called process.exit", async () => {
    const root = projectOf({ "a.test.ts": 'import { it } from "node:test";\nit("exits", () => process.exit(3));\n' });
    const { content } = await runIn({ path: "a.test.ts" }, { root });
    expect(content).toMatch(/process\.exit\(3\) was called.*\n {2}at a\.test\.ts:2:/);
  });
});

describeWalled("behind the wall", () => {
  const run: typeof runIn = (args, setting) => runIn(args, { ...setting, level: "walled" });

  it("a process that a test ends is told with its code and the test; tests find the environment of a terminal, in which nothing speaks of colours", async () => {
    const root = projectOf({
      ...PLAIN,
      "a.test.ts": 'import { it } from "node:test";\nit("exits", () => process.exit(3));\n',
      "b.test.ts": `import { it } from "node:test";
it("looks", () => { if ("NO_COLOR" in process.env || "FORCE_COLOR" in process.env) throw new Error("colours"); });
`,
    });
    const { content } = await run({}, { root });
    expect(content).toMatch(/^1 passed, 1 unfinished in 2 files/);
    expect(content).toMatch(/did not end well: a\.test\.ts: its process ended with code 3\n/);
    expect(content).toMatch(/unfinished:\n {2}a\.test\.ts:2:1 exits/);
  });

  it("threads, child processes, addons of Node and writes work; what they wrote, and a new snapshot, is told and dropped", async () => {
    const test = `import { execSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
it("does all of it", async () => {
  writeFileSync(new URL("./written.txt", import.meta.url), "x");
  expect(execSync("cat written.txt", { cwd: import.meta.dirname }).toString()).toBe("x");
  new DatabaseSync("written.db").exec("create table a (b)");
  const worker = new Worker("require('node:fs').writeFileSync('thread.txt', '')", { eval: true });
  await new Promise((done) => worker.once("exit", done));
  expect(execSync("ls").toString()).toContain("thread.txt");
});
it("is new", () => expect({ a: 1 }).toMatchSnapshot());
`;
    const root = projectOf({ "a.test.ts": test });
    const { content } = await run({}, { root });
    expect(content).toMatch(/^2 passed/);
    expect(content).toMatch(/changes of .*__snapshots__\/a\.test\.ts\.snap.*run_command proposes such changes\./);
    expect(readdirSync(root).toSorted()).toEqual(["a.test.ts", "package.json"]);
  });
});
