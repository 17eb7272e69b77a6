import { afterAll, beforeAll, expect, it } from "vitest";
import { describeEachNode } from "../../../../support/node-versions.ts";
import { randomFrom, times } from "../../../../support/fuzz.ts";
import { startOn, until, type TestImage } from "../../with-image.ts";

const busy = "for (;;) Math.random()";
const kinds = [
  busy,
  "for (;;) await null",
  "for (;;) await new Promise((r) => setTimeout(r, 1))",
  "for (;;) { await new Promise((r) => setTimeout(r, 1)); const end = Date.now() + 3; while (Date.now() < end); }",
  "await new Promise((settle) => { globalThis.settle = settle })",
  "await new Promise((settle) => { globalThis.settle = settle; setTimeout(() => { for (;;) {} }, 2) })",
  "const ends = Date.now() + 12; while (Date.now() < ends); 'by itself'",
  "({ [Symbol.for('nodejs.util.inspect.custom')]() { for (;;) {} } })",
];
const BYSTANDERS = [
  "(async () => { for (;;) { await new Promise((r) => setTimeout(r, 1)); turns[0]++ } })()",
  "(async () => { for (;;) { await new Promise((r) => setImmediate(r)); for (let i = 0; i < 2e4; i++) Math.sqrt(i); turns[1]++; await new Promise((r) => setTimeout(r, 3)) } })()",
  "setInterval(() => { turns[2]++ }, 2)",
  "(async () => { for (;;) { await require('node:fs').promises.stat('.').catch(() => {}); turns[3]++; await new Promise((r) => setTimeout(r, 2)) } })()",
];

describeEachNode([22, 24, 26], (node) => {
  let t: TestImage;
  beforeAll(() => {
    t = startOn(node);
  });
  afterAll(() => t.dispose());

  const rounds = times(node.major === 24 ? 20 : 5);
  it(`loses no reply, no state and no bystander through ${rounds} interrupts at any moment`, async () => {
    const random = randomFrom(node.major);
    await t.value("globalThis.turns = [0, 0, 0, 0]; globalThis.kept = 'kept'; 1");
    for (const code of BYSTANDERS) await t.value(`void ${code}; 1`);
    const pid = t.image.status().pid;
    const outcomes: Record<string, number> = {};
    for (let round = 0; round < rounds; round++) {
      const code = kinds[Math.floor(random() * kinds.length)] ?? busy;
      const evalId = `round ${round}`;
      const running = t.evaluate(code, { evalId });
      const wait = random() * 25;
      if (wait > 3) await new Promise((resolve) => setTimeout(resolve, wait));
      const interrupts = random() < 0.3 ? 2 : 1;
      await Promise.all(Array.from({ length: interrupts }, () => t.image.interrupt(evalId)));
      const result = await running;
      outcomes[result.outcome] = (outcomes[result.outcome] ?? 0) + 1;
      if (result.outcome === "value") expect(result.preview).toBe('"by itself"');
      else expect(result).toMatchObject({ outcome: "interrupted", stateKept: true });
    }
    expect(outcomes["interrupted"]).toBeGreaterThan(rounds / 2);
    expect(t.image.status().pid).toBe(pid);
    expect(await t.value("kept")).toBe('"kept"');
    const before = JSON.parse(await t.value("turns")) as number[];
    await until(async () =>
      (JSON.parse(await t.value("turns")) as number[]).every((n, index) => n > (before[index] ?? 0)),
    );
  }, 120_000);

  it("leaves an evaluation alone that runs while another one is interrupted", async () => {
    const stays = t.evaluate("for (let n = 0; n < 40; n++) await new Promise((r) => setTimeout(r, 2)); 'finished'");
    for (let round = 0; round < 10; round++) {
      const stopped = t.evaluate(round % 2 === 0 ? "for (;;) await new Promise((r) => setTimeout(r, 1))" : busy, {
        evalId: `beside ${round}`,
      });
      await until(() => t.image.interrupt(`beside ${round}`));
      expect(await stopped).toMatchObject({ outcome: "interrupted", stateKept: true });
    }
    expect((await stays).preview).toBe('"finished"');
  });

  it.each([
    ["that stood first in Node's queue", "", ["behind"]],
    ["that another one stood before", "asOther(() => ran.push('before'));", ["before", "behind"]],
  ])("costs nobody a turn when it ends an immediate %s", async (_what, before, expected) => {
    await t.value(
      "globalThis.ran = []; const inFirst = require('node:async_hooks').AsyncLocalStorage.snapshot(); globalThis.asOther = (f: () => void) => inFirst(() => void setImmediate(f)); 1",
    );
    const stopped = t.evaluate(
      `${before} setImmediate(() => { ran.push('busy'); for (;;) Math.random() }); asOther(() => ran.push('behind')); await new Promise((settle) => { globalThis.settle = settle })`,
      { evalId: `immediate ${before}` },
    );
    await new Promise((resolve) => setTimeout(resolve, 60));
    await until(() => t.image.interrupt(`immediate ${before}`));
    expect(await stopped).toMatchObject({ outcome: "interrupted", stateKept: true });
    await until(async () => (JSON.parse(await t.value("ran")) as string[]).includes("behind"));
    expect(JSON.parse(await t.value("ran.filter((each: string) => each !== 'busy')"))).toEqual(expected);
    expect(await t.value("await new Promise((r) => setImmediate(() => r('turns')))")).toBe('"turns"');
  });

  it("gives immediates their turns after one was asked for where the stack was full", async () => {
    const deep =
      "const down = (): void => { try { down() } catch { setImmediate(() => {}) } }; try { down() } catch {} 1";
    for (let round = 0; round < 5; round++) await t.value(deep);
    expect(await t.value("await new Promise((r) => setImmediate(() => r('turns')))")).toBe('"turns"');
  });
});
