/** What a form that is over left running, and how it is kept from ending the image by the memory it takes. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { itAtLength } from "../../../support/extent.ts";
import { describeEachNode } from "../../../support/node-versions.ts";
import type { ImageOptions } from "../../../../server/src/repl/process/image-process.ts";
import { startOn, until, type TestImage } from "../with-image.ts";

describeEachNode([22, 24, 26], (node) => {
  let t: TestImage;
  const start = async (options: Partial<ImageOptions>): Promise<void> => {
    t = startOn(node, { heapLimitMb: 192, ...options });
    await t.value(
      "const kept = 'kept'; let all: unknown[] = []; const eat = (count: number) => { for (let i = 0; i < count; i++) all.push(new Array(1000).fill(i)) }; 1",
    );
  };
  beforeEach(async () => {
    await start({ network: "open" });
  });
  afterEach(() => t.dispose());

  const stopped = async (evalId: string): Promise<string> => {
    const find = () => t.outputs.find((each) => each.evalId === evalId && each.text.includes("memory"));
    await until(() => find() !== undefined);
    expect(find()).toMatchObject({ stream: "stderr", late: true });
    return find()?.text ?? "";
  };

  it.for([
    // After a rest: the watch sleeps by then. Slowly, so that also a busy machine has the time.
    [
      "a timer that never comes back",
      "setTimeout(() => { for (;;) { eat(15); for (let i = 0; i < 1e5; i++); } }, 1500)",
      "",
    ],
    ["an interval, bit by bit", "setInterval(eat, 5, 100)", "1 timer"],
    [
      "a loop that waits",
      "void (async () => { for (;;) { eat(100); await new Promise((r) => setTimeout(r, 1)) } })()",
      "",
    ],
  ] as const)("stops %s, says whose it was, and keeps the state", async ([, code, what]) => {
    const { evalId } = await t.evaluate(`${code}; 1`);
    const text = await stopped(evalId);
    expect(text).toMatch(
      /^What form \d+ had left running was stopped before the memory was full(: [^.;]+)?; state is kept\. The heap had grown to \d+ MB of 192 MB; \d+ MB are still held\. The option repl\.heapLimitMb raises the limit\.\n$/,
    );
    expect(text).toContain(`form ${evalId} had left running`);
    if (what !== "") expect(text).toContain(`full: ${what};`);
    expect(t.image.lastError()).toMatchObject({ evalId, error: { name: "MemoryLimit" } });
    expect(await t.value("[kept, all.length > 10_000]")).toBe('["kept", true]');
  });

  it("stops what goes on to grow right after garbage was collected that was most of the memory", async () => {
    // Held: a little less than what is too much. Garbage: so much that it is collected.
    const { evalId } = await t.evaluate(
      `eat(17_800); setTimeout(async () => {
         for (let i = 0, last; i < 30_000; i++) last = new Array(100).fill(i);
         for (let turn = 0; turn < 200; turn++) { eat(60); await new Promise((r) => setImmediate(r)); }
       }, 50); 1`,
    );
    expect(await stopped(evalId)).toContain(`form ${evalId} had left running`);
    expect(await t.value("kept")).toBe('"kept"');
  });

  itAtLength(
    "survives that garbage is collected time and again while the heap is nearly full",
    { timeout: 150_000 },
    async () => {
      // Only in the open mode a program may have the collector.
      await t.dispose();
      await start({ confinement: "open" });
      const { evalId } = await t.evaluate("setInterval(eat, 5, 100); 1");
      await stopped(evalId);
      const collect = `require("node:v8").setFlagsFromString("--expose-gc");
      const collect = require("node:vm").runInNewContext("gc") as () => void;
      for (let i = 0; i < 12; i++) collect();
      [kept, all.length > 10_000]`;
      // A busy machine takes its time for twelve collections of a full heap.
      expect(await t.value(collect, { timeoutMs: 120_000 })).toBe('["kept", true]');
    },
  );

  it.runIf(existsSync("/proc/self/task"))("costs nothing while nothing runs, whatever is left open", async () => {
    await t.evaluate(
      "const idle = require('node:net').createServer().listen(0, '127.0.0.1'); setTimeout(() => {}, 1e8); 1",
    );
    const wakes = (): number => {
      const tasks = `/proc/${t.image.status().pid ?? 0}/task`;
      const ofTask = (id: string): number =>
        Number(/^voluntary_ctxt_switches:\s*(\d+)/m.exec(readFileSync(`${tasks}/${id}/status`, "utf8"))?.[1]);
      return readdirSync(tasks).reduce((sum, id) => sum + ofTask(id), 0);
    };
    let before = -1;
    await until(async () => {
      const now = wakes();
      if (now === before) return true;
      before = now;
      await new Promise((r) => setTimeout(r, 1500));
      return false;
    });
    expect(await t.value("kept")).toBe('"kept"');
  });
});
