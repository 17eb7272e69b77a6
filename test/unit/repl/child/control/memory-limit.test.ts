import { afterAll, beforeAll, expect, it } from "vitest";
import { describeEachNode } from "../../../../support/node-versions.ts";
import { startOn, type TestImage } from "../../with-image.ts";

describeEachNode([22, 24, 26], (node) => {
  let t: TestImage;
  beforeAll(async () => {
    t = startOn(node, { heapLimitMb: 192 });
    await t.value("const kept = 'kept'; 1");
  });
  afterAll(() => t.dispose());

  it("stops a form that eats the heap, says how large that was, and keeps the state where it comes in time", async () => {
    const eats = "const all: unknown[] = []; for (;;) all.push(new Array(1000).fill(all.length))";
    let result = await t.evaluate(eats);
    // On a machine that is busy otherwise it may come too late, which ends the process.
    for (let tries = 1; result.outcome === "crashed" && tries < 3; tries++) {
      expect(result).toMatchObject({ stateKept: false });
      await t.value("const kept = 'kept'; 1");
      result = await t.evaluate(eats);
    }
    expect(result).toMatchObject({ outcome: "error", stateKept: true, error: { name: "MemoryLimit" } });
    expect(result.error?.message).toMatch(
      /^Stopped before the memory was full while it (ran here|was running); state is kept\. The heap had grown to (1[5-9]|2\d)\d MB of 192 MB; \d+ MB are still held\. The option repl\.heapLimitMb raises the limit\./,
    );
    expect(t.image.lastError()?.error.name).toBe("MemoryLimit");
    // What its names hold is still there, and so full an image can still let go of it.
    expect(await t.value("[kept, all.length > 10_000]")).toBe('["kept", true]');
    await t.value("all.length = 0");
  });

  it("stops a form whose buffers lie outside of the heap, whether it waits in between or not", async () => {
    const busy = "(() => { const list: Buffer[] = []; for (;;) list.push(Buffer.alloc(1e6, 1)) })()";
    const waiting =
      "await (async () => { const list: Buffer[] = []; for (;;) { list.push(Buffer.alloc(1e6, 1)); await new Promise((r) => setTimeout(r)) } })()";
    for (const code of [busy, waiting]) {
      const result = await t.evaluate(code);
      expect(result).toMatchObject({ outcome: "error", stateKept: true, error: { name: "MemoryLimit" } });
      expect(result.error?.message).toMatch(/Buffers outside of the heap had grown to \d+ MB of 192 MB; \d+ MB are/);
    }
    expect(await t.value("kept")).toBe('"kept"');
  });

  it("lets a form go on that only makes garbage", async () => {
    const code =
      "let made = 0; while (made < 1e9) { made += new Array(10_000).fill(made).length + Buffer.alloc(1e6, 1).length } made > 1e8";
    expect(await t.value(code)).toBe("true");
  });
});
