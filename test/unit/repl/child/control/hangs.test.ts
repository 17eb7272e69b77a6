import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { describeEachNode } from "../../../../support/node-versions.ts";
import { casesToRun } from "../../../../support/extent.ts";
import { hangKinds, nativeHangs } from "./hang-kinds.ts";
import { isRunning, startOn, until, type TestImage } from "../../with-image.ts";

/** What a test file of node:test and many tracers do; Node then follows each promise, and checks that all are left again. */
const HOOKS =
  "require('node:async_hooks').createHook({ init() {}, before() {}, after() {}, destroy() {} }).enable(); 1";

describe.for([
  ["", "1"],
  [" while async hooks are enabled", HOOKS],
] as const)("an interrupt%s", ([, prepare]) => {
  describeEachNode([22, 24, 26], (node) => {
    let t: TestImage;
    const took: Record<string, number> = {};
    let prepared: number | undefined;
    beforeAll(() => {
      // Open, because only there a program may have the collector.
      t = startOn(node, { confinement: "open" });
      t.write("src/spins.ts", "export const before = 1;\nwhile (true) Math.random();\n");
      t.write("src/spins.cts", "exports.before = 1;\nwhile (true) Math.random();\n");
    });
    // A stop that ended the process fails one test, not those after it too.
    beforeEach(async () => {
      if (prepared !== undefined && prepared === t.image.status().pid) return;
      await t.value(
        "globalThis.kept = { yes: ['still', 'here'] }; require('node:v8').setFlagsFromString('--expose-gc'); 1",
      );
      await t.value("globalThis.gc ??= require('node:vm').runInNewContext('gc'); 1");
      await t.value(prepare);
      prepared = t.image.status().pid;
    });
    afterAll(async () => {
      await t.dispose();
      const sorted = Object.entries(took).toSorted(([, a], [, b]) => b - a);
      console.log(`Node ${node.major}: ${sorted.map(([kind, ms]) => `${kind} ${ms} ms`).join(", ")}`);
    });

    // Among ticks without end the termination may come just after the next tick was entered, which no code can leave then.
    const kinds = Object.entries(hangKinds).filter(([kind]) => prepare !== HOOKS || kind !== "nextTick without end");
    it.for(kinds)("stops %s and keeps the state", async ([kind, code]) => {
      const pid = t.image.status().pid;
      const evalId = `${node.major} ${kind}`;
      const running = t.evaluate(code, { evalId });
      await until(() => t.outputs.some((output) => output.evalId === evalId && output.text.includes("hanging")));
      const began = performance.now();
      expect(await t.image.interrupt(evalId)).toBe(true);
      took[kind] = Math.round(performance.now() - began);
      expect(await running).toMatchObject({ outcome: "interrupted", stateKept: true });
      expect(await t.value("gc(); kept.yes")).toBe('["still", "here"]');
      expect(await t.value("await null; gc(); kept.yes.length")).toBe("2");
      expect(t.image.status().pid).toBe(pid);
    });
  });
});

describeEachNode([22, 24, 26], (node) => {
  it("stops a loop in the scope of a file of node:test, and keeps the state", async () => {
    const t = startOn(node);
    t.write("src/a.test.ts", "import { test } from 'node:test';\nlet calls = 1;\ntest('a', () => { calls += 1; });\n");
    const here = { module: join(t.root, "src/a.test.ts") };
    await t.value("calls", here);
    const result = await t.evaluate("for (;;) calls += 1;", { ...here, timeoutMs: 300 });
    expect(result).toMatchObject({ outcome: "timeout", stateKept: true });
    expect(await t.value("calls > 1", here)).toBe("true");
    await t.dispose();
  });
});

describeEachNode([22, 24, 26], (node) => {
  it.runIf(process.platform === "linux")(
    "ends the program for which a form waits, with what it started, says so, and spares the programs of earlier forms",
    async () => {
      const t = startOn(node, { confinement: "open" });
      await t.value("const earlier = require('node:child_process').spawn('sleep', ['60']); earlier.pid");
      const waiting = "require('node:child_process').execSync('sleep 61; true')";
      const result = await t.evaluate(waiting, { timeoutMs: 300 });
      expect(result).toMatchObject({ outcome: "timeout", stateKept: true });
      expect(result.error?.message).toMatch(/What it had open was ended: 2 processes \(sh, \d+; sleep, \d+\)\.$/);
      const [, pid = ""] = /sleep, (\d+)/.exec(result.error?.message ?? "") ?? [];
      await until(() => !isRunning(Number(pid)));
      expect(await t.value("[earlier.exitCode, earlier.signalCode]")).toBe("[null, null]");
      // A wait that is over is nobody's: what comes later is not taken for what was waited for.
      await t.value("const later = require('node:child_process').spawn('sleep', ['60']); 1");
      expect(await t.evaluate("for (;;) {}", { timeoutMs: 100 })).toMatchObject({ stateKept: true });
      expect(await t.value("[later.exitCode, later.signalCode, earlier.kill(), later.kill()]")).toContain(
        "[null, null",
      );
      await t.dispose();
    },
  );
});

describeEachNode([22, 24, 26], (node) => {
  it("stops loops that V8 has optimized, whatever they call", async () => {
    const t = startOn(node);
    await t.value("const kept = 1;");
    const loops = ["new Array(1000).fill(1)", "list.push({ a: 1 }), list.length %= 1000", "[3, 1, 2].sort()"];
    for (const loop of loops) {
      const result = await t.evaluate(`const list: object[] = []; for (;;) ${loop}`, { timeoutMs: 500 });
      expect(result).toMatchObject({ outcome: "timeout", stateKept: true });
    }
    expect(await t.value("kept")).toBe("1");
    await t.dispose();
  });
});

describeEachNode([22, 24, 26], (node) => {
  it.for(casesToRun(Object.entries(nativeHangs)))(
    "ends the process for %s, says so, and starts a new one",
    async ([, code]) => {
      const t = startOn(node);
      await t.value("const lost = 1;");
      const result = await t.evaluate(code, { timeoutMs: 300 });
      expect(result).toMatchObject({ outcome: "timeout", stateKept: false });
      expect(result.error?.message).toContain("effects are unknown");
      expect(await t.value("1 + 1")).toBe("2");
      expect((await t.evaluate("lost")).error?.name).toBe("ReferenceError");
      await t.dispose();
    },
  );
});
