import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createCompileForm } from "../../server/src/tools/execution/compile-form.ts";
import { createEvalForm } from "../../server/src/tools/execution/eval-form.ts";
import type { Tool } from "../../server/src/tools/tool.ts";
import { aliasOf } from "../support/alias-of.ts";
import { answerOf } from "../support/answer-of.ts";
import { startTestImage, type TestImage } from "../unit/repl/with-image.ts";

let t: TestImage;
let compileForm: Tool;
let evalInPackage: Tool;
beforeEach(() => {
  t = startTestImage({}, "redefine-project");
  const names = {
    findFile: (name: string) =>
      name.startsWith("src/") ? { path: join(t.root, name) } : { reason: `There is no file ${name} in the project.` },
    showUri: (uri: string): string => relative(t.root, fileURLToPath(uri)),
  };
  compileForm = createCompileForm(t.image, names);
  evalInPackage = aliasOf("eval_in_package", createEvalForm(t.image, names));
});
afterEach(() => t.dispose());

/** Asks one after the other, and writes questions and answers as a model would read them. */
async function transcript(steps: readonly (readonly [Tool, Record<string, unknown>])[]): Promise<string> {
  const parts: string[] = [];
  for (const [tool, args] of steps) {
    const { content } = await answerOf(tool, args, AbortSignal.timeout(60_000));
    parts.push(`> ${tool.name} ${JSON.stringify(args)}\n\n${content}\n`);
  }
  return parts.join("\n").replace(/[\d.]+ ms/g, "N ms");
}

const golden = (name: string): string => `./snapshots/compile-form/${name}.txt`;
const load = "import { run, draw, defaults } from './src/app.ts'; const drawn = draw(); run('a')";

it("answers who sees a function and who keeps the old one", async () => {
  await t.value(load);
  const greet = "export function greet(name: string): string {\n  return `bye ${mark(name)}`;\n}";
  const text = await transcript([
    [compileForm, { form: greet, path: "src/greet.ts" }],
    [compileForm, { form: "const mark = (name: string) => `${name}?`;", path: "src/greet.ts" }],
    [compileForm, { form: "export let tone = 'high'; export enum Mood { Glad }", path: "src/greet.ts" }],
    [compileForm, { form: "export default () => 'again'", path: "src/default-arrow.ts" }],
    [evalInPackage, { form: "run('b')", path: "src/app.ts" }],
  ]);
  await expect(text).toMatchFileSnapshot(golden("function"));
});

it("answers that something keeps the old one where a function does in a variable of its own", async () => {
  const form = "export function welcomed(name: string): string {\n  return `new ${name}`;\n}";
  t.write("src/welcomed.ts", "export function welcomed(name: string): string {\n  return name;\n}\n");
  t.write(
    "src/wrapped.ts",
    "export function wrapped(inner: (name: string) => string) {\n  return (name: string) => inner(name);\n}\n",
  );
  const hold =
    "import { welcomed } from './src/welcomed.ts'; import { wrapped } from './src/wrapped.ts'; globalThis.again = wrapped(welcomed); 1";
  await t.value(hold);
  const text = await transcript([[compileForm, { form, path: "src/welcomed.ts" }]]);
  await expect(text).toMatchFileSnapshot(golden("closure"));
});

it("answers what becomes of instances, subclasses and statics of a class", async () => {
  await t.value(`${load}; import { Account, Savings } from './src/account.ts'; const savings = new Savings('Sue');`);
  const shape =
    "export class Shape {\n  static made = 0;\n  corners = 4;\n  constructor(readonly name: string) {}\n  describe() { return 'new'; }\n}";
  const account =
    "export class Account {\n  #balance = 0;\n  #limit = 9;\n  constructor(readonly owner: string) {}\n  #secret() { return 'new'; }\n  tell() { return this.#secret() + this.#limit; }\n}";
  const text = await transcript([
    [compileForm, { form: shape, path: "src/shapes.ts" }],
    [compileForm, { form: account, path: "src/account.ts" }],
    [
      compileForm,
      {
        form: "Account.deposit(cents: number): this { this.#balance += cents; return this; }",
        path: "src/account.ts",
      },
    ],
    [compileForm, { form: "Account.more() { return this.#more; }", path: "src/account.ts" }],
  ]);
  await expect(text).toMatchFileSnapshot(golden("class"));
});

