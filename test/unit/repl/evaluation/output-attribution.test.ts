import { afterAll, beforeAll, expect, it } from "vitest";
import { describeEachNode } from "../../../support/node-versions.ts";
import { hear, startOn, until, untilHeard, type TestImage } from "../with-image.ts";

const pause = (ms: number): string => `await new Promise((r) => setTimeout(r, ${ms}))`;

/** Ways to write, each ending when it has written `mark`. */
const ways: readonly (readonly [string, string])[] = [
  ["directly", "console.log('mark')"],
  ["after an await", "await null; console.log('mark')"],
  ["in a microtask", "queueMicrotask(() => console.log('mark')); await null; await null"],
  ["in nextTick", `process.nextTick(() => console.log('mark')); ${pause(2)}`],
  ["in a timer", `setTimeout(() => console.log('mark'), 3); ${pause(12)}`],
  ["in an immediate", `setImmediate(() => console.log('mark')); ${pause(5)}`],
  ["in an interval", `const i = setInterval(() => { console.log('mark'); clearInterval(i) }, 2); ${pause(12)}`],
  ["behind a chain of promises", "await Promise.resolve().then(() => 1).finally(() => console.log('mark'))"],
  [
    "in a callback of the file system",
    "await new Promise<void>((r) => require('node:fs').readFile('package.json', () => { console.log('mark'); r() }))",
  ],
  [
    "in a listener that it calls",
    "const e = new (require('node:events'))(); e.on('x', () => console.log('mark')); e.emit('x')",
  ],
  ["in a module that it loads", "await import('./src/speaks.ts')"],
  ["in pieces to the stream", "process.stdout.write('ma'); process.stdout.write('rk\\n')"],
];

describeEachNode([22, 24, 26], (node) => {
  let t: TestImage;
  const textOf = (id: string, late?: boolean): string =>
    t.outputs
      .filter((output) => output.evalId === id && (late === undefined || (output.late === true) === late))
      .map(({ text }) => text)
      .join("");
  beforeAll(async () => {
    t = startOn(node, { confinement: "open" });
    t.write("src/speaks.ts", "console.log('mark');\nexport {};\n");
    await t.value("1");
  });
  afterAll(() => t.dispose());

  it("attributes what is written to the form that wrote it, also while another one writes all the time", async () => {
    const noise = t.evaluate("for (;;) { console.log('noise'); await new Promise((r) => setTimeout(r, 1)) }", {
      evalId: "noise",
    });
    for (const [way, code] of ways) {
      const result = await t.evaluate(code);
      expect([way, result.stdout]).toEqual([way, "mark\n"]);
    }
    await t.image.interrupt("noise");
    expect((await noise).stdout).toMatch(/^(?:noise\n){3,}$/);
  });

  it("attributes what a server's handler writes to the form that made the server", async () => {
    const made = await t.evaluate(
      "const server = require('node:http').createServer((_: unknown, answer: any) => { console.log('handled'); answer.end('hello') }); await new Promise<void>((r) => server.listen(0, '127.0.0.1', r)); server.address().port",
      { evalId: "the server" },
    );
    const asked = await t.evaluate(
      `console.log('asking'); await new Promise((r) => require('node:http').get('http://127.0.0.1:${made.preview ?? ""}', (answer: any) => answer.on('data', (data: any) => r(String(data)))))`,
    );
    expect(asked).toMatchObject({ preview: '"hello"', stdout: "asking\n" });
    await until(() => textOf("the server").includes("handled"));
    expect(textOf("the server", true)).toBe("handled\n");
    await t.value("server.close(); server.closeAllConnections(); 1");
  });

  it("marks as late what comes when the form is over, and nothing before", async () => {
    await t.evaluate("console.log('now'); setTimeout(() => console.log('later'), 15); 1", { evalId: "late one" });
    await until(() => textOf("late one").includes("later"));
    expect([textOf("late one", false), textOf("late one", true)]).toEqual(["now\n", "later\n"]);
  });

  it("hears a child process and a worker thread", async () => {
    const child = await hear(
      t,
      `const { status } = require('node:child_process').spawnSync(process.execPath, ['-e', 'console.log("from the child")'], { stdio: 'inherit' }); ${untilHeard}; status`,
      "from the child",
    );
    expect(child).toMatchObject({ preview: "0", stdout: "from the child\n" });
    const worker = await hear(
      t,
      `const w = new (require('node:worker_threads').Worker)('console.log("from the worker")', { eval: true }); await new Promise((r) => w.on('exit', r)); ${untilHeard}; 1`,
      "from the worker",
    );
    expect(worker.stdout).toBe("from the worker\n");
  });

  it("gives text that several forms may have written to none of them, and says so", async () => {
    const waiting = t.evaluate("await new Promise((r) => { globalThis.go = r })");
    const writing = await hear(t, `require('node:fs').writeSync(1, 'whose?'); ${untilHeard}`, "whose?");
    await t.value("go()");
    const results = [writing, await waiting];
    for (const { stdout, notes } of results) {
      expect(stdout).toBe("");
      expect(notes.map(({ message }) => message)).toContain(
        "Text written past the streams while several forms ran is in the REPL's output, not here.",
      );
    }
    expect(t.outputs.some(({ evalId, text }) => evalId === undefined && text === "whose?")).toBe(true);
  });

  it("keeps the server's memory where it is through a gigabyte", async () => {
    const before = process.memoryUsage().rss;
    const cut = await t.evaluate(
      "const block = 'x'.repeat(1e6); for (let i = 0; i < 1000; i++) process.stdout.write(block); 'done'",
      { timeoutMs: 60_000 },
    );
    expect(cut).toMatchObject({ preview: '"done"', truncated: true });
    expect(cut.stdout.replaceAll(/[^x]/g, "")).toHaveLength((64 + 16) * 1024);
    const raw = await t.evaluate(
      "require('node:child_process').spawnSync(process.execPath, ['-e', 'const b = Buffer.alloc(1 << 20, 120); for (let i = 0; i < 200; i++) require(\"node:fs\").writeSync(1, b)'], { stdio: 'inherit' }).status",
      { timeoutMs: 60_000 },
    );
    expect(raw).toMatchObject({ preview: "0" });
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  });

  it("tells once that late output is not shown any more, and shows it again with the next form", async () => {
    await t.evaluate("let beat = setInterval(() => process.stdout.write('y'.repeat(40_000)), 2); 1", {
      evalId: "chatty",
    });
    await until(() => textOf("chatty", true).includes("more output is not shown"));
    const shown = textOf("chatty").length;
    expect(textOf("chatty").split("more output is not shown").length).toBe(2);
    await t.value("1");
    await until(() => textOf("chatty").length > shown);
    await t.value("clearInterval(beat); 1");
  });

  it("takes bytes that are no text, and characters in pieces", async () => {
    const result = await t.evaluate(
      "process.stdout.write(Buffer.from([0xff, 0xfe, 0x00, 0x41])); const euro = Buffer.from('€😀'); for (const byte of euro) process.stdout.write(Uint8Array.of(byte)); process.stderr.write('\\u0000\\u001b[31mred')",
    );
    expect(result.stdout).toBe("\ufffd\ufffd\u0000A€😀");
    expect(result.stderr).toBe("\u0000\u001b[31mred");
  });
});
