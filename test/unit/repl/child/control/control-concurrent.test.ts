import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { describeEachNode } from "../../../../support/node-versions.ts";
import { startOn, until, type TestImage } from "../../with-image.ts";

describeEachNode([22, 24, 26], (node) => {
  let t: TestImage;
  beforeAll(async () => {
    t = startOn(node);
    await t.value(
      "globalThis.gates = {}; globalThis.gate = (name) => new Promise((open) => { gates[name] = open }); 1",
    );
  });
  afterAll(() => t.dispose());

  describe("several evaluations at once", () => {
    it("gives each its own value, output, notes and handle", async () => {
      const first = t.evaluate(
        "console.log('a1'); await gate('a'); console.log('a2'); Promise.reject(new Error('of a')); await new Promise((r) => setTimeout(r, 20)); 'A'",
      );
      const second = t.evaluate(
        "console.error('b1'); await gate('b'); setTimeout(() => console.log('b2'), 1); await new Promise((r) => setTimeout(r, 20)); 'B'",
      );
      expect(await t.value("await null; Object.keys(gates).join()")).toBe('"a,b"');
      await t.value("gates.b()");
      const b = await second;
      await t.value("gates.a()");
      const a = await first;
      expect(a).toMatchObject({ preview: '"A"', stdout: "a1\na2\n", stderr: "" });
      expect(b).toMatchObject({ preview: '"B"', stdout: "b2\n", stderr: "b1\n", notes: [] });
      expect(a.notes.map(({ message }) => message)).toEqual(["Unhandled rejection in the background: Error: of a"]);
      expect(await t.value(`${a.valueId} + ${b.valueId}`)).toBe('"AB"');
    });

    it("declares names in the order the forms came, also when the later one ends first", async () => {
      const slow = t.evaluate("let shared = await gate('slow'); shared");
      await t.value("let shared = 'quick'; shared");
      await t.value("gates.slow('slow')");
      expect((await slow).preview).toBe('"slow"');
      expect(await t.value("shared")).toBe('"slow"');
    });

    it("is busy until the last of them has ended", async () => {
      const waiting = t.evaluate("await gate('w')");
      await t.value("1");
      expect(t.image.status().state).toBe("busy");
      await t.value("gates.w()");
      await waiting;
      expect(t.image.status().state).toBe("idle");
    });

    it("interrupts the one that is named, and all of them when none is", async () => {
      const [a, b, c] = ["a", "b", "c"].map((name) => t.evaluate(`await gate('${name}')`, { evalId: `named ${name}` }));
      await t.value("1");
      expect(await t.image.interrupt("named b")).toBe(true);
      expect((await b)?.outcome).toBe("interrupted");
      expect(t.image.status().state).toBe("busy");
      expect(await t.image.interrupt("named b")).toBe(false);
      expect(await t.image.interrupt()).toBe(true);
      expect([(await a)?.outcome, (await c)?.outcome]).toEqual(["interrupted", "interrupted"]);
      expect(t.image.status().state).toBe("idle");
    });

    it("has a time limit for each", async () => {
      const long = t.evaluate("await gate('long')", { timeoutMs: 20_000 });
      const short = await t.evaluate("await gate('short')", { timeoutMs: 60 });
      expect(short).toMatchObject({ outcome: "timeout", stateKept: true });
      expect(short.error?.message).toMatch(/^Stopped after 60 ms: it was waiting here for something that did not come/);
      await t.value("gates.long(5)");
      expect((await long).preview).toBe("5");
    });

    it("says which form holds the main thread when another one could not begin, and stops only the waiting one", async () => {
      const end = join(t.root, "end");
      const holder = t.evaluate(
        `const { existsSync } = require("node:fs"); console.log("holding"); while (!existsSync(${JSON.stringify(end)})); "done"`,
        { evalId: "the holder" },
      );
      await until(() => t.outputs.some(({ text }) => text === "holding\n"));
      // On a busy machine the holder's place may not be found in so short a time.
      const waiting = await vi.waitFor(
        async () => {
          const stopped = await t.evaluate("let never = 1; never", { timeoutMs: 150 });
          expect(stopped).toMatchObject({ outcome: "timeout", stateKept: true });
          expect(stopped.error?.message).toMatch(
            /^Stopped after 150 ms before it began: form the holder held the main thread here\. Nothing of it ran; state is kept\./,
          );
          return stopped;
        },
        { timeout: 40_000 },
      );
      expect(waiting.error?.frames[0]).toMatchObject({ uri: expect.stringMatching(/^repl:/) as string });
      writeFileSync(end, "");
      expect((await holder).preview).toBe('"done"');
      // What did not run has declared nothing.
      expect((await t.evaluate("never")).error?.name).toBe("ReferenceError");
      expect(await t.value("let never = 2; never")).toBe("2");
    });

    it("counts a form's time from when it begins", async () => {
      const hold = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2100)";
      const holder = t.evaluate(`${hold}; 'done'`);
      const next = t.evaluate("await new Promise((r) => setTimeout(r, 2100)); 'in time'", { timeoutMs: 4000 });
      expect((await holder).preview).toBe('"done"');
      expect(await next).toMatchObject({ preview: '"in time"' });
    });

    it("stops what a form left behind when it holds up the next one", async () => {
      await t.evaluate("setTimeout(() => { console.log('looping'); for (;;) {} }, 50); 'over'", {
        evalId: "left behind",
      });
      await until(() => t.outputs.some(({ text, late }) => late === true && text === "looping\n"));
      const next = await t.evaluate("'mine'", { timeoutMs: 300 });
      expect(next).toMatchObject({ outcome: "timeout", stateKept: true });
      expect(next.error?.message).toContain("form left behind held the main thread here, which was stopped too");
      expect(await t.value("'free'")).toBe('"free"');
    });

    it("stops what a form left behind also when none runs", async () => {
      await t.evaluate("setTimeout(() => { console.log('spinning'); for (;;) {} }, 30); 'over'");
      await until(() => t.outputs.some(({ text, late }) => late === true && text === "spinning\n"));
      expect(await t.image.interrupt()).toBe(true);
      expect(await t.value("'free again'")).toBe('"free again"');
      expect(await t.image.interrupt()).toBe(false);
    });

    it("ends all of them when the process goes, each with the reason", async () => {
      const waiting = t.evaluate("await gate('lost')");
      const killer = t.evaluate("process.kill(process.pid, 'SIGKILL'); await gate('x')");
      expect(await waiting).toMatchObject({ outcome: "crashed", stateKept: false });
      expect((await killer).error?.message).toContain("SIGKILL");
      expect(await t.value("1 + 1")).toBe("2");
    });
  });
});