it("answers something about every member that it installs, decorated and computed ones too", async () => {
  const decorator = "const loud = (..._: unknown[]): void => {};";
  t.write(
    "src/bell.ts",
    `${decorator}\nexport class Bell {\n  @loud ring() { return 1; }\n  rest() { return 2; }\n}\n`,
  );
  const text = await transcript([
    [compileForm, { form: "Bell.ring() { return 2; }", path: "src/bell.ts" }],
    [compileForm, { form: "Bell.rest() { return 3; }", path: "src/bell.ts" }],
    [compileForm, { form: "@loud\nBell.ring() { return 2; }", path: "src/bell.ts" }],
    [compileForm, { form: "Bell.prototype[Symbol.iterator] = function* () { yield 1; };", path: "src/bell.ts" }],
    [compileForm, { form: "Bell['a' + 1] = 2;", path: "src/bell.ts" }],
    [compileForm, { form: "Bell.hush() { return 4; }", path: "src/bell.ts" }],
    [compileForm, { form: "Bell.hush() { return 5; }", path: "src/bell.ts" }],
  ]);
  await expect(text).toMatchFileSnapshot(golden("members"));
});

it("answers what CommonJS passes on and what it copies", async () => {
  await t.value("import './src/old/user.cjs'; import './src/modern-user.ts'; 1");
  const text = await transcript([
    [compileForm, { form: "function format(value) { return 'new ' + pad(value); }", path: "src/old/format.cjs" }],
    [
      compileForm,
      {
        form: "function pad(value) { return value; }\nfunction Box(value) { this.value = value; }",
        path: "src/old/format.cjs",
      },
    ],
    [compileForm, { form: "export function next(value: number) { return value + 2; }", path: "src/old/typed.cts" }],
  ]);
  await expect(text).toMatchFileSnapshot(golden("commonjs"));
});

it("offers a reload for a new export or import with what it would lose, and does it when asked", async () => {
  await t.value(`${load}; import { count } from './src/greet.ts'; count()`);
  const fresh = "import { basename } from 'node:path';\nexport const fresh = (path: string): string => basename(path);";
  const text = await transcript([
    [compileForm, { form: fresh, path: "src/greet.ts" }],
    [compileForm, { form: fresh, path: "src/greet.ts", reload: true }],
    [evalInPackage, { form: "[all.fresh('a/b'), run('x')[0]]", path: "src/app.ts" }],
    [
      compileForm,
      {
        form: "export class Shape { constructor(readonly name: string) {} }\nexport const extra = 1;",
        path: "src/shapes.ts",
      },
    ],
  ]);
  await expect(text).toMatchFileSnapshot(golden("reload"));
});

it("says in one sentence what cannot be installed", async () => {
  await t.value(load);
  t.write("src/data.json", "{}");
  t.write("src/throws.ts", "throw new Error('while loading');");
  const text = await transcript([
    [compileForm, { form: "const a = 1;\ngreet('x');", path: "src/greet.ts" }],
    [compileForm, { form: "function greet() {}", path: "src/app.ts" }],
    [compileForm, { form: "function greet( {", path: "src/greet.ts" }],
    [compileForm, { form: "function greet() { return 'x' }\nconst bad = null!.x;", path: "src/greet.ts" }],
    [compileForm, { form: "const a = 1;", path: "src/data.json" }],
    [compileForm, { form: "const a = 1;", path: "src/nowhere.ts" }],
    [compileForm, { form: "const a = 1;", path: "src/throws.ts" }],
    [compileForm, { form: "const a = 1;", path: "nowhere" }],
    [compileForm, { form: "export const a = 1;", reload: true }],
    [compileForm, { form: "// nothing" }],
    [compileForm, { form: "type Name = string; interface Options { loud: boolean }", path: "src/greet.ts" }],
  ]);
  await expect(text).toMatchFileSnapshot(golden("refusals"));
});

it("is dangerous where the image is open", () => {
  const names = { findFile: () => ({ reason: "" }), showUri: (uri: string) => uri };
  expect(createCompileForm(t.image, names, { safety: "dangerous" }).safety).toBe("dangerous");
  expect([compileForm.safety, evalInPackage.safety]).toEqual(["cautious", "cautious"]);
});

it("advises no loss of state for a type, which nobody could import at run time", async () => {
  await t.value(load);
  const { content } = await answerOf(compileForm, { form: "export interface Foo { a: 1 }", path: "src/greet.ts" });
  expect(content).toContain("type Foo: nothing to install");
  expect(content).not.toMatch(/reload|lose/);
});
