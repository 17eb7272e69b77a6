/** Errors that name many, large and special files: the server reads little of them, and goes on meanwhile. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ErrorInfo } from "../../../../server/src/protocol/repl-shapes.ts";
import { startTestImage, type TestImage } from "../with-image.ts";

let t: TestImage;
beforeAll(async () => {
  t = startTestImage();
  await t.value("1");
});
afterAll(() => t.dispose());

/** An error whose stack names line after line of a file, given to the form as a function. */
const naming = (path: string, frames: number): string => `
const naming = (message: string) => {
  const error = new Error(message);
  error.stack = "Error: x\\n" + Array.from({ length: ${frames} }, (_, n) => "    at f (${path}:" + (n + 1) + ":1)").join("\\n");
  return error;
};`;

const all = (error: ErrorInfo): ErrorInfo[] => [
  error,
  ...[error.cause ?? [], ...(error.errors ?? [])].flat().flatMap((part) => all(part)),
];

it("keeps the server free while errors with long stacks in a large file are told", async () => {
  t.write("src/large.js", "// a line of a large file\n".repeat(360_000));
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const began = performance.now();
  const { error } = await t.evaluate(
    `${naming(join(t.root, "src/large.js"), 200)}
    throw new AggregateError(Array.from({ length: 10 }, (_, n) => naming(String(n))), "many");`,
  );
  delay.disable();
  expect(error?.errors).toHaveLength(10);
  expect(error?.errors?.[0]?.frames).toHaveLength(12);
  // A busy machine holds up the loop too, but never for most of that time.
  expect(delay.max / 1e6).toBeLessThan(Math.max(500, (performance.now() - began) / 2));
});

it("tells fifty errors of a tree of a million, and how many more there are", async () => {
  const { error } = await t.evaluate(`
    const parts = Array.from({ length: 10 }, () => new Error("leaf"));
    const grow = (depth: number): Error => new AggregateError(depth === 0 ? parts.map(() => new Error("leaf"))
      : Array.from({ length: 10 }, () => grow(depth - 1)), "d" + depth);
    throw grow(3);`);
  const told = all(error as ErrorInfo);
  expect(told).toHaveLength(50);
  const left = told.reduce((sum, { moreErrors = 0 }) => sum + moreErrors, 0);
  expect(left).toBeGreaterThan(0);
});

it.skipIf(process.platform === "win32")("waits for no named pipe that a stack or an import names", async () => {
  const pipe = join(t.root, "src/pipe.ts");
  execFileSync("mkfifo", [pipe]);
  const { error } = await t.evaluate(`${naming(pipe, 3)}\nthrow naming("piped");`);
  expect(error).toMatchObject({ message: "piped" });
  expect(error?.frames[0]?.code).toBeUndefined();
  expect((await t.evaluate("import './src/pipe.ts'")).outcome).toBe("error");
  expect((await t.evaluate("1", { module: pipe })).error?.message).toContain("src/pipe.ts is a named pipe");
});
