import { afterAll, beforeAll, expect, it } from "vitest";
import { describeEachNode } from "../../../support/node-versions.ts";
import { startOn, type TestImage } from "../with-image.ts";

const tampering: Readonly<Record<string, string>> = {
  "Promise is null": "globalThis.Promise = null as never",
  "a then on every object": "Object.defineProperty(Object.prototype, 'then', { value: undefined, configurable: true })",
  "a then that answers on every object":
    "Object.defineProperty(Object.prototype, 'then', { get() { return (done: (x: unknown) => void) => done('stolen') }, configurable: true })",
  "the methods of Promise are gone": "Promise.prototype.then = null as never; Promise.resolve = null as never",
  "setImmediate and the timers are gone":
    "globalThis.setImmediate = globalThis.setTimeout = globalThis.clearTimeout = undefined as never",
  "queueMicrotask and nextTick are gone": "globalThis.queueMicrotask = null as never; process.nextTick = null as never",
  "JSON is null": "globalThis.JSON = null as never",
  "JSON.stringify throws": "JSON.stringify = () => { throw new Error('no') }",
  "console is null": "globalThis.console = null as never",
  "process is null": "globalThis.process = null as never",
  "Error.prepareStackTrace throws": "Error.prepareStackTrace = () => { throw new Error('no') }",
  "Error is null": "globalThis.Error = null as never",
  "Map.prototype.set is null": "Map.prototype.set = null as never; Map.prototype.get = null as never",
  "Map and Set are gone":
    "globalThis.Map = globalThis.Set = null as never; Object.getPrototypeOf(new WeakMap()).get = null",
  "the methods of Set are gone": "Set.prototype.add = Set.prototype.has = Set.prototype.forEach = null as never",
  "array methods are gone":
    "for (const k of ['map', 'push', 'slice', 'join', 'forEach']) (Array.prototype as any)[k] = null",
  "array iteration throws": "Array.prototype[Symbol.iterator] = () => { throw new Error('no') }",
  "string and number methods are gone":
    "for (const k of ['slice', 'startsWith', 'replace', 'split']) (String.prototype as any)[k] = null; Number.prototype.toString = null as never",
  "Object's own functions are gone":
    "Object.keys = Object.defineProperty = Object.getPrototypeOf = Object.assign = Object.getOwnPropertyDescriptor = null as never",
  "Function.prototype.call is gone":
    "Function.prototype.call = Function.prototype.apply = Function.prototype.bind = null as never",
  "RegExp.prototype.exec and test throw":
    "RegExp.prototype.exec = RegExp.prototype.test = () => { throw new Error('no') }",
  "Symbol and Reflect are gone": "globalThis.Symbol = globalThis.Reflect = null as never",
  "Atomics is null": "Atomics.store = null as never; globalThis.Atomics = null as never",
  "AsyncLocalStorage forgets":
    "require('node:async_hooks').AsyncLocalStorage.prototype.getStore = () => undefined; require('node:async_hooks').AsyncLocalStorage.prototype.enterWith = () => {}",
  "Set.prototype.size, Boolean and AsyncResource lie":
    "Object.defineProperty(Set.prototype, 'size', { get: () => 0, configurable: true }); globalThis.Boolean = (() => true) as never; globalThis.AbortSignal = null as never; require('node:async_hooks').AsyncResource.prototype.runInAsyncScope = () => {}",
  "stdout.write is null": "process.stdout.write = null as never",
};

/** What the forms break is mended after each, by syntax and by what was taken before. */
const restoring = `globalThis.restore = (() => {
  const { getOwnPropertyDescriptors, defineProperty } = Object;
  const { ownKeys, deleteProperty } = Reflect;
  const objects = [globalThis, Object, Object.prototype, Function.prototype, Array.prototype, String.prototype,
    Number.prototype, Map.prototype, Set.prototype, Promise, Promise.prototype, RegExp.prototype, JSON, Error, Atomics,
    process, process.stdout, require('node:async_hooks').AsyncLocalStorage.prototype,
    require('node:async_hooks').AsyncResource.prototype];
  const saved = objects.map((object) => ({ object, was: getOwnPropertyDescriptors(object), keys: ownKeys(object) }));
  return () => {
    for (let index = 0; index < saved.length; index++) {
      const { object, was, keys } = saved[index];
      const now = ownKeys(object);
      for (let at = 0; at < now.length; at++) if (index > 0 && !(now[at] in was)) deleteProperty(object, now[at]);
      for (let at = 0; at < keys.length; at++) try { defineProperty(object, keys[at], was[keys[at]]) } catch {}
    }
  };
})(); 1`;

async function goesOn(t: TestImage, kept: string): Promise<void> {
  expect(await t.value(kept)).toBe('{ a: [1, "two"] }');
  expect(await t.value(`let after = ${kept}.a.length + 1; after`)).toBe("3");
  const failed = await t.evaluate("null.x");
  expect(failed).toMatchObject({ outcome: "error", stateKept: true });
  expect(failed.error?.message).toContain("Cannot read properties of null");
  const looping = await t.evaluate("for (;;) {}", { timeoutMs: 60 });
  expect(looping).toMatchObject({ outcome: "timeout", stateKept: true });
  expect(await t.value(`${kept}.a[1]`)).toBe('"two"');
}

describeEachNode([22, 24, 26], (node) => {
  let t: TestImage;
  beforeAll(async () => {
    t = startOn(node);
    await t.value(restoring);
  });
  afterAll(() => t.dispose());

  it.for(Object.entries(tampering))("goes on when %s", async ([kind, code]) => {
    const pid = t.image.status().pid;
    await t.value("const kept = { a: [1, 'two'] };");
    const broken = await t.evaluate(code);
    expect(broken, kind).toMatchObject({ stateKept: true });
    await goesOn(t, "kept");
    await t.evaluate("restore();");
    expect(await t.value("[1, 2].map(String).join()")).toBe('"1,2"');
    expect(t.image.status().pid).toBe(pid);
  });

  it("goes on when the global object is frozen, where no handle can be made any more", async () => {
    await t.value("const kept = { a: [1, 'two'] }; let after = 0;");
    await t.evaluate("Object.freeze(globalThis);");
    expect((await t.evaluate("kept")).valueId).toBeUndefined();
    await goesOn(t, "kept");
  });
});
