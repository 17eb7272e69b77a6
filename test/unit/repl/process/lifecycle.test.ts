import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { spawn } from "../../../../server/src/process/spawn.ts";
import { createScratch } from "../../../../server/src/repl/confinement/limited/scratch.ts";
import { describeEachNode } from "../../../support/node-versions.ts";
import { isRunning, startOn, until, type TestImage } from "../with-image.ts";

const settled = "await new Promise((r) => setTimeout(r, 40)); 'done'";
const notesOf = (result: { notes: readonly { message: string }[] }): string[] =>
  result.notes.map(({ message }) => message);

describeEachNode([22, 24, 26], (node) => {
  let t: TestImage;
  beforeAll(async () => {
    t = startOn(node, { heapLimitMb: 96 });
    await t.value("const kept = 'kept'; 1");
  });
  afterAll(() => t.dispose());

  it.for([
    [
      "an error in a timer",
      "setTimeout(() => { throw new RangeError('late') }, 1)",
      "Uncaught in the background: RangeError: late",
    ],
    [
      "an error in nextTick",
      "process.nextTick(() => { throw new Error('tick') })",
      "Uncaught in the background: Error: tick",
    ],
    [
      "an error of an emitter",
      "setTimeout(() => new (require('node:events'))().emit('error', new Error('emitted')), 1)",
      "Uncaught in the background: Error: emitted",
    ],
    [
      "a rejection",
      "Promise.reject(new TypeError('refused'))",
      "Unhandled rejection in the background: TypeError: refused",
    ],
    [
      "a rejection that is no error",
      "Promise.reject('words')",
      'Unhandled rejection in the background: Thrown value: "words"',
    ],
    [
      "a rejection with undefined",
      "Promise.reject()",
      "Unhandled rejection in the background: Thrown value: undefined",
    ],
    [
      "a thrown object",
      "setTimeout(() => { throw { code: 7 } }, 1)",
      "Uncaught in the background: Thrown value: { code: 7 }",
    ],
  ])("tells %s with its form and goes on", async ([, code, message]) => {
    const result = await t.evaluate(`${code ?? ""}; ${settled}`);
    expect(result).toMatchObject({ outcome: "value", preview: '"done"' });
    expect(notesOf(result)).toEqual([message]);
    expect(await t.value("kept")).toBe('"kept"');
  });

  it.for([
    ["process.exit(3)", "process.exit(3)"],
    ["process.reallyExit(4)", "(process as any).reallyExit(4)"],
    ["process.abort()", "process.abort()"],
  ])("intercepts %s: what follows does not run, and the image goes on", async ([called, code]) => {
    const result = await t.evaluate(`globalThis.reached = false; ${code}; globalThis.reached = true`);
    expect(result).toMatchObject({ outcome: "error", stateKept: true, error: { name: "ExitIntercepted" } });
    expect(result.error?.message).toContain(`${called} was called`);
    expect(await t.value("[kept, reached]")).toBe('["kept", false]');
  });

  it("survives that what a form awaits is collected, and says that it can never end where Node tells", async () => {
    // Only in the open mode a program may have the collector.
    const open = startOn(node, { confinement: "open" });
    await open.value("const kept = 'kept'; 1");
    const result = await open.evaluate(
      "require('node:v8').setFlagsFromString('--expose-gc'); const collect = require('node:vm').runInNewContext('gc'); setTimeout(collect, 20); setTimeout(collect, 60);\nawait new Promise(() => {})",
      { timeoutMs: node.major === 22 ? 20_000 : 500 },
    );
    // Node 24 and 26 keep such a promise alive.
    const name = node.major === 22 ? "NeverSettles" : "Timeout";
    expect(result).toMatchObject({ stateKept: true, error: { name, frames: [{ line: 1, character: 0 }] } });
    expect(await open.value("kept")).toBe('"kept"');
    await open.dispose();
  });

  it("aborts $signal of the stopped evaluation and no other", async () => {
    await t.value("globalThis.other = $signal; 1");
    const stopped = await t.evaluate(
      "globalThis.mine = $signal; await new Promise((settle) => { globalThis.settle = settle })",
      {
        timeoutMs: 80,
      },
    );
    expect(stopped.error?.message).toBe(
      "Stopped after 80 ms: it was waiting here for something that did not come. Its timers were cleared and its $signal was aborted; state is kept.",
    );
    expect(await t.value("[mine.aborted, other.aborted]")).toBe("[true, false]");
  });

  it("tells the local variables of where it was stopped", async () => {
    const result = await t.evaluate(
      "function search(wanted: string, list: number[]) {\n  let tries = 3;\n  for (;;) tries += list.length;\n}\nsearch('needle', [1, 2])",
      { timeoutMs: 100 },
    );
    expect(result.error?.message).toContain('Local variables: wanted = "needle", list = Array(2) [1, 2], tries = ');
    expect(result.error?.frames[0]).toMatchObject({
      function: "search",
      line: 2,
      code: "for (;;) tries += list.length;",
    });
  });

  it.each([
    ["a loop at the top of a form", "for (let i = 7; i > 0;) { i = 8 }", "i = (7|8)"],
    [
      "a block at the top of a form",
      "{ const n = 5; const twice = n * 2; for (;;) { globalThis.seen = n } }",
      "n = 5, twice = <no value now>",
    ],
    ["loops in blocks, innermost first", "{ const n = 5; for (let i = 0; i < n;) { i = 1 } }", "i = [01], n = 5"],
    [
      "a function",
      "function turn(by: number) { for (let at = 1; at > 0;) { const k = by; at = k } } turn(2)",
      "(k = 2, )?at = [12], by = 2(, k = <no value now>)?",
    ],
    ["a catch clause", "try { throw 6 } catch (thrown) { for (;;) { globalThis.seen = thrown } }", "thrown = 6"],
  ])("tells the local variables of %s", async (_what, code, locals) => {
    const { error } = await t.evaluate(code, { timeoutMs: 100 });
    expect(error?.message).toMatch(new RegExp(`state is kept\\. Local variables: ${locals}\\.$`));
    expect(error?.frames[0]).toMatchObject({ line: 0 });
    expect(await t.value("1")).toBe("1");
  });

  it("looks at no variables of an object that `with` stands for, and calls no getter", async () => {
    await t.value(
      "globalThis.asked = 0; globalThis.odd = new Proxy({}, { has() { asked++; return false }, ownKeys() { asked += 1000; return [] } }); 1",
    );
    const { error } = await t.evaluate(
      "{ const n = { get trap() { asked += 1000; return 1 } }; for (let i = 0; i < 1;) { n; } }",
      {
        timeoutMs: 100,
      },
    );
    expect(error?.message).toContain("Local variables: i = 0, n = {");
    expect(await t.value("asked")).toBe("0");
  });

  it("interrupts code that uses AsyncLocalStorage without losing its stores", async () => {
    await t.value("globalThis.store = new (require('node:async_hooks').AsyncLocalStorage)(); 1");
    const running = t.evaluate("await store.run('mine', async () => { await null; console.log('in'); for (;;) {} })", {
      evalId: "als",
    });
    await until(() => t.outputs.some(({ evalId }) => evalId === "als"));
    await t.image.interrupt("als");
    expect(await running).toMatchObject({ outcome: "interrupted", stateKept: true });
    expect(await t.value("store.run('again', () => store.getStore())")).toBe('"again"');
    expect(await t.value("String(store.getStore())")).toBe('"undefined"');
  });

  it("begins a form outside of the AsyncLocalStorage in which other code runs meanwhile", async () => {
    await t.value("globalThis.store = new (require('node:async_hooks').AsyncLocalStorage)(); 1");
    const running = t.evaluate(
      "store.run('mine', () => { console.log('in'); const end = Date.now() + 200; while (Date.now() < end) Math.random(); return store.getStore() })",
      { evalId: "inside" },
    );
    await until(() => t.outputs.some(({ evalId }) => evalId === "inside"));
    expect(await t.value("String(store.getStore())")).toBe('"undefined"');
    expect((await running).preview).toBe('"mine"');
  });

  it("survives its process being killed, and says that the state is gone", async () => {
    const result = await t.evaluate(
      "console.log('last words'); process.kill(process.pid, 'SIGKILL'); await new Promise(() => {})",
    );
    expect(result.stdout).toBe("last words\n");
    expect(result).toMatchObject({ outcome: "crashed", stateKept: false });
    expect(result.error?.message).toContain("SIGKILL");
    expect(t.image.status().state).toBe("dead");
    expect(await t.value("1 + 1")).toBe("2");
    expect((await t.evaluate("kept")).error?.message).toBe(
      "kept is not defined: it was lost when the REPL's process ended",
    );
  });

  it("survives running out of memory, says so, and starts again", async () => {
    // At once, so that it cannot be stopped before: memory-limit.test.ts has what can.
    const result = await t.evaluate("console.log('last words'); new Array(3e7).fill(0).map((_, i) => ({ i }))");
    expect(result.stdout).toBe("last words\n");
    expect(result).toMatchObject({ outcome: "crashed", stateKept: false });
    expect(result.error?.message).toContain("it ran out of memory");
    expect(await t.value("2 + 2")).toBe("4");
  });

  it("takes an allocation that is too large and a stack overflow as ordinary errors", async () => {
    expect((await t.evaluate("Buffer.alloc(1e13)")).error?.name).toMatch(/RangeError/);
    expect((await t.evaluate("const down = (): number => down() + 1; down()")).error?.name).toBe("RangeError");
    expect(await t.value("3 + 3")).toBe("6");
  });

  it("goes on after forms that left open servers, files and timers behind, and ends all the same", async () => {
    const { pid } = t.image.status();
    await t.value("setInterval(() => {}, 5); globalThis.file = require('node:fs').openSync('package.json'); 1");
    await t.evaluate("require('node:net').createServer().on('error', () => {}).listen(0); 1");
    expect(await t.value("'after'")).toBe('"after"');
    await t.image.restart();
    await until(() => !isRunning(pid ?? 0));
    expect(await t.value("'new'")).toBe('"new"');
  });

  it("is restarted cleanly, with the reason, when async_hooks make an interrupt fatal", async () => {
    await t.value("require('node:async_hooks').createHook({ init() {}, before() {}, after() {} }).enable(); 1");
    const result = await t.evaluate("await null; for (;;) await null", { timeoutMs: 100 });
    if (!result.stateKept) expect(result.error?.message).toMatch(/async|assert|effects are unknown/i);
    expect(await t.value("'usable'")).toBe('"usable"');
  });

  it("dies with its parent, even in the middle of a loop", async () => {
    const script = fileURLToPath(new URL("parent-that-dies.ts", import.meta.url));
    const mode = node.major < 24 ? "open" : "confined";
    const parent = spawn(process.execPath, [script, t.root, node.path, mode], { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    parent.stdout?.setEncoding("utf8").on("data", (more: string) => {
      text += more;
    });
    await until(() => text.includes("\n"));
    const pid = Number(text);
    expect(isRunning(pid)).toBe(true);
    parent.kill("SIGKILL");
    await until(() => !isRunning(pid));
    // Nobody was left who could remove the folder of the process.
    const other = createScratch();
    other.sweep();
    other.dispose();
  });
});
