import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it } from "vitest";
import { spawn } from "../../../server/src/process/spawn.ts";
import { startTestImage, until, type TestImage } from "./with-image.ts";

let t: TestImage;
const open: TestImage[] = [];
const start = (options: Parameters<typeof startTestImage>[0] = {}): TestImage => {
  t = startTestImage(options);
  open.push(t);
  return t;
};
afterEach(async () => {
  for (const one of open.splice(0)) await one.dispose();
});

it("starts at the first evaluation and tells its state", async () => {
  start();
  expect(t.image.status()).toMatchObject({ state: "notStarted", confinement: "confined" });
  expect(t.image.status().pid).toBeUndefined();
  await t.value("1");
  expect(t.states.map(({ state }) => state)).toEqual(["starting", "busy", "idle"]);
  expect(t.image.status().pid).toBeGreaterThan(0);
});

it("stops an endless loop at its timeout, says where it was, and keeps the state", async () => {
  start();
  await t.value("const kept = { yes: true };");
  const result = await t.evaluate("function spin(n: number) {\n  for (;;) n += 1;\n}\nspin(1);", { timeoutMs: 200 });
  expect(result).toMatchObject({ outcome: "timeout", stateKept: true });
  expect(result.error?.frames[0]).toMatchObject({ function: "spin", line: 1, code: "for (;;) n += 1;" });
  expect(await t.value("kept.yes")).toBe("true");
});

it("names the line of a project module that was looping", async () => {
  start();
  t.write(
    "src/loop.ts",
    "interface Unused { a: number }\n\nexport function loop(): void {\n  while (true) Math.random();\n}\n",
  );
  const result = await t.evaluate("import { loop } from './src/loop.ts'; loop()", { timeoutMs: 200 });
  expect(result.error?.frames[0]).toMatchObject({ function: "loop", line: 3, code: "while (true) Math.random();" });
});

const hangs: Record<string, string> = {
  "a plain loop": "while (true) {}",
  "a loop that catches everything": "for (;;) { try { for (;;) {} } catch {} finally { continue } }",
  "microtasks without end": "for (;;) await null",
  "nextTick without end":
    "const again = () => process.nextTick(again); again(); await new Promise(() => setTimeout(() => {}, 1e6))",
  "a looping timer callback": "await new Promise(() => setTimeout(() => { for (;;) {} }, 1))",
  "a regular expression that backtracks": "/(a+)+$/.test('a'.repeat(40) + 'b')",
  "a sort comparator": "[3, 2, 1].sort(() => { for (;;) {} })",
  "Atomics.wait": "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)",
  "a printer that loops": "({ [Symbol.for('nodejs.util.inspect.custom')]() { for (;;) {} } })",
  "an await of nothing": "await new Promise(() => setInterval(() => {}, 1000))",
};
it.for(Object.entries(hangs))("interrupts %s and keeps the state", async ([, code]) => {
  start();
  await t.value("const before = 'still here';");
  const running = t.evaluate(code);
  await until(() => t.image.status().state === "busy");
  await until(() => t.image.interrupt());
  const result = await running;
  expect(result).toMatchObject({ outcome: "interrupted", stateKept: true });
  expect(await t.value("globalThis.gc?.(); before")).toBe('"still here"');
});

