/** What a form may look like: blocks and objects, texts over lines, comments, TypeScript's own syntax. */
import type { CaseGroup } from "../case.ts";

export const syntax: CaseGroup = {
  title: "Syntax",
  cases: [
    {
      name: "braces with a key are an object",
      source: "TypeStrong/ts-node#1697",
      steps: [
        { form: "{ key: 'value' }", value: "{ key: 'value' }" },
        { form: "{}", value: "{}" },
      ],
    },
    {
      name: "two keys are an object, not labels",
      source: "denoland/deno#7591",
      steps: [{ form: "{ a: 1, b: 'two' }", value: "{ a: 1, b: 'two' }" }],
    },
    {
      name: "a block is a block",
      source: "nodejs/node#5576",
      steps: [{ form: "{ let x = 4; console.log('block', x); }", shows: ["block 4"] }],
    },
    {
      name: "an object with functions and a semicolon is no unfinished input",
      source: "nodejs/node#7188",
      steps: [
        { form: "({ a: () => 0, b: () => 0 });", shows: ["a:", "b:"] },
        { form: "1", value: "1" },
      ],
    },
    {
      name: "a labelled loop is left by its label",
      source: "nodejs/node#7188",
      steps: [
        { form: "outer: for (let i = 0; ; i++) { for (;;) { if (i === 2) break outer; else continue outer; } }" },
        { form: "1", value: "1" },
      ],
    },
    {
      name: "the value of an `if` is what its branch gave",
      source: "nodejs/node#15566",
      steps: [{ form: "if (true) 'branch'", value: "'branch'" }],
    },
    {
      name: "a template over lines keeps its lines",
      source: "nodejs/node#333",
      steps: [
        { form: "const page = `<html>\n  <body>${1 + 1}\n</html>\n`" },
        { form: "page.split('\\n').length", value: "4" },
      ],
    },
    {
      name: "a template whose first line ends in a backslash",
      source: "nodejs/node#15704",
      steps: [
        { form: "const run = `RUN \\\\\n  cd /tmp && \\\\\n  ls`" },
        { form: "run.split('\\n').length", value: "3" },
      ],
    },
    {
      name: "a function over lines with an escape in it",
      source: "nodejs/node#2749",
      steps: [{ form: "function esc() {\n  return '\\n';\n}" }, { form: "esc().length", value: "1" }],
    },
    {
      name: "quotes and slashes in comments are no strings",
      source: "nodejs/node#9300",
      steps: [
        { form: "function half() {\n  // don't '/' \" `\n  var bar = 4 / 2; // '/'\n  return bar;\n}" },
        { form: "half()", value: "2" },
      ],
    },
    {
      name: "a regular expression with a quote and a bracket is complete",
      source: "oven-sh/bun#37327",
      steps: [{ form: 'const re = /hello "wor[(`]/' }, { form: "re.test('hello \"wor(')", value: "true" }],
    },
    {
      name: "a comment alone is nothing, and no error",
      source: "quint-co/quint#413",
      steps: [
        { form: "// only a comment", never: ["Error"] },
        { form: "/* and\n another */", never: ["Error"] },
        { form: "5 // five", value: "5" },
      ],
    },
    {
      name: "an empty form is nothing, and no error",
      source: "TypeStrong/ts-node#2005",
      steps: [
        { form: "", never: ["Error"] },
        { form: " \n ", never: ["Error"] },
        { form: ";", never: ["Error"] },
        { form: "6", value: "6" },
      ],
    },
    {
      name: "a syntax error is told at once and the next form runs",
      source: "nodejs/node#3611",
      steps: [
        { form: "const bad = ;", error: "error" },
        { form: "var 1x = 2;", error: "error" },
        { form: "7", value: "7" },
      ],
    },
    {
      name: "Windows line endings are line endings",
      source: "jupyter/jupyter_kernel_test",
      steps: [
        { form: "const win = `a\r\nb`;\r\nlet wins = 1;\r\nwins += 1;" },
        { form: "wins", value: "2" },
        { form: "win.length", value: "3" },
      ],
    },
    {
      name: "a byte order mark before the form is nothing",
      source: "TypeStrong/ts-node#2005",
      steps: [{ form: "\uFEFFconst bom = 8" }, { form: "bom", value: "8" }],
    },
    {
      name: "a hashbang line before the form is nothing",
      source: "lsegal/atom-runner#183",
      steps: [{ form: "#!/usr/bin/env node\nvar hb = 9" }, { form: "hb", value: "9" }],
    },
    {
      name: "a line of a hundred thousand characters is read whole",
      source: "denoland/deno#30244",
      steps: [{ form: `const long = '${"x".repeat(100_000)}'` }, { form: "long.length", value: "100000" }],
    },
    {
      name: "a hundred lines are one form",
      source: "TypeStrong/ts-node#263",
      steps: [
        { form: `const lines = [\n${Array.from({ length: 100 }, (_, i) => `  ${i},`).join("\n")}\n];` },
        { form: "lines.length", value: "100" },
      ],
    },
    {
      name: "chained calls over lines are one form",
      source: "TypeStrong/ts-node#263",
      steps: [
        { form: "const chained = [1, 2, 3]\n  .map((n) => n * 2)\n  .filter((n) => n > 2)" },
        { form: "chained", value: "[4, 6]" },
      ],
    },
    {
      name: "types, interfaces and annotations are read away",
      source: "denoland/deno#1158",
      typescript: true,
      steps: [
        { form: "interface Point { x: number; y?: number }" },
        { form: "type Pair<T> = [T, T]" },
        { form: "const origin: Point = { x: 27 }; const both = <T,>(v: T): Pair<T> => [v, v]" },
        { form: "both(origin.x as number)!", value: "[27, 27]" },
      ],
    },
    {
      name: "an enum can be declared, used and declared again",
      source: "denoland/deno#1853",
      typescript: true,
      steps: [
        { form: "enum Colour { Red, Green = 5, Blue }" },
        { form: "Colour.Blue", value: "6" },
        { form: "Colour[5]", value: "'Green'" },
        { form: "enum Colour { Red = 10 }" },
        { form: "Colour.Red", value: "10" },
      ],
    },
    {
      name: "a constant enum is there in the next form",
      source: "privatenumber/tsx#321",
      typescript: true,
      steps: [{ form: "const enum Level { Low = 1, High }" }, { form: "Level.High", value: "2" }],
    },
    {
      name: "a namespace gives its values",
      source: "denoland/deno#1158",
      typescript: true,
      steps: [{ form: "namespace Shapes { export const sides = 4 }" }, { form: "Shapes.sides", value: "4" }],
    },
    {
      name: "`satisfies`, `as const` and parameter properties",
      source: "denoland/deno#1158",
      typescript: true,
      steps: [
        { form: "const config = { port: 80 } as const satisfies { port: number }" },
        {
          form: "class Box { constructor(readonly size: number, private n = 2) {} area() { return this.size * this.n } }",
        },
        { form: "new Box(config.port).area()", value: "160" },
      ],
    },
    {
      name: "a standard decorator runs",
      source: "denoland/deno#24745",
      typescript: true,
      steps: [
        {
          form: "function twice(method: Function, _context: unknown) { return function (this: unknown, n: number) { return 2 * method.call(this, n) } }",
        },
        { form: "class Calc { @twice plus(n: number) { return n + 1 } }" },
        { form: "new Calc().plus(2)", value: "6" },
      ],
    },
    {
      name: "JSX calls the factory that is in reach",
      source: "denoland/deno#16771",
      typescript: true,
      steps: [
        {
          form: "const React = { createElement: (tag: string, props: object | null, ...children: unknown[]) => tag + children.length }",
        },
        { form: "<p>hello {1}</p>", value: "'p2'" },
      ],
    },
    {
      name: "`using` disposes at the end of its block",
      source: "oven-sh/bun#29538",
      steps: [
        { form: "const closed = []; const open = (name) => ({ name, [Symbol.dispose]() { closed.push(name) } })" },
        { form: "{ using a = open('a'), b = open('b'); console.log('in', a.name + b.name) }", shows: ["in ab"] },
        { form: "closed.join()", value: "'b,a'" },
      ],
    },
    {
      name: "`await using` waits for what it disposes",
      source: "oven-sh/bun#38284",
      steps: [
        {
          form: "let shut = ''; async function work() { await using h = { async [Symbol.asyncDispose]() { await null; shut = 'shut' } }; return 1 }",
        },
        { form: "await work() + shut", value: "'1shut'" },
      ],
    },
    {
      name: "`new.target`, private names, static blocks and accessors of a class",
      source: "oven-sh/bun#26246",
      steps: [
        {
          form: "class Full { static made = 0; #x = 1; static { Full.made = 10 } get x() { return this.#x } set x(v) { this.#x = v } has(o) { return #x in o } }",
        },
        { form: "const full = new Full(); full.x = 4; full.x + Full.made", value: "14" },
        { form: "full.has(full)", value: "true" },
      ],
    },
    {
      name: "a return outside of a function is a syntax error, not an answer",
      source: "denoland/deno#3700",
      steps: [
        { form: "return 5", error: "error" },
        { form: "8", value: "8" },
      ],
    },
    {
      name: "a strict function that is called plainly has no `this`",
      source: "TypeStrong/ts-node#1610",
      steps: [{ form: "(function () { 'use strict'; return this })()", value: "undefined" }],
    },
    {
      name: "a form that asks for strict mode gets it",
      source: "axilleasiv/vscode-javascript-repl-docs#29",
      steps: [{ form: "'use strict'; (function () { return this })()", value: "undefined" }],
    },
    {
      name: "what is frozen is not written to in silence",
      source: "replit-archive/jsrepl#64",
      steps: [{ form: "const ice = Object.freeze({ a: 1 })" }, { form: "ice.a = 2", error: "TypeError" }],
    },
    {
      name: "a name that nobody declared is assigned to at the top alone",
      source: "nodejs/node#1959",
      steps: [
        { form: "counted = 5" },
        { form: "counted + 1", value: "6" },
        { form: "(() => { leaked = 1 })()", error: "ReferenceError" },
      ],
    },
    {
      name: "a form that ends in declarations has the value before them",
      source: "nodejs/node#15566",
      steps: [
        { form: "5; let behindFive = 1", value: "5" },
        { form: "behindFive", value: "1" },
      ],
    },
    {
      name: "a generator goes on by what is asked alone",
      source: "nodejs/node#60406",
      steps: [
        { form: "function* steps(from) { yield from; yield from + 1 }" },
        { form: "const walk = steps(20)" },
        { form: "walk.next().value", value: "20" },
        { form: "walk.next().value", value: "21" },
      ],
    },
    {
      name: "a field that is an arrow keeps its `this`",
      source: "tc39/test262",
      steps: [
        { form: "class Bound { n = 4; get = () => this.n }" },
        { form: "const { get: unbound } = new Bound(); unbound()", value: "4" },
      ],
    },
    {
      name: "sets in a regular expression",
      source: "tc39/test262",
      steps: [{ form: "/[\\p{L}--[a-z]]/v.test('A')", value: "true" }],
    },
  ],
};
