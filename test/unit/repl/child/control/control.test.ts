import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { startTestImage, until, type TestImage } from "../../with-image.ts";

let shared: TestImage;
let t: TestImage;
beforeAll(() => {
  shared = startTestImage();
});
beforeEach(() => {
  t = shared;
});
afterAll(() => shared.dispose());

/** For a test that asks for an image which nobody has used. */
const start = (options: Parameters<typeof startTestImage>[0] = {}): void => {
  const fresh = startTestImage(options);
  t = fresh;
  onTestFinished(() => fresh.dispose());
};

it("starts at the first evaluation and tells its state", async () => {
  start();
  expect(t.image.status()).toMatchObject({ state: "notStarted", confinement: "confined" });
  expect(t.image.status().pid).toBeUndefined();
  await t.value("1");
  expect(t.states.map(({ state }) => state)).toEqual(["starting", "busy", "idle"]);
  expect(t.image.status().pid).toBeGreaterThan(0);
});

it("stops an endless loop at its timeout, says where it was, and keeps the state", async () => {
  await t.value("const kept = { yes: true };");
  const result = await t.evaluate("function spin(n: number) {\n  for (;;) n += 1;\n}\nspin(1);", { timeoutMs: 1_000 });
  expect(result).toMatchObject({ outcome: "timeout", stateKept: true });
  expect(result.error?.frames[0]).toMatchObject({ function: "spin", line: 1, code: "for (;;) n += 1;" });
  expect(await t.value("kept.yes")).toBe("true");
});

it("names the line of a project module that was looping", async () => {
  t.write(
    "src/loop.ts",
    "interface Unused { a: number }\n\nexport function loop(): void {\n  while (true) Math.random();\n}\n",
  );
  const result = await t.evaluate("import { loop } from './src/loop.ts'; loop()", { timeoutMs: 1_000 });
  expect(result.error?.frames[0]).toMatchObject({ function: "loop", line: 3, code: "while (true) Math.random();" });
});

it("really stops an endless asynchronous loop, and leaves the timers of other forms alone", async () => {
  await t.value("globalThis.mine = 0; globalThis.other = 0; setInterval(() => { globalThis.other += 1 }, 5); 1");
  const stopped = new AbortController();
  const code = "for (;;) { await new Promise((r) => setTimeout(r, 1)); globalThis.mine += 1 }";
  const running = t.image.evaluate({ code, by: "agent" }, stopped.signal);
  await until(() => t.image.status().state === "busy");
  setTimeout(() => stopped.abort(), 50);
  expect(await running).toMatchObject({ outcome: "interrupted", stateKept: true });
  const [mine, other] = JSON.parse(await t.value("[globalThis.mine, globalThis.other]")) as [number, number];
  await until(async () => Number(await t.value("globalThis.other")) > other + 3);
  expect(await t.value("globalThis.mine")).toBe(String(mine));
});

it("does not begin a form whose caller has already gone", async () => {
  start();
  const result = await t.image.evaluate({ code: "1", by: "agent" }, AbortSignal.abort());
  expect(result.outcome).toBe("interrupted");
  expect(t.image.status().state).toBe("notStarted");
});

it("answers false to an interrupt when nothing runs", async () => {
  start();
  expect(await t.image.interrupt()).toBe(false);
  await t.value("1");
  expect(await t.image.interrupt()).toBe(false);
});

it("begins a form while an earlier one waits, and keeps the order of what runs synchronously", async () => {
  await t.value("globalThis.order = []; globalThis.release = undefined; 1");
  const waiting = t.evaluate(
    "order.push('first'); await new Promise((r) => { release = r }); order.push('last'); 'first'",
  );
  const more = ["second", "third", "fourth"].map((name) => t.evaluate(`order.push('${name}')`));
  await Promise.all(more);
  await t.value("release()");
  expect((await waiting).preview).toBe('"first"');
  expect(await t.value("order.join()")).toBe('"first,second,third,fourth,last"');
});

it("forgets everything on restart, and stops what runs", async () => {
  await t.value("const old = 1;");
  const pid = t.image.status().pid;
  const running = t.evaluate("while (true) {}");
  await until(() => t.image.status().state === "busy");
  expect((await t.image.restart()).state).toBe("idle");
  expect((await running).stateKept).toBe(false);
  expect(t.image.status().pid).not.toBe(pid);
  expect((await t.evaluate("old")).error?.name).toBe("ReferenceError");
});

it("hears nothing from a form that writes frames of its own", async () => {
  start({ confinement: "open" });
  const forged = JSON.stringify({ t: "result", id: 1, outcome: "value", value: { preview: "forged", type: "x" } });
  const result = await t.evaluate(
    `const body = Buffer.from(${JSON.stringify(forged)}); const head = Buffer.alloc(4); head.writeUInt32BE(body.length); require('node:fs').writeSync(3, Buffer.concat([head, body])); 'real'`,
  );
  expect(result.preview).toBe('"real"');
});

it("recovers when a form closes the channel to the server", async () => {
  expect(
    (await t.evaluate("require('node:fs').closeSync(3); await new Promise(() => {})", { timeoutMs: 5000 })).stateKept,
  ).toBe(false);
  expect(await t.value("4")).toBe("4");
});

it("answers interrupted when the interrupt comes together with the form", async () => {
  await t.value("1");
  const pid = t.image.status().pid ?? 0;
  for (let round = 0; round < 8; round++) {
    process.kill(pid, "SIGSTOP");
    const running = t.evaluate("for (;;) {}");
    await until(() => t.image.status().state === "busy");
    const interrupted = t.image.interrupt();
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.kill(pid, "SIGCONT");
    expect(await interrupted).toBe(true);
    expect(await running).toMatchObject({ outcome: "interrupted", stateKept: true });
  }
});
