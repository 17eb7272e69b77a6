/** What the agent reads of values, of the history, of errors and of a restart: the words, on a real image. */
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createImage } from "../../server/src/repl/process/image-process.ts";
import type { Repl } from "../../server/src/repl/repl.ts";
import { createEvalForm } from "../../server/src/tools/execution/eval-form.ts";
import { createGetReplHistory } from "../../server/src/tools/execution/get-repl-history.ts";
import { createInspectObject } from "../../server/src/tools/execution/inspect-object.ts";
import { createRestartRepl } from "../../server/src/tools/execution/restart-repl.ts";
import type { Tool } from "../../server/src/tools/tool.ts";
import { aliasOf } from "../support/alias-of.ts";
import { answerOf } from "../support/answer-of.ts";
import { replOn, startTestImage, until, type TestImage } from "../unit/repl/with-image.ts";

let t: TestImage;
let repl: Repl;
let inspect: Tool;
let lastError: Tool;
let history: Tool;
let restart: Tool;

beforeAll(() => {
  t = startTestImage();
  repl = replOn(t.image);
  const showUri = (uri: string): string => relative(t.root, fileURLToPath(uri));
  const findFile = (name: string) =>
    name.startsWith("src/") ? { path: join(t.root, name) } : { reason: `No module ${name}.` };
  inspect = createInspectObject(repl, { findFile, showUri });
  history = createGetReplHistory(repl, { showUri });
  lastError = aliasOf("get_last_error", history);
  restart = createRestartRepl(repl, { showUri }, { safety: "cautious" });
});
afterAll(() => t.dispose());

const evaluate = (code: string, by: "person" | "agent" = "agent") =>
  repl.evaluate({ code, by }, new AbortController().signal);
const text = async (tool: Tool, args?: Record<string, unknown>): Promise<string> =>
  (await answerOf(tool, args)).content.replace(/[\d.]+ ms/g, "N ms");

describe("inspect_object", () => {
  it("says that nothing runs yet", async () => {
    expect(await text(inspect, { value: "$1" })).toBe("The REPL does not run: there is no value to see.");
  });

  it("shows members, private fields, getters and the way inside", async () => {
    await evaluate(`class Account {
      #pin = { digits: [1, 2] }; owner = "Ada"; limits = new Map([["day", 100]]);
      get total() { return 42 }
      pay() {}
    }
    new Account()`);
    expect(await text(inspect, { value: "$1" })).toBe(
      [
        "$1: Account",
        "prototypes: Account < Object",
        '  owner: "Ada"',
        '  limits: Map(1) { "day" => 100 }',
        "  #pin: { digits: Array(2) [1, 2] }",
        "  total: [getter]   (of Account)",
        "  <prototype>: Account { total, pay }",
      ].join("\n"),
    );
    expect(await text(inspect, { value: "$1", inside: "#pin.digits[1]" })).toBe("$1 › #pin › digits › 1: number = 2");
    expect(await text(inspect, { value: "$1", inside: "limits.day" })).toBe("$1 › limits › day: number = 100");
    expect(await text(inspect, { value: "$1.limits" })).toContain('"day" => 100');
    expect(await text(inspect, { value: "$1", inside: "nothing" })).toBe(
      "There is no nothing here. It has: owner, limits.",
    );
  });

  it("calls a getter only when it is told to, as an evaluation of its own", async () => {
    expect(await text(inspect, { value: "$1", inside: "total" })).toBe(
      "total is a getter, which is not called by looking. With invoke: true it is called, as an evaluation of its own.",
    );
    expect(await text(inspect, { value: "$1", inside: "total", invoke: true })).toBe("$2: number = 42");
    expect(repl.history().items[0]).toMatchObject({ code: "$1.total", by: "agent" });
  });

  it("reads on page by page", async () => {
    await evaluate("Array.from({ length: 100 }, (_, n) => ({ n }))");
    const first = await answerOf(inspect, { value: "$3" });
    expect(first.truncated).toBe(true);
    // The parameter that reads on is the page, not a cursor.
    expect(first.nextCursor).toBeUndefined();
    expect(first.content).toContain("  39: { n: 39 }\n");
    expect(first.content).toContain("(page 1 of 3, 100 members; page: 2 shows more)");
    expect(await text(inspect, { value: "$3", page: 9 })).toMatch(/\nThere is no page 9: the last one is 3\.$/);
    const last = await answerOf(inspect, { value: "$3", page: 3 });
    expect(last.truncated).toBeUndefined();
    expect(last.content).toContain("  99: { n: 99 }\n(page 3 of 3, 100 members)");
  });

  it("names the binding of a module, the place of a function, and what an expression would do", async () => {
    await evaluate("import { Invoice } from './src/invoice.ts'; new Invoice('x'); 1");
    expect(await text(inspect, { value: "src/invoice.ts#surcharge" })).toBe("surcharge: number = 5");
    expect(await text(inspect, { value: "src/invoice.ts#issuedSoFar" })).toContain("written at src/invoice.ts:32:17");
    const nowhere = { content: "No module nowhere.ts.", success: false };
    expect(await answerOf(inspect, { value: "nowhere.ts#x" })).toEqual(nowhere);
    expect(await text(inspect, { value: "new Invoice('y').add('a', 1)" })).toBe(
      "It may have an effect, and looking runs nothing that has one. Evaluate it with eval_form and inspect the handle of its value.",
    );
    expect(await text(inspect, { value: "x", inside: "a[" })).toContain("is not a path");
  });

  it("says why it does not call a getter", async () => {
    const open = createInspectObject(
      {
        inspect: (request) => repl.inspect(request),
        evaluate: () => expect.unreachable(),
        status: () => ({ ...repl.status(), confinement: "open" }),
        whyLocked: () => undefined,
      },
      { findFile: () => ({ reason: "" }), showUri: (uri) => uri },
    );
    expect(await text(open, { value: "$1", inside: "total", invoke: true })).toBe(
      "The REPL is open: call it with eval_form, which asks first: $1.total",
    );
  });
});

