import { afterAll, beforeAll, expect, it } from "vitest";
import { hear, startTestImage, until, untilHeard, type TestImage } from "../with-image.ts";

let t: TestImage;
beforeAll(() => {
  t = startTestImage();
});
afterAll(() => t.dispose());

it("keeps stdout and stderr of a form apart, in order, and streams them with its id", async () => {
  const result = await t.evaluate("console.log('one', { a: 1 }); console.error('two'); process.stdout.write('three')", {
    evalId: "mine",
  });
  expect(result).toMatchObject({ evalId: "mine", stdout: "one { a: 1 }\nthree", stderr: "two\n", truncated: false });
  const streamed = t.outputs.filter((output) => output.evalId === "mine");
  expect(streamed.map(({ text }) => text).join("")).toBe("one { a: 1 }\ntwo\nthree");
});

it("streams while the form still runs, also while it loops", async () => {
  const running = t.evaluate("console.log('early'); for (;;) {}", { evalId: "looping", timeoutMs: 20_000 });
  await until(() => t.outputs.some(({ evalId, text }) => evalId === "looping" && text === "early\n"));
  await t.image.interrupt();
  expect((await running).stdout).toBe("early\n");
});

it("marks late output with the form that caused it, and keeps it out of the next form's result", async () => {
  await t.evaluate("setTimeout(() => console.log('late'), 30); 1", { evalId: "first" });
  const second = await t.evaluate("await new Promise((r) => setTimeout(r, 120)); console.log('own')", {
    evalId: "second",
  });
  expect(second.stdout).toBe("own\n");
  await until(() => t.outputs.some(({ evalId, text }) => evalId === "first" && text === "late\n"));
});

it("cuts a flood to its budget and counts the rest", async () => {
  const result = await t.evaluate("for (let i = 0; i < 1000; i++) process.stdout.write('x'.repeat(1e6)); 'done'");
  expect(result).toMatchObject({ preview: '"done"', truncated: true });
  expect(result.stdout.replaceAll(/[^x]/g, "").length).toBe((64 + 16) * 1024);
  expect(result.notes.at(-1)?.message).toMatch(/Output was cut: at least \d{8,} characters were not kept/);
  expect((await t.evaluate("console.log('again')")).stdout).toBe("again\n");
});

/** Characters that are neither in the beginning nor in the end, as the line between the two says. */
const GAP = /\n… (\d+) characters are left out here; the REPL did not keep them …\n/;
const LINES = "for (let n = 0; n < 20_000; n++) console.log(`line ${n}`);";
const PRINTED = Array.from({ length: 20_000 }, (_, n) => `line ${n}\n`).join("");

it.each([
  ["its value", `${LINES} 'done'`],
  ["no value", `const many = (() => { ${LINES} return 1; })();`],
  ["an error", `${LINES} throw new Error('over')`],
  ["a pause between lines", LINES.replace("console", "{ await null; console") + " }"],
])("keeps the end of a flood beside its beginning, where the form ends with %s", async (_how, code) => {
  t.outputs.length = 0;
  const { stdout } = await t.evaluate(code, { evalId: "flood" });
  const [head = "", gap = "", tail = ""] = stdout.split(GAP);
  expect(PRINTED.startsWith(head)).toBe(true);
  expect(PRINTED.endsWith(tail)).toBe(true);
  expect([head.length, tail.length]).toEqual([64 * 1024, 16 * 1024]);
  expect(head.length + Number(gap) + tail.length).toBe(PRINTED.length);
  const streamed = t.outputs.filter(({ evalId }) => evalId === "flood").map(({ text }) => text);
  expect(streamed.join("")).toBe(stdout);
});

it("keeps the end of a flood that is interrupted", async () => {
  const code =
    "for (let n = 0; ; n++) { console.log(`line ${n}`); if (n === 20_000) require('node:fs').writeSync(2, 'far'); }";
  const running = t.evaluate(code, { evalId: "endless", timeoutMs: 20_000 });
  await until(() => t.outputs.some(({ evalId, text }) => evalId === "endless" && text.includes("far")));
  await t.image.interrupt();
  const { stdout, ...stopped } = await running;
  const [head, gap, tail = ""] = stdout.split(GAP);
  expect(head).toHaveLength(64 * 1024);
  expect(Number(gap), JSON.stringify(stopped)).toBeGreaterThan(0);
  expect(Number(/line (\d+)\n.*$/.exec(tail)?.[1])).toBeGreaterThanOrEqual(20_000);
});

it("shows all of an output that its beginning and its end cover", async () => {
  const result = await t.evaluate("process.stdout.write('a'.repeat(65_536) + 'b'.repeat(16_384)); console.error('c')");
  expect(result).toMatchObject({ stdout: "a".repeat(65_536) + "b".repeat(16_384), stderr: "c\n", truncated: false });
});

it("counts all that was dropped, in one turn and in several", async () => {
  const dropped = async (code: string): Promise<string | undefined> =>
    (await t.evaluate(code)).notes.find(({ message }) => message.includes("not kept"))?.message;
  const over = (count: number): string =>
    `Output was cut: at least ${count} characters were not kept. A value is kept whole.`;
  expect(await dropped("for (let n = 0; n < 2000; n++) process.stdout.write('x'.repeat(100)); 1")).toBe(over(118_080));
  expect(await dropped("for (let n = 0; n < 20; n++) { process.stdout.write('x'.repeat(10_000)); await null }")).toBe(
    over(118_080),
  );
});

it("bounds what is written past the streams", async () => {
  const result = await t.evaluate(
    "const big = Buffer.alloc(1e6, 120); for (let i = 0; i < 100; i++) { try { require('node:fs').writeSync(1, big) } catch { await new Promise((r) => setTimeout(r, 1)) } } await new Promise((r) => setTimeout(r, 200))",
    { evalId: "raw-flood" },
  );
  expect(result.truncated).toBe(true);
  expect(
    t.outputs.filter(({ evalId }) => evalId === "raw-flood").reduce((sum, { text }) => sum + text.length, 0),
  ).toBeLessThan(200_000);
});

it("tells what goes wrong in the background of a form that is over", async () => {
  await t.evaluate("setTimeout(() => { throw new Error('much later') }, 20); 1", { evalId: "over" });
  await until(() =>
    t.outputs.some(
      ({ evalId, text }) => evalId === "over" && text.includes("Uncaught in the background: Error: much later"),
    ),
  );
});

it("keeps characters whole that were written in pieces, and takes bytes", async () => {
  const code =
    "const bytes = Buffer.from('é€'); process.stdout.write(bytes.subarray(0, 1)); process.stdout.write(bytes.subarray(1, 3)); process.stdout.write(bytes.subarray(3))";
  expect((await t.evaluate(code)).stdout).toBe("é€");
});

it("shows what is written past the streams, with the form that runs", async () => {
  const result = await hear(t, `require('node:fs').writeSync(1, 'raw'); ${untilHeard}`, "raw");
  expect(result.stdout).toBe("raw");
});
