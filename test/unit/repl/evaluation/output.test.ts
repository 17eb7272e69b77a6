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
  expect(result.stdout.length).toBe(64 * 1024);
  expect(result.notes.at(-1)?.message).toMatch(/Output was cut: at least \d{8,} more characters were dropped/);
  expect((await t.evaluate("console.log('again')")).stdout).toBe("again\n");
});

it("counts all that was dropped, in one turn and in several", async () => {
  const dropped = async (code: string): Promise<string | undefined> =>
    (await t.evaluate(code)).notes.find(({ message }) => message.includes("dropped"))?.message;
  const over = (count: number): string => `Output was cut: at least ${count} more characters were dropped.`;
  expect(await dropped("for (let n = 0; n < 2000; n++) process.stdout.write('x'.repeat(100)); 1")).toBe(over(134_464));
  expect(await dropped("for (let n = 0; n < 20; n++) { process.stdout.write('x'.repeat(10_000)); await null }")).toBe(
    over(134_464),
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