describe("get_last_error", () => {
  it("says so when there was none, and names no evaluation before the first", async () => {
    const fresh = replOn(createImage({ projectRoot: t.root, onOutput: () => {}, onState: () => {}, log: () => {} }));
    const none = createGetReplHistory(fresh, { showUri: (uri) => uri });
    expect(await text(aliasOf("get_last_error", none))).toBe("No evaluation raised an error.");
    expect(await text(aliasOf("get_compilation_notes", none))).toBe("Nothing was evaluated yet.");
  });

  it("tells the other properties of an error, its cause, and that a cause repeats", async () => {
    await evaluate(
      "class Gone extends Error { status = 404 }\nconst why = new Error('why'); why.cause = why;\nthrow Object.assign(new Gone('gone', { cause: why }), { path: '/a' })",
      "person",
    );
    expect(await text(lastError)).toBe(
      [
        "5 person: error (N ms)",
        "  | class Gone extends Error { status = 404 }",
        "  | const why = new Error('why'); why.cause = why;",
        "  | throw Object.assign(new Gone('gone', { cause: why }), { path: '/a' })",
        "thrown Gone: gone",
        '  { status: 404, path: "/a" }',
        `  at form 5:3:21   | throw Object.assign(new Gone('gone', { cause: why }), { path: '/a' })`,
        "Caused by:",
        "  Error: why",
        "    at form 5:2:13   | const why = new Error('why'); why.cause = why;",
        "  Caused by:",
        "    Error: why (the same error as above)",
      ].join("\n"),
    );
  });

  it("counts the parts it leaves out, and folds a recursion without end", async () => {
    await evaluate("throw new AggregateError(Array.from({ length: 13 }, (_, n) => new Error('part ' + n)), 'many')");
    const many = await text(lastError);
    expect(many).toContain("Part:\n  Error: part 9\n");
    expect(many).toMatch(/\n… 3 more parts$/);
    expect(many).not.toContain("part 10");
    await evaluate("const again = (n: number): number => again(n + 1); again(0)");
    expect(await text(lastError)).toMatch(/in again .*\n {2}\(the same frame \d+ more times\)$/);
  });

  it("says when an error came after the form had given its value", async () => {
    await evaluate("setTimeout(() => { throw new RangeError('late') }, 5); 1");
    await until(async () => (await text(lastError)).includes("RangeError: late"));
    expect(await text(lastError)).toMatch(
      /^8 agent: value \$8 : number = 1 [^]*\nRaised later, in the background:\nRangeError: late\n/,
    );
  });

  it("is told by the history too, which offers the form and what the compiler said of it", async () => {
    expect(await text(history, { id: "8" })).toMatch(
      /^8 agent: value \$8 : number = 1 \(N ms\)\n {2}\| setTimeout\(.*\nRaised later, in the background:\nRangeError: late\n/,
    );
    await evaluate("[].at(0).more");
    const whole = await text(history, { id: "$9" });
    expect(whole).toMatch(/^9 agent: error \(N ms\)\n {2}\| \[\]\.at\(0\)\.more\n/);
    expect(whole).toContain("\nTypeError: Cannot read properties of undefined (reading 'more')\n  at form 9:1:");
    expect(await text(history, { id: "70" })).toContain("There is no evaluation 70");
  });

  it("shows no frame of ours for a form inside of a module", async () => {
    await repl.evaluate(
      { code: "null.foo", by: "agent", module: join(t.root, "src/invoice.ts") },
      new AbortController().signal,
    );
    expect(await text(lastError)).toBe(
      "10 agent in src/invoice.ts: error (N ms)\n  | null.foo\nTypeError: Cannot read properties of null (reading 'foo')\n  at form 10:1:6   | null.foo",
    );
  });
});

it("get_repl_history and restart_repl tell who, what, and what is lost", async () => {
  expect(await text(history, { limit: 2 })).toBe(
    [
      "9 agent: error TypeError: Cannot read properties of undefined (reading 'more') (N ms)",
      "  | [].at(0).more",
      "10 agent in src/invoice.ts: error TypeError: Cannot read properties of null (reading 'foo') (N ms)",
      "  | null.foo",
      "(2 of 10 evaluations; cursor 8 reads on to older ones)",
    ].join("\n"),
  );
  expect(await text(history, { cursor: "later" })).toContain('The cursor "later" is not one that this tool gave out');
  expect((await text(history, { limit: 1, cursor: "7" })).split("\n")[0]).toMatch(/^7 agent: error RangeError: /);
  expect(await answerOf(restart, { replay: ["3", "nine"] }), "a slip costs no state").toEqual({
    content: "Nothing was restarted: no form that succeeded has the id nine.",
    success: false,
  });
  expect(await text(restart, { replay: ["3"] })).toBe(
    [
      "The REPL runs in a fresh process.",
      "Gone with the old one: 5 names (Account, Gone, why, again, Invoice); 4 values ($1, $2, $4, $8).",
      "1 form was run again:",
      "11 agent (again 3): value $11 : Array(100) = [ { n: 0 }, { n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }, { n: 5 }… (N ms)",
      "  | Array.from({ length: 100 }, (_, n) => ({ n }))",
    ].join("\n"),
  );
  expect(await text(inspect, { value: "$3", inside: "99.n" })).toBe("$3 › 99 › n: number = 99");
  expect(await text(history, { limit: 2 })).toContain("foo') (N ms), lost with its process");
  expect(await text(restart)).toBe("The REPL runs in a fresh process.\nGone with the old one: 1 value ($11).");
  expect(await text(restart)).toBe("The REPL runs in a fresh process.");
});

it("restart_repl names the servers and traces that go, and an error about a lost name says that the restart lost it", async () => {
  await evaluate(
    "const port = 0; const cart = 1; import('node:http').then((http) => http.createServer().listen(port))",
  );
  const trace = "trace_function src/invoice.ts#surcharged";
  await repl.evaluate({ code: "1", tool: { words: trace }, by: "agent" }, new AbortController().signal);
  expect(await text(restart)).toMatch(
    /\nGone with the old one: 2 names \(port, cart\); \d values? \([^)]*\); 1 server on port \d+; 1 traced function \(src\/invoice\.ts#surcharged\)\.$/,
  );
  const gone = await evaluate("cart + 1");
  expect(gone.error).toMatchObject({
    name: "ReferenceError",
    message: "cart is not defined: it was lost in the restart of the REPL",
  });
  expect((await evaluate("$3")).error?.message).toBe("$3 is not defined: it was lost in the restart of the REPL");
  expect((await evaluate("$9")).error?.message, "which had no value").toBe("$9 is not defined");
  expect((await evaluate("nowhere")).error?.message).toBe("nowhere is not defined");
  expect(await text(inspect, { value: "$3" })).toContain("it was lost in the restart of the REPL");
});

it("tells the last interruption, and that the person asked for it", async () => {
  await evaluate("null.foo");
  const running = evaluate("for (;;) {}");
  await until(() => t.image.status().state === "busy");
  await until(() => t.image.interrupt());
  expect((await running).error?.message).toMatch(/^Stopped by the person while it ran here/);
  expect(await text(lastError)).toMatch(/\nInterrupted: Stopped by the person while it ran here[^]*for \(;;\) \{\}$/);
  const own = evaluate("for (;;) {}", "person");
  await until(() => t.image.status().state === "busy");
  await until(() => t.image.interrupt());
  expect((await own).error?.message).toMatch(/^Stopped on request/);
});

it("restart_repl shows the failures and the last forms of a long replay, and counts the others", async () => {
  const replayed = Array.from({ length: 60 }, (_, n) => ({
    ...({ evalId: String(n), by: "agent", code: `form(${n})`, at: "", stateKept: true } as const),
    outcome: n === 7 ? ("error" as const) : ("value" as const),
  }));
  const tool = createRestartRepl(
    { restart: async () => ({ ...repl.status(), replayed }) },
    { showUri: (uri) => uri },
    { safety: "cautious" },
  );
  const lines = (await text(tool, { replay: ["all"] })).split("\n");
  expect(lines.slice(1, 5)).toEqual([
    "60 forms were run again, 1 of them failed:",
    "7 agent: error",
    "  | form(7)",
    "41 agent: value",
  ]);
  expect(lines.slice(-2)).toEqual(["  | form(59)", "(40 more are not shown: get_repl_history lists them)"]);
});

it("shows short elements in rows, and a hole where it is", async () => {
  await evaluate(
    "globalThis.numbers = Array.from({ length: 30 }, (_, n) => n * 100); delete numbers[2]; numbers[4] = 'x'; 0",
  );
  const page = await text(inspect, { value: "numbers" });
  expect(page.split("\n").slice(0, 4)).toEqual([
    "numbers: Array(30)",
    '  0: 0, 100, <empty>, 300, "x", 500, 600, 700, 800, 900, 1000, 1100, 1200, 1300, 1400, 1500, 1600',
    "  17: 1700, 1800, 1900, 2000, 2100, 2200, 2300, 2400, 2500, 2600, 2700, 2800, 2900",
  ]);
});

it("says how to read on in a value that its answer cuts, without cutting a character in two", async () => {
  const form = createEvalForm(repl, { findFile: () => ({ reason: "" }), showUri: (uri) => uri });
  const { content } = await answerOf(form, { form: "'a' + '😀'.repeat(20_000)" });
  expect(content.isWellFormed()).toBe(true);
  expect(content).not.toContain("ud83d");
  const [, handle = ""] = /: string, kept as (\$\d+); inspect_object \1 reads on/.exec(content) ?? [];
  const pages = await Promise.all([1, 2].map((page) => text(inspect, { value: handle, page })));
  expect(pages.every((page) => page.isWellFormed())).toBe(true);
  expect(pages[1]).toContain("page: 3 shows more");
  const said = await answerOf(form, { form: "console.log('a' + '😀'.repeat(10_000)); 1" });
  expect(said.content.isWellFormed()).toBe(true);
  expect(said.content).toMatch(
    /\n  … \d+ characters left out: the person's log of the REPL has them; a value, unlike output, is kept and read on/,
  );
  const failed = await answerOf(form, { form: "throw new Error('a' + '😀'.repeat(10_000))" });
  expect(failed.content.isWellFormed()).toBe(true);
});

it("get_repl_history tells every form in full, with its own error, those of the background and what the compiler said", async () => {
  const early = await evaluate(
    "setTimeout(() => { throw new RangeError('too late') }, 0);\nthrow new Error('first', { cause: new Error('why first') })",
  );
  await until(() => repl.errorsOf(early.evalId).length > 1);
  await evaluate("throw new Error('second', { cause: new Error('why second') })");
  const full = await text(history, { id: early.evalId });
  for (const prefix of ["form ", "#", "$"])
    expect(await text(history, { id: `${prefix}${early.evalId}` }), prefix).toBe(full);
  expect(full).toBe(
    [
      `${early.evalId} agent: error (N ms)`,
      "  | setTimeout(() => { throw new RangeError('too late') }, 0);",
      "  | throw new Error('first', { cause: new Error('why first') })",
      "Error: first",
      `  at form ${early.evalId}:2:7   | throw new Error('first', { cause: new Error('why first') })`,
      "Caused by:",
      "  Error: why first",
      `    at form ${early.evalId}:2:35   | throw new Error('first', { cause: new Error('why first') })`,
      "Raised later, in the background:",
      "RangeError: too late",
      `  at form ${early.evalId}:1:26 in Timeout.<anonymous>   | setTimeout(() => { throw new RangeError('too late') }, 0);`,
    ].join("\n"),
  );
});

it("inspect_object folds entries of which the same is said, and names the parameter that goes inside", async () => {
  const { valueId = "" } = await evaluate(
    "new Map([...'abcdef'].map((letter, index) => [letter, Promise.resolve(letter)]).concat([['last', { a: 1 }]]))",
  );
  expect(await text(inspect, { value: valueId })).toContain(
    '  "a", "b", "c", "d", "e", "f" => Promise   (inside <0> to <5>)\n  "last" => { a: 1 }   (inside <6>)',
  );
});

it("eval_form says what a form is to who writes a return or a line for the shell", async () => {
  const form = createEvalForm(repl, { findFile: () => ({ reason: "" }), showUri: (uri) => uri });
  const told = async (code: string): Promise<string> => (await answerOf(form, { form: code })).content;
  expect(await told("const x = 1;\nreturn x")).toMatch(/SyntaxError[^]*\nA form has no return: /);
  expect(await told("npm test -- --run")).toMatch(/SyntaxError[^]*\nA form is TypeScript: run_command/);
  expect(await told("let broken = ;")).toMatch(/\)$/);
  const open = await told("require('node:net').createServer().listen(0); 1");
  expect(open).toContain("It ends with the process: restart_repl.");
  expect(open).not.toContain("Interrupting");
});
