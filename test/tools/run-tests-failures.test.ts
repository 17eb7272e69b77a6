/** What tests throw is told as it was: values that are no errors, causes, and what nobody caught. */
import { describe, expect, it } from "vitest";
import { projectOf, run } from "./run-tests-project.ts";

describe("vitest", () => {
  it("shows thrown values that are no errors, and the cause of an error", async () => {
    const root = projectOf({
      "a.test.ts": `import { expect, it } from "vitest";
it("throws an object", () => { throw { code: 7 }; });
it("throws a text", () => { throw "out"; });
it("wraps", () => {
  throw new Error("outer", { cause: new TypeError("inner") });
});
`,
    });
    const { content } = await run({}, { root });
    expect(content).toContain("FAILED a.test.ts:2:1 throws an object\n  Thrown: { code: 7 }\n");
    expect(content).toContain("FAILED a.test.ts:3:1 throws a text\n  Thrown: out\n");
    expect(content).toMatch(
      / {2}Error: outer\n {2}at a\.test\.ts:5.*\n {2}caused by TypeError: inner\n {2}at a\.test\.ts:5:/,
    );
  });

  it("shows where an uncaught error was thrown, and which test ran meanwhile", async () => {
    const root = projectOf({
      "a.test.ts": `import { it } from "vitest";
it("rejects", async () => {
  void Promise.reject(new Error("lost"));
  await new Promise((resolve) => setTimeout(resolve, 10));
});
`,
    });
    const { content } = await run({}, { root });
    expect(content).toMatch(/^1 failed, 1 passed in 1 file/);
    expect(content).toMatch(
      /FAILED a\.test\.ts \(unhandled error while "rejects" ran\)\n {2}Error: lost\n {2}at a\.test\.ts:3:/,
    );
  });

  it("says that a snapshot is new, and shows an error that every try threw only once", async () => {
    const root = projectOf({
      "a.test.ts": `import { expect, it } from "vitest";
it("is new", () => expect({ a: 1 }).toMatchSnapshot());
it("never passes", { retry: 2 }, () => { throw new Error("again"); });
`,
    });
    const { content } = await run({}, { root });
    expect(content).toContain("mismatched: it is new, and a run here writes no snapshots");
    expect(content.match(/again\n/g)).toHaveLength(1);
  });

  it("names what a test was not allowed to read, and says what to do", async () => {
    const root = projectOf({
      "a.test.ts": `import { readFileSync } from "node:fs";
import { it } from "vitest";
it("reads", () => void readFileSync("/etc/hostname"));
`,
    });
    const { content } = await run({}, { root });
    expect(content).toContain("(/etc/hostname)");
    expect(content).toContain("the person can allow the open mode");
  });
});

describe("node:test", () => {
  const asNodeTest = async (text: string): Promise<string> => {
    const root = projectOf({ "a.test.ts": `import { it } from "node:test";\n${text}` });
    return (await run({ path: "a.test.ts" }, { root })).content;
  };

  it("shows thrown values that are no errors, and the cause of an error", async () => {
    const content = await asNodeTest(`it("throws an object", () => { throw { code: 7 }; });
it("throws a text", () => { throw "out"; });
it("wraps", () => {
  throw new AggregateError([new TypeError("inner")], "outer");
});
`);
    expect(content).toContain("FAILED a.test.ts:2:1 throws an object\n  Thrown: { code: 7 }\n");
    expect(content).toContain("FAILED a.test.ts:3:1 throws a text\n  Thrown: out\n");
    expect(content).toMatch(/: outer\n {2}at a\.test\.ts:5.*\n {2}caused by TypeError: inner\n {2}at a\.test\.ts:5:/);
  });

  it("shows where process.exit was called", async () => {
    const content = await asNodeTest('it("exits", () => process.exit(3));\n');
    expect(content).toMatch(/process\.exit\(3\) was called.*\n {2}at a\.test\.ts:2:/);
  });

  it("shows an error that came after its test had ended", async () => {
    const content =
      await asNodeTest(`it("ends too early", () => { setImmediate(() => { throw new Error("after the end"); }); });
it("rejects later", () => {
  const wait = new Promise((resolve) => setTimeout(resolve, 50));
  void wait.then(() => { throw new TypeError("much later"); });
});
`);
    expect(content).toMatch(/^2 failed, 2 passed in 1 file/);
    expect(content).toContain("FAILED a.test.ts:2:1 ends too early > (after it had ended)\n  Error: after the end\n");
    expect(content).toContain("FAILED a.test.ts:3:1 rejects later > (after it had ended)\n  TypeError: much later\n");
  });

  it("comes to an end where tests leave something running, and their timers replaced", async () => {
    const content = await asNodeTest(`import { createServer } from "node:http";
import { mock } from "node:test";
it("leaves", () => {
  setInterval(() => {}, 1000);
  createServer().listen(0);
  mock.timers.enable();
});
`);
    expect(content).toMatch(/^1 passed in 1 file/);
  });
});
