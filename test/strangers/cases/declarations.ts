/** Declaring, declaring again, and declarations that fail. */
import type { CaseGroup } from "../case.ts";

export const declarations: CaseGroup = {
  title: "Declarations",
  cases: [
    {
      name: "a name whose initialiser threw can be declared again",
      source: "nodejs/node#8309",
      steps: [
        { form: "let broken = JSON.parse('no')", error: "SyntaxError" },
        { form: "let broken = 5" },
        { form: "broken", value: "5" },
      ],
    },
    {
      name: "a constant whose initialiser threw can be declared again",
      source: "nodejs/node#32288",
      steps: [
        { form: "const test = new Date(missing)", error: "ReferenceError" },
        { form: "const test = 4" },
        { form: "test", value: "4" },
      ],
    },
    {
      name: "a constant can be declared again with another value",
      source: "nodejs/node#37962",
      steps: [{ form: "const a = 1" }, { form: "const a = 2" }, { form: "a", value: "2" }],
    },
    {
      name: "a constant is not assigned to",
      source: "oven-sh/bun#27675",
      steps: [{ form: "const fixed = 42" }, { form: "fixed = 43", error: "TypeError" }, { form: "fixed", value: "42" }],
    },
    {
      name: "a constant of an earlier form can be assigned from and looped over",
      source: "nodejs/node#17669",
      steps: [
        { form: "const list = [1, 2], box = {}; let copy; copy = list; box.me = box" },
        { form: "copy === list && box.me === box", value: "true" },
        { form: "let total = 0; for (const each of list) total += each; copy = total; copy", value: "3" },
      ],
    },
    {
      name: "a constant declared in a form that awaits is still a constant",
      source: "nodejs/node#17669",
      steps: [
        { form: "const held = await Promise.resolve(1)" },
        { form: "held = 2", error: "TypeError" },
        { form: "held", value: "1" },
      ],
    },
    {
      name: "a constant that awaits can be declared again",
      source: "nodejs/node#45918",
      steps: [
        { form: "const m = await Promise.resolve(123)" },
        { form: "const m = await Promise.resolve(234)" },
        { form: "m", value: "234" },
      ],
    },
    {
      name: "let, const, var, function and class replace each other",
      source: "TypeStrong/ts-node#2078",
      steps: [
        { form: "let thing = 1" },
        { form: "function thing() { return 2 }" },
        { form: "thing()", value: "2" },
        { form: "const thing = 3" },
        { form: "class thing { static n = 4 }" },
        { form: "thing.n", value: "4" },
        { form: "var thing = 5" },
        { form: "thing", value: "5" },
      ],
    },
    {
      name: "the same asynchronous function expression runs twice",
      source: "oven-sh/bun#8398",
      steps: [
        { form: "await (async () => { const x = await 1; return x + 1; })()", value: "2" },
        { form: "await (async () => { const x = await 1; return x + 1; })()", value: "2" },
      ],
    },
    {
      name: "destructuring with an await declares its names",
      source: "oven-sh/bun#9826",
      steps: [{ form: "let { p, q: [r] } = await Promise.resolve({ p: 1, q: [2] })" }, { form: "p + r", value: "3" }],
    },
    {
      name: "destructuring with holes, a rest and a default declares its names",
      source: "oven-sh/bun#31827",
      steps: [
        { form: "let [, , third = 3, ...others] = await Promise.resolve([1, 2, undefined, 4, 5])" },
        { form: "third + others.length", value: "5" },
      ],
    },
    {
      name: "a function is hoisted in a form that awaits",
      source: "nodejs/node#39744",
      steps: [
        { form: "const got = hoisted(); const w = await Promise.resolve(1); function hoisted() { return 'up'; }" },
        { form: "got", value: "'up'" },
        { form: "hoisted()", value: "'up'" },
      ],
    },
    {
      name: "a constant in a loop does not leave it",
      source: "nodejs/node#32708",
      steps: [
        { form: "const inLoop = 'outer'" },
        { form: "for (const inLoop of [1, 2]) { await inLoop; console.log('at', inLoop); }", shows: ["at 1", "at 2"] },
        { form: "inLoop", value: "'outer'" },
      ],
    },
    {
      name: "closures of a loop keep their own constant",
      source: "nodejs/node#17669",
      steps: [
        { form: "const fs3 = []; for (let i = 0; i < 3; i++) { await 0; fs3.push(() => i); }" },
        { form: "fs3.map((f) => f()).join()", value: "'0,1,2'" },
      ],
    },
    {
      name: "old instances have the methods of the class that was declared again",
      source: "Olical/conjure#685",
      steps: [
        { form: "class Dog { speak() { return 'woof' } }" },
        { form: "const rex = new Dog()" },
        { form: "class Dog { speak() { return 'WOOF' } }" },
        { form: "new Dog().speak()", value: "'WOOF'" },
        { form: "rex instanceof Dog", value: "true" },
        { form: "rex.speak()", value: "'WOOF'" },
      ],
    },
    {
      name: "a declared class is named and its generator method runs",
      source: "oven-sh/bun#26246",
      steps: [
        { form: "class Tree { *[Symbol.iterator]() { yield 1; yield* [2, 3]; } }" },
        { form: "Tree.name + [...new Tree()].join('')", value: "'Tree123'" },
      ],
    },
    {
      name: "a global can be shadowed and comes back when it is deleted",
      source: "nodejs/node#5431",
      steps: [
        { form: "globalThis.mine = 1" },
        { form: "delete globalThis.mine", value: "true" },
        { form: "typeof mine", value: "'undefined'" },
        { form: "mine", error: "ReferenceError" },
      ],
    },
    {
      name: "the underscore is an ordinary name once it is declared",
      source: "nodejs/node#3704",
      steps: [{ form: "const _ = { each: 1 }" }, { form: "7" }, { form: "_.each", value: "1" }],
    },
    {
      name: "a name of a built-in module can be declared",
      source: "nodejs/node#5431",
      steps: [{ form: "const fs = 'mine'" }, { form: "let path = fs + '!'" }, { form: "path", value: "'mine!'" }],
    },
    {
      name: "names beyond the first plane of Unicode work",
      source: "nodejs/node#2371",
      steps: [{ form: "var 𝐁 = 1" }, { form: "const größe = 𝐁 + 1, 変数 = 3" }, { form: "größe + 変数", value: "5" }],
    },
    {
      name: "a name that is declared without a value is undefined",
      source: "jupyter/jupyter_kernel_test",
      steps: [{ form: "let nothing" }, { form: "nothing === undefined", value: "true" }],
    },
    {
      name: "a name that is read before its declaration in the same form is an error",
      source: "nodejs/node#39265",
      steps: [
        { form: "let early = tooLate; let tooLate = 1", error: "ReferenceError" },
        { form: "1", value: "1" },
      ],
    },
    {
      name: "a function that is called before the constant it reads is an error",
      source: "compat-table/compat-table#131",
      steps: [
        { form: "readIt(); const readLater = 1; function readIt() { return readLater }", error: "ReferenceError" },
        { form: "const calledLater = () => declaredLater; const declaredLater = 2; calledLater()", value: "2" },
      ],
    },
    {
      name: "an initialiser that reads its own name is an error, and what there was stays",
      source: "source-academy/js-slang#38",
      steps: [
        { form: "let grown = 1" },
        { form: "let grown = grown + 1", error: "grown" },
        { form: "grown", value: "1" },
      ],
    },
    {
      name: "destructured names can be declared again in another way",
      source: "nodejs/node#37962",
      steps: [
        { form: "let { part } = { part: 1 }" },
        { form: "const { part, other = 2 } = { part: 3 }" },
        { form: "part + other", value: "5" },
      ],
    },
    {
      name: "`var` makes a variable and nothing of the global object, as in a module",
      source: "denoland/deno#10309",
      steps: [{ form: "var asInModule = 1; typeof globalThis.asInModule", value: "'undefined'" }],
    },
  ],
};