it("really stops an endless asynchronous loop, and leaves the timers of other forms alone", async () => {
  start();
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

it("runs forms one after the other in the order they came", async () => {
  start();
  const order: string[] = [];
  const first = t
    .evaluate("await new Promise((r) => setTimeout(r, 50)); 'first'")
    .then((r) => order.push(r.preview ?? ""));
  const second = t.evaluate("'second'").then((r) => order.push(r.preview ?? ""));
  await Promise.all([first, second]);
  expect(order).toEqual(['"first"', '"second"']);
});

it("survives its process being killed, and says that the state is gone", async () => {
  start();
  await t.value("const gone = 1;");
  const result = await t.evaluate("process.kill(process.pid, 'SIGKILL'); await new Promise(() => {})");
  expect(result).toMatchObject({ outcome: "crashed", stateKept: false });
  expect(result.error?.message).toContain("SIGKILL");
  expect(t.image.status().state).toBe("dead");
  expect(await t.value("1 + 1")).toBe("2");
  expect((await t.evaluate("gone")).error?.message).toBe("gone is not defined");
});

it("survives running out of memory", async () => {
  const folder = mkdtempSync(join(tmpdir(), "agentq-repl-node-"));
  const nodePath = join(folder, "small-node");
  writeFileSync(nodePath, `#!/bin/sh\nexec "${process.execPath}" --max-old-space-size=48 "$@"\n`, { mode: 0o755 });
  start({ nodePath });
  const result = await t.evaluate("const all: unknown[] = []; for (;;) all.push(new Array(1000).fill(all.length))");
  expect(result).toMatchObject({ outcome: "crashed", stateKept: false });
  expect(result.error?.message).toContain("out of memory");
  expect(await t.value("2 + 2")).toBe("4");
  rmSync(folder, { recursive: true });
}, 60_000);

it("ends a native call that nothing else can stop, and says that effects are unknown", async () => {
  start();
  const result = await t.evaluate("require('node:crypto').pbkdf2Sync('a', 'b', 5e7, 64, 'sha512')", { timeoutMs: 100 });
  expect(result).toMatchObject({ outcome: "timeout", stateKept: false });
  expect(result.error?.message).toContain("effects are unknown");
  expect(await t.value("3")).toBe("3");
}, 30_000);

it("intercepts process.exit and goes on", async () => {
  start();
  await t.value("const alive = 1;");
  const result = await t.evaluate("process.exit(3); 'not reached'");
  expect(result).toMatchObject({ outcome: "error", stateKept: true, error: { name: "ExitIntercepted" } });
  expect(await t.value("alive")).toBe("1");
});

it("reports errors and rejections of the background and goes on", async () => {
  start();
  const result = await t.evaluate(
    "setTimeout(() => { throw new Error('thrown later') }, 1); Promise.reject(new Error('rejected')); await new Promise((r) => setTimeout(r, 60)); 'done'",
  );
  expect(result.preview).toBe('"done"');
  expect(result.notes.map((note) => note.message)).toEqual([
    "Unhandled rejection in the background: Error: rejected",
    "Uncaught in the background: Error: thrown later",
  ]);
});

it("forgets everything on restart, and stops what runs", async () => {
  start();
  await t.value("const old = 1;");
  const pid = t.image.status().pid;
  const running = t.evaluate("while (true) {}");
  await until(() => t.image.status().state === "busy");
  expect((await t.image.restart()).state).toBe("idle");
  expect((await running).stateKept).toBe(false);
  expect(t.image.status().pid).not.toBe(pid);
  expect((await t.evaluate("old")).error?.name).toBe("ReferenceError");
});

it("goes on when a form breaks the built-ins that it relies on", async () => {
  start();
  await t.evaluate(
    "Map.prototype.set = null as never; Map.prototype.get = null as never; globalThis.setImmediate = undefined as never; globalThis.Promise = null as never; JSON.stringify = null as never; globalThis.process = null as never",
  );
  expect(await t.value("[1, { a: 2 }]")).toBe("[1, { a: 2 }]");
  expect((await t.evaluate("null.x")).error?.name).toBe("TypeError");
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
  start();
  expect(
    (await t.evaluate("require('node:fs').closeSync(3); await new Promise(() => {})", { timeoutMs: 5000 })).stateKept,
  ).toBe(false);
  expect(await t.value("4")).toBe("4");
});

it("keeps every background loop and every reply through many interrupts", async () => {
  start();
  await t.value(
    "globalThis.turns = [0, 0]; for (const i of [0, 1]) (async () => { for (;;) { await new Promise((r) => setTimeout(r, 1)); globalThis.turns[i]++; } })(); 1",
  );
  for (let round = 0; round < 15; round++) {
    const running = t.evaluate(round % 2 === 0 ? "for (;;) {}" : "await new Promise(() => {})");
    await new Promise((resolve) => setTimeout(resolve, round * 3));
    await until(() => t.image.interrupt());
    expect(await running).toMatchObject({ outcome: "interrupted", stateKept: true });
  }
  const before = JSON.parse(await t.value("globalThis.turns")) as number[];
  await until(async () =>
    (JSON.parse(await t.value("globalThis.turns")) as number[]).every((n, i) => n > (before[i] ?? 0)),
  );
});

it("answers interrupted when the interrupt comes together with the form", async () => {
  start();
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

it("dies with its parent, even in the middle of a loop", async () => {
  const script = fileURLToPath(new URL("parent-that-dies.ts", import.meta.url));
  t = start();
  const parent = spawn(process.execPath, [script, t.root], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  parent.stdout?.setEncoding("utf8").on("data", (more: string) => {
    text += more;
  });
  await until(() => text.includes("\n"));
  const pid = Number(text);
  expect(isRunning(pid)).toBe(true);
  parent.kill("SIGKILL");
  await until(() => !isRunning(pid));
}, 20_000);

function isRunning(pid: number): boolean {
  const stat = `/proc/${pid}/stat`;
  if (existsSync("/proc/self/stat")) return existsSync(stat) && !/\) Z /.test(readFileSync(stat, "utf8"));
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
