/** What is shown of a value, what a program prints, and what it may do to the process that prints. */
import type { CaseGroup } from "../case.ts";

const NOT_NODE = "no `process.stdin` of Node";

export const printing: CaseGroup = {
  title: "Values and output",
  cases: [
    {
      name: "strings, numbers, big integers, symbols and minus zero",
      source: "jupyter/jupyter_kernel_test",
      steps: [
        { form: "2n ** 70n", value: "1180591620717411303424n" },
        { form: "Symbol('mark')", value: "Symbol(mark)" },
        { form: "-0", value: "-0" },
        { form: "0.1 + 0.2", value: "0.30000000000000004" },
        { form: "null", value: "null" },
      ],
    },
    {
      name: "an object that holds itself",
      source: "nodejs/node#16545",
      steps: [
        { form: "const cyclic = { name: 'me' }; cyclic.self = cyclic; cyclic", shows: ["name: 'me'", "Circular"] },
      ],
    },
    {
      name: "a getter that throws does not hinder its object",
      source: "nodejs/node#60683",
      steps: [
        { form: "({ fine: 1, get bad() { throw { get message() { throw 1 } } } })", shows: ["fine: 1"] },
        { form: "2", value: "2" },
      ],
    },
    {
      name: "a getter is not run to show its object",
      source: "nodejs/node#59044",
      steps: [
        { form: "let ran = 0; const lazy = { get costly() { ran++; return 1 } }" },
        { form: "lazy", shows: ["costly"] },
        { form: "ran", value: "0" },
      ],
    },
    {
      name: "a proxy whose trap throws can be shown",
      source: "nodejs/node#16483",
      steps: [
        { form: "const notReady = new Proxy({ a: 1 }, { get() { throw new Error('not ready') } })" },
        { form: "notReady", shows: ["1"] },
        { form: "3", value: "3" },
      ],
    },
    {
      name: "a proxy with wrong keys does not end the session",
      source: "nodejs/node#18036",
      steps: [
        { form: "void (globalThis.odd = new Proxy({}, { ownKeys() {} }))" },
        { form: "odd", mayFail: true },
        { form: "4", value: "4" },
      ],
    },
    {
      name: "a revoked proxy does not end the session",
      source: "nodejs/node#43095",
      steps: [
        { form: "const revoked = Proxy.revocable({}, {}); revoked.revoke()" },
        { form: "revoked.proxy", mayFail: true },
        { form: "5", value: "5" },
      ],
    },
    {
      name: "a prototype that is a proxy with a throwing getter",
      source: "oven-sh/bun#29805",
      steps: [
        { form: "const onProxy = Object.setPrototypeOf({ own: 1 }, new Proxy({ get x() { throw 0 } }, {}))" },
        { form: "onProxy", shows: ["own: 1"] },
        { form: "6", value: "6" },
      ],
    },
    {
      name: "symbol keys and an object without a prototype are shown",
      source: "denoland/deno#9398",
      steps: [
        { form: "({ [Symbol('key')]: 1, s: Symbol.iterator })", shows: ["Symbol(key)", "Symbol(Symbol.iterator)"] },
        { form: "Object.assign(Object.create(null), { bare: 1 })", shows: ["bare: 1"] },
      ],
    },
    {
      name: "maps, sets, dates, typed arrays and class instances are shown as what they are",
      source: "jupyter/jupyter_kernel_test",
      steps: [
        { form: "new Map([['k', new Set([1])]])", shows: ["Map", "'k'", "Set", "1"] },
        { form: "new Date(0)", shows: ["1970-01-01"] },
        { form: "new Uint8Array([1, 2])", shows: ["Uint8Array", "1, 2"] },
        { form: "new (class Dog { legs = 4 })()", shows: ["Dog", "legs: 4"] },
      ],
    },
    {
      name: "a custom way of being shown is used, and may throw",
      source: "nodejs/node#16483",
      steps: [
        {
          form: "({ [Symbol.for('nodejs.util.inspect.custom')]() { return 'shown my way' } })",
          shows: ["shown my way"],
        },
        {
          form: "void (globalThis.nasty = { [Symbol.for('nodejs.util.inspect.custom')]() { throw new Error('no') } })",
        },
        { form: "7", value: "7" },
      ],
      without: { "deno repl": "another symbol" },
    },
    {
      name: "a text of a hundred million zeros does not end the session",
      source: "denoland/deno#30244",
      steps: [
        { form: "'\\0'.repeat(100000000)", shows: [] },
        { form: "'alive'", value: "'alive'" },
      ],
    },
    {
      name: "a million elements are cut, and soon",
      source: "nodejs/node#25478",
      steps: [
        { form: "Array.from({ length: 1000000 }, (_, i) => i)", shows: ["more"] },
        { form: "8", value: "8" },
      ],
    },
    {
      name: "a sparse array is shown by its holes",
      source: "nodejs/node#4905",
      steps: [
        { form: "const sparse = []; sparse[4000000000] = 1; sparse", shows: ["empty"] },
        { form: "9", value: "9" },
      ],
    },
    {
      name: "ten thousand levels are cut",
      source: "BetterThanTomorrow/calva-backseat-driver#45",
      steps: [
        { form: "let deep = {}; for (let i = 0; i < 10000; i++) deep = { deep }; deep", shows: ["deep"] },
        { form: "1", value: "1" },
      ],
    },
    {
      name: "what is printed comes in its order, before the value",
      source: "denoland/deno#24737",
      steps: [{ form: "for (let i = 0; i < 3; i++) console.log('n' + i); 'last'", shows: ["n0 n1 n2", "last"] }],
    },
    {
      name: "stdout and stderr are both there",
      source: "n-riesco/ijavascript#52",
      steps: [
        {
          form: "console.log('to out'); console.error('to err'); process.stdout.write('raw\\n'); 1",
          shows: ["to out", "to err", "raw"],
        },
      ],
    },
    {
      name: "a table has its columns",
      source: "jupyter/jupyter_kernel_test",
      steps: [{ form: "console.table([{ name: 'ann', age: 3 }])", shows: ["name", "age", "ann"] }],
    },
    {
      name: "reading the standard input does not eat the session",
      source: "dodona-edu/dodona#98",
      steps: [
        { form: "process.stdin.on('data', () => {}); process.stdin.resume(); 1", value: "1" },
        { form: "'alive'", value: "'alive'" },
      ],
      spoils: true,
      without: {
        "deno repl": NOT_NODE,
        "node -i": "reads its forms there",
        tsx: "reads its forms there",
        "ts-node": "reads its forms there",
        "bun repl": "reads its forms there",
      },
    },
    {
      name: "an element that is set on the array's prototype does not end the session",
      source: "nodejs/node#45604",
      steps: [
        { form: "Object.defineProperty(Array.prototype, '0', { set() {}, configurable: true }); 0", value: "0" },
        { form: "1 + 1", value: "2" },
        { form: "delete Array.prototype[0]", value: "true" },
      ],
      spoils: true,
    },
    {
      name: "broken built-ins do not end the session",
      source: "denoland/deno#18194",
      steps: [
        {
          form: "Array.prototype.push = null; String.prototype.replace = null; RegExp.prototype.exec = null; Map.prototype.set = null; 0",
          value: "0",
        },
        { form: "({ still: 'shown' })", value: "{ still: 'shown' }" },
      ],
      spoils: true,
    },
    {
      name: "globals that are gone do not end the session",
      source: "denoland/deno#18194",
      steps: [
        { form: "delete globalThis.Promise; delete globalThis.JSON; delete globalThis.setTimeout; 0", value: "0" },
        { form: "[1, 2]", value: "[1, 2]" },
      ],
      spoils: true,
    },
    {
      name: "a class named like a built-in does not end the session",
      source: "nodejs/node#45604",
      steps: [
        { form: "class Object {}", mayFail: true },
        { form: "({ still: 'shown' })", value: "{ still: 'shown' }" },
        { form: "let Math = 1, Symbol = 2, Map = 3; [Math]", value: "[1]" },
      ],
      spoils: true,
    },
    {
      name: "`globalThis` with another value does not end the session",
      source: "denoland/deno#18194",
      steps: [
        { form: "globalThis.globalThis = 1; 2", value: "2" },
        { form: "3", value: "3" },
        { form: "const after = { a: 1 }" },
        { form: "after", value: "{ a: 1 }" },
      ],
      spoils: true,
    },
    {
      name: "a `then` on the object's prototype does not end the session",
      source: "nodejs/node#45604",
      steps: [
        { form: "Object.prototype.then = function () {}; 0", value: "0" },
        { form: "1 + 1", value: "2" },
      ],
      spoils: true,
    },
    {
      name: "a sloppy assignment makes a global as in a script",
      source: "denoland/deno#9918",
      steps: [{ form: "anything = []" }, { form: "anything.length", value: "0" }],
    },
    {
      name: "a warning is told with its detail",
      source: "oven-sh/bun#9867",
      steps: [
        { form: "process.emitWarning('look out', { code: 'MINE', detail: 'do it like this' })" },
        { later: "look out" },
        { later: "do it like this" },
      ],
    },
    {
      name: "what a form leaves for the next tick belongs to its output",
      source: "n-riesco/ijavascript#62",
      steps: [{ form: "process.nextTick(() => console.log('tic' + 'ked')); 4", shows: ["ticked"] }],
    },
    {
      name: "generators and iterators are told from an empty object",
      source: "oven-sh/bun#36514",
      steps: [
        { form: "(function* () { yield 1 })()", shows: ["Generator"] },
        { form: "new Map([[1, 2]])[Symbol.iterator]()", shows: ["Map"] },
      ],
    },
    {
      name: "an error that is a value tells its cause",
      source: "jupyter/jupyter_kernel_test",
      steps: [
        {
          form: "new Error('out' + 'side', { cause: new Error('in' + 'side') })",
          mayFail: true,
          shows: ["outside", "inside"],
        },
      ],
    },
    {
      name: "a way of one's own to write stacks does not end the session",
      source: "nodejs/node#21574",
      spoils: true,
      steps: [
        { form: "Error.prepareStackTrace = () => { throw new Error('no stack') }" },
        { form: "throw new RangeError('anyway')", error: "" },
        { form: "1 + 1", value: "2" },
      ],
    },
  ],
};
