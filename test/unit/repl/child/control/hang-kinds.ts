/** Ways to hold a Node process up. Each form prints `hanging` right before it does. */

const say = "console.log('hanging');";
/** Something holds on to it: a promise that nobody could ever settle would be told at once. */
const forever = "await new Promise((settle) => { globalThis.settle = settle })";

/** Stopped by an interrupt, with the state kept. */
export const hangKinds: Readonly<Record<string, string>> = {
  "a loop": `${say} while (true) {}`,
  "a loop that works": `${say} let n = 0; for (;;) n = Math.sqrt(n + 1)`,
  "a loop in try and finally": `${say} try { for (;;) {} } finally { globalThis.cleaned = true }`,
  "a loop that catches everything": `${say} for (;;) { try { for (;;) {} } catch {} finally { continue } }`,
  "a finally that loops": `${say} try { throw 1 } catch {} finally { for (;;) {} }`,
  "recursion in a loop": `${say} const deep = (n: number): number => n === 0 ? 0 : deep(n - 1); for (;;) deep(500)`,
  "an asynchronous function that never yields": `${say} await (async () => { for (;;) {} })()`,
  "a loop after an await": `await null; ${say} for (;;) {}`,
  "microtasks without end": `${say} for (;;) await null`,
  "a chain of promises without end": `${say} const again = (): Promise<void> => Promise.resolve().then(again); await again()`,
  "queueMicrotask without end": `${say} const again = () => queueMicrotask(again); again(); ${forever}`,
  "nextTick without end": `${say} const again = () => process.nextTick(again); again(); ${forever}`,
  "a setImmediate callback": `await new Promise(() => setImmediate(() => { ${say} for (;;) {} }))`,
  "a timer callback": `await new Promise(() => setTimeout(() => { ${say} for (;;) {} }, 1))`,
  "an interval callback": `await new Promise(() => setInterval(() => { ${say} for (;;) {} }, 1))`,
  "a regular expression that backtracks": `${say} /(a+)+$/.test('a'.repeat(40) + 'b')`,
  "a replace callback": `${say} 'abc'.replace(/b/, () => { for (;;) {} })`,
  "a sort comparator": `${say} [3, 2, 1].sort(() => { for (;;) {} })`,
  "an array callback": `${say} [1, 2].map(() => { for (;;) {} })`,
  "JSON.stringify with toJSON": `${say} JSON.stringify({ toJSON() { for (;;) {} } })`,
  "a JSON.parse reviver": `${say} JSON.parse('[1]', () => { for (;;) {} })`,
  "Atomics.wait": `${say} Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)`,
  "a loop in WebAssembly": `const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 9, 1, 7, 0, 3, 64, 12, 0, 11, 11]); const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes)); ${say} (instance.exports as any).f()`,
  "an iterator without end": `${say} for (const _ of (function* () { for (;;) yield 1 })()) {}`,
  "an asynchronous iterator without end": `${say} for await (const _ of (async function* () { for (;;) yield 1 })()) {}`,
  "a static block": `${say} class Loops { static { for (;;) {} } }`,
  "a constructor": `${say} new (class { constructor() { for (;;) {} } })()`,
  "a promise executor": `${say} await new Promise(() => { for (;;) {} })`,
  "a getter": `${say} ({ get a() { for (;;) {} } }).a`,
  "a proxy trap": `${say} new Proxy({} as any, { get() { for (;;) {} } }).x`,
  "a conversion to a string": `${say} String({ [Symbol.toPrimitive]() { for (;;) {} } })`,
  "code of new Function": `${say} new Function('for (;;) {}')()`,
  "a file system callback": `require('node:fs').readFile(import.meta.dirname + '/package.json', () => { ${say} for (;;) {} }); ${forever}`,
  "a stream callback": `require('node:stream').Readable.from(['a', 'b']).on('data', () => { ${say} for (;;) {} }); ${forever}`,
  "a callback of the thread pool": `require('node:crypto').randomBytes(4, () => { ${say} for (;;) {} }); ${forever}`,
  "a message callback": `const { port1, port2 } = new MessageChannel(); port1.onmessage = () => { ${say} for (;;) {} }; port2.postMessage(1); ${forever}`,
  "a module that loops while it is imported": `${say} await import('./src/spins.ts')`,
  "a module that loops while it is required": `${say} require('./src/spins.cts')`,
  "a value whose printing loops": `${say} ({ [Symbol.for('nodejs.util.inspect.custom')]() { for (;;) {} } })`,
  "a handler of uncaught errors": `process.once('uncaughtException', () => { ${say} for (;;) {} }); setTimeout(() => { throw new Error('expected') }, 1); ${forever}`,
  "code inside of an AsyncLocalStorage": `const { AsyncLocalStorage } = require('node:async_hooks'); ${say} new AsyncLocalStorage().run(1, () => { for (;;) {} })`,
  ...(process.platform === "linux" && {
    "a program that does not want to end": `${say} require('node:child_process').execSync("trap '' TERM; sh -c 'sleep 60; true'; sleep 60; sleep 60")`,
    "programs whose ends are caught": `import { spawnSync, execFileSync } from 'node:child_process'; ${say} for (;;) try { spawnSync('sleep', ['60']); execFileSync('sleep', ['60']) } catch {}`,
  }),
  "an await of nothing": `${say} await new Promise(() => setInterval(() => {}, 1000))`,
};

/** Native calls: nothing but the end of the process stops them in the middle. */
export const nativeHangs: Readonly<Record<string, string>> = {
  "a key derivation": `${say} require('node:crypto').pbkdf2Sync('a', 'b', 5e7, 64, 'sha512')`,
  "a power of big integers": `${say} 3n ** 200_000_000n`,
};
