/** `await` at the top and in odd places, promises, timers, and what fails after its form. */
import type { CaseGroup } from "../case.ts";

const A_KEY = "it hears Ctrl-C as a key while it waits, and a pipe has no keys";
const ENDS_ITS_PROCESS = "leaving is what it is asked for there";

export const awaiting: CaseGroup = {
  title: "Awaiting, timers and failures",
  cases: [
    {
      name: "an awaited value is the value",
      source: "TypeStrong/ts-node#245",
      steps: [
        { form: "await new Promise((r) => setTimeout(() => r(1), 20))", value: "1" },
        { form: "1 + 1", value: "2" },
      ],
    },
    {
      name: "a declaration that awaits is there for the next form",
      source: "TypeStrong/ts-node#1383",
      steps: [{ form: "const got2 = await Promise.resolve(41)" }, { form: "got2 + 1", value: "42" }],
    },
    {
      name: "an await inside a call's brackets is no unfinished input",
      source: "denoland/deno#3029",
      steps: [{ form: "console.log(await Promise.resolve('inner'))", shows: ["inner"] }],
    },
    {
      name: "an await with characters of two units is no syntax error",
      source: "nodejs/node#39929",
      steps: [
        { form: "await '😀😀😀'", value: "'😀😀😀'" },
        { form: "await '😀😀😀';;", never: ["Error"] },
      ],
    },
    {
      name: "an await in a block",
      source: "nodejs/node#46196",
      steps: [
        { form: "{ await Promise.resolve() }" },
        { form: "{ let three = 3; await Promise.resolve(); console.log('three', three); }", shows: ["three 3"] },
      ],
    },
    {
      name: "an object literal in an awaited call",
      source: "oven-sh/bun#10422",
      steps: [
        { form: "const later = (o) => Promise.resolve(o.x)" },
        { form: "await later({ x: true })", value: "true" },
      ],
    },
    {
      name: "for await over an asynchronous generator",
      source: "nodejs/node#32708",
      steps: [
        { form: "async function* ticks() { yield 1; yield 2; }" },
        { form: "let sum = 0; for await (const t of ticks()) sum += t;" },
        { form: "sum", value: "3" },
      ],
    },
    {
      name: "`await` in a string, a comment, a key and a method name is no await",
      source: "nodejs/node#45252",
      steps: [
        { form: "const o4 = { await: 1, 'await x': 2 } // await me" },
        { form: "o4.await + o4['await x']", value: "3" },
      ],
    },
    {
      name: "what is awaited and fails is told with its name and the next form runs",
      source: "denoland/deno_core#609",
      steps: [
        { form: "async function rejects() { throw new RangeError('not me'); }" },
        { form: "await rejects()", error: "RangeError", shows: ["not me"] },
        { form: "1 + 2", value: "3" },
      ],
    },
    {
      name: "a rejection nobody handles does not end the session",
      source: "nodejs/node#35894",
      steps: [
        { form: "void Promise.reject(new Error('nobody'))", mayFail: true },
        { later: "nobody" },
        { form: "'alive'", value: "'alive'" },
      ],
    },
    {
      name: "an error thrown by a timer does not end the session",
      source: "nodejs/node#35232",
      steps: [
        { form: "void setTimeout(() => { throw new Error('from a timer') }, 5)", mayFail: true },
        { later: "from a timer" },
        { form: "'alive'", value: "'alive'" },
      ],
    },
    {
      name: "null and undefined can be thrown",
      source: "nodejs/node#16545",
      steps: [
        { form: "throw null", error: "null" },
        { form: "throw undefined", error: "undefined" },
        { form: "2 + 2", value: "4" },
      ],
    },
    {
      name: "a thrown object without a prototype is told",
      source: "nodejs/node#60683",
      steps: [
        { form: "throw Object.assign(Object.create(null), { code: 'ODD' })", error: "ODD" },
        { form: "throw { get message() { throw new Error('inner') } }", mayFail: true },
        { form: "3 + 3", value: "6" },
      ],
    },
    {
      name: "the frames of an asynchronous call name its functions",
      source: "TypeStrong/ts-node#1563",
      steps: [
        {
          form: "async function deepest() { await null; throw new TypeError('deep') }\nasync function middle() { await deepest() }",
        },
        { form: "await middle()", error: "TypeError", shows: ["deepest", "middle"] },
      ],
    },
    {
      name: "a cause and the parts of an aggregate are told",
      source: "jupyter/jupyter_kernel_test",
      steps: [
        { form: "throw new Error('outside', { cause: new TypeError('inside') })", error: "outside", shows: ["inside"] },
        {
          form: "await Promise.any([Promise.reject(new RangeError('one')), Promise.reject(new EvalError('two'))])",
          error: "AggregateError",
          shows: ["one", "two"],
        },
      ],
    },
    {
      name: "a timer prints after its form is over",
      source: "n-riesco/ijavascript#62",
      steps: [
        { form: "void setTimeout(() => console.log('tick' + 'tock'), 30)" },
        { later: "ticktock" },
        { form: "1", value: "1" },
      ],
    },
    {
      name: "a promise that never settles does not stop the next form",
      source: "denoland/deno#20528",
      steps: [
        { form: "const never = new Promise(() => {}); 0", value: "0" },
        { form: "typeof never.then", value: "'function'" },
      ],
    },
    {
      name: "an endless loop is interrupted and the session keeps what it had",
      source: "denoland/deno#17830",
      steps: [{ form: "let kept = 'kept'" }, { interrupt: "while (true) {}" }, { form: "kept", value: "'kept'" }],
    },
    {
      name: "waiting for ever is interrupted and the session keeps what it had",
      source: "nodejs/help#4098",
      steps: [
        { form: "let kept2 = 'kept'" },
        { interrupt: "await new Promise(() => {})" },
        { form: "kept2", value: "'kept'" },
      ],
      without: { "node -i": A_KEY, tsx: A_KEY, "ts-node": A_KEY },
    },
    {
      name: "an endless regular expression is interrupted",
      source: "nodejs/node#6612",
      steps: [
        { form: "let kept3 = 3" },
        { interrupt: "/^(a+)+$/.test('a'.repeat(60) + 'b')" },
        { form: "kept3", value: "3" },
      ],
    },
    {
      name: "a program's `process.exit` does not take the session with it",
      source: "denoland/deno#24491",
      steps: [{ form: "let before = 1" }, { form: "process.exit(3)", error: "exit" }, { form: "before", value: "1" }],
      without: {
        "node -i": ENDS_ITS_PROCESS,
        tsx: ENDS_ITS_PROCESS,
        "ts-node": ENDS_ITS_PROCESS,
        "deno repl": ENDS_ITS_PROCESS,
        "bun repl": ENDS_ITS_PROCESS,
      },
    },
    {
      name: "a program can listen for what nobody catches",
      source: "nodejs/node#19998",
      steps: [
        { form: "void process.on('uncaughtException', (error) => console.log('listened: ' + error.message))" },
        { form: "void setTimeout(() => { throw new Error('hear') }, 5)", mayFail: true },
        { later: "listened: hear" },
        { form: "1", value: "1" },
      ],
      spoils: true,
      without: { "deno repl": "its own event is another" },
    },
    {
      name: "too much recursion is an error like another",
      source: "nodejs/node#6612",
      steps: [
        { form: "function down() { return down() + 1 }" },
        { form: "down()", error: "RangeError" },
        { form: "'alive'", value: "'alive'" },
      ],
    },
    {
      name: "a class of one's own that extends an error is told by its name",
      source: "nodejs/node#23852",
      steps: [
        { form: "class Overdrawn extends RangeError {}" },
        { form: "throw new Overdrawn('by three')", error: "Overdrawn", shows: ["by three"] },
      ],
    },
  ],
};
