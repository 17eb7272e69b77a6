/** Forms that use what `compile_form` installed in running modules, checked by the real compiler. */
import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { itAtLength } from "../support/extent.ts";
import type { Repl } from "../../server/src/repl/repl.ts";
import { createImage, type EvaluateRequest, type Evaluated } from "../../server/src/repl/process/image-process.ts";
import { checkForm } from "../../server/src/typescript/check-form.ts";
import { replOn } from "../unit/repl/with-image.ts";
import { openProject, type TestProject } from "../unit/typescript/with-typescript.ts";

const signal = new AbortController().signal;
const files: Readonly<Record<string, string>> = {
  "package.json": `{ "name": "shop", "type": "module" }`,
  "tsconfig.json": `{ "compilerOptions": { "strict": true, "allowJs": true, "checkJs": true, "module": "nodenext", "target": "es2023", "noEmit": true, "types": [] }, "include": ["src"] }`,
  "src/box.ts": `export class Box {
  constructor(readonly label: string) {}
  #seal = "wax";
  get seal(): string { return this.#seal }
}
export enum Size { Small, Large }
export function pack(label: string): Box { return new Box(label) }
export const rates = { eur: 1 };
export const kept = new Box("kept");
`,
  "src/shelf.ts": `import { pack, type Box } from "./box.ts";
export const first: Box = pack("first");
`,
  "src/post.ts": `import { stamped } from "./stamp.ts";
export interface Letter { to: string }
export class Letter { #cents = 1; cents(): number { return this.#cents } send(): number { return stamped(this) } }
export namespace Letter { export const max = 2; export const to = (to: string): Letter => Object.assign(new Letter(), { to }) }
export function weigh(): number { return weigh.unit }
export namespace weigh { export const unit = 3 }
export enum Speed { Slow, Fast }
export namespace Speed { export const usual = Speed.Slow }
export default class Post { open = true }
`,
  "src/stamp.ts": `import type { Letter } from "./post.ts";
export function stamped(letter: Letter): number { return letter.cents() }
`,
  "src/half.ts": `export function half(amount: number, {\n  return amount / 2;\n}\n`,
  "src/settings.ts": `const settings = { port: 1, name: "old" };
export default settings;
`,
  "src/price.cts": `export function total(count: number): number { return count * 2 }
export const unit = 2;
`,
  "src/legacy.cjs": `function tax(amount) { return amount * 2 }
exports.tax = tax;
exports.round = (/** @type {number} */ amount) => Math.round(amount);
`,
};
let project: TestProject;
let repl: Repl;

beforeAll(async () => {
  project = openProject(files);
  await project.service.ready(signal);
  const bare = createImage({ projectRoot: project.root, onOutput: () => {}, onState: () => {}, log: () => {} });
  repl = replOn(bare, {
    checks: {
      projectRoot: project.root,
      check: (text, checkSignal) => checkForm(project.service, text, checkSignal),
      readModule: async (path) => files[path.slice(project.root.length + 1)],
      onLateNotes: () => {},
      log: () => {},
    },
  });
});
afterAll(async () => {
  await repl.dispose();
  await project.dispose();
});
beforeEach(async () => {
  await repl.restart();
  const { evalId } = await run(
    "import { Box, Size, pack, rates, kept } from './src/box.ts'; const oldBox = new Box('old')",
  );
  await repl.compilationNotesOf(evalId, signal);
});

function run(code: string, more: Partial<EvaluateRequest> = {}): Promise<Evaluated> {
  return repl.evaluate({ code, by: "agent", ...more }, signal);
}

/** What the form answered, and the compiler's notes of it. */
async function answer(code: string, more: Partial<EvaluateRequest> = {}): Promise<string[]> {
  const result = await run(code, more);
  const notes = result.notes
    .filter(({ code: number }) => number !== undefined)
    .map(({ range, message }) => `${(range?.start.line ?? 0) + 1}:${(range?.start.character ?? 0) + 1} ${message}`);
  return [result.preview ?? result.error?.message ?? "", ...notes];
}

async function install(code: string, file = "src/box.ts", reload = false): Promise<void> {
  const result = await run(code, { module: `${project.root}/${file}`, install: { reload } });
  expect(result.error?.message ?? result.outcome).toBe("value");
}

const inBox = (): Partial<EvaluateRequest> => ({ module: `${project.root}/src/box.ts` });
const BOX = "export class Box { constructor(readonly label: string) {} shout() { return this.label.toUpperCase() } }";

describe("a form that uses what was installed", () => {
  it("may call a new method of an old instance, and gets an error for what the class still lacks", async () => {
    expect(await answer("oldBox.shout()")).toHaveLength(2);
    await install(BOX);
    expect(await answer("oldBox.shout()")).toEqual([`"OLD"`]);
    expect(await answer("kept.shout()", inBox())).toEqual([`"KEPT"`]);
    expect((await answer("\n oldBox.whisper?.()")).slice(1)).toEqual([
      "2:9 TS2339: Property 'whisper' does not exist on type 'Box'.",
    ]);
    expect((await answer("oldBox.seal")).slice(1)).toEqual([
      "1:8 TS2339: Property 'seal' does not exist on type 'Box'.",
    ]);
  });

  it("sees one method by itself, in a class and in an object", async () => {
    await install("Box.prototype.shout(times: number): string { return this.label.repeat(times) }");
    await install("static Box.of(label: string): Box { return new Box(label) }");
    await install("get Box.seal(): number { return this.#seal.length }");
    await install("rates.eurOf(amount: number): number { return amount * this.eur }");
    expect(await answer("oldBox.shout(2)")).toEqual([`"oldold"`]);
    expect(await answer("Box.of('new').seal.toFixed()")).toEqual([`"3"`]);
    expect(await answer("rates.eurOf(3)")).toEqual(["3"]);
    expect((await answer("oldBox.shout('2')")).slice(1)).toEqual([
      "1:14 TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.",
    ]);
  });

  it("gets an error for an old use when a signature changed", async () => {
    expect(await answer("pack('a').label")).toEqual([`"a"`]);
    await install("export function pack(count: number): Box { return new Box('x'.repeat(count)) }");
    expect(await answer("pack(2).label")).toEqual([`"xx"`]);
    expect((await answer("pack('a').label")).slice(1)).toEqual([
      "1:6 TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.",
    ]);
  });

  it("sees a new enum member, and names that only the module knows", async () => {
    await install("export enum Size { Small, Large, Huge }");
    await install("const wide = (size: Size): boolean => size === Size.Huge;");
    expect(await answer("Size.Huge")).toEqual(["2"]);
    expect(await answer("wide(Size.Huge)", inBox())).toEqual(["true"]);
    expect((await answer("wide('x')", inBox())).slice(1)).toHaveLength(1);
  });

  it("sees what took the place of a name that a form left in the module", async () => {
    await run("const limit = 5", inBox());
    expect((await answer("limit.length", inBox())).slice(1)).toHaveLength(1);
    await install("const limit = 'five';");
    expect(await answer("limit.length", inBox())).toEqual(["4"]);
  });

  it("imports a new export when the module was loaded anew with it", async () => {
    await install("export const fresh = (box: Box): string => box.label;", "src/box.ts", true);
    expect(await answer("import { fresh, Box as Now } from './src/box.ts'; fresh(new Now('a'))")).toEqual([`"a"`]);
    expect((await answer("fresh(1)")).slice(1)).toHaveLength(1);
    await install("export const later = 1;");
    expect(await answer("later + 1", inBox())).toEqual(["2"]);
    expect(await answer("(await import('./src/box.ts')).later")).toEqual([
      "undefined",
      expect.stringMatching(/^1:32 TS2339: Property 'later' does not exist on type/),
    ]);
  });

  it("sees what was installed through modules that pass it on", async () => {
    await run("import { first } from './src/shelf.ts'");
    await install(BOX);
    expect(await answer("first.shout()")).toEqual([`"FIRST"`]);
  });

  it("sees what was installed among the names of the forms", async () => {
    await run("class Cat { constructor(readonly name: string) {} }; const tom = new Cat('Tom')");
    await run("export class Dog { fetch() { return 1 } }; const rex = new Dog(); const friend = tom");
    expect((await answer("tom.purr?.()")).slice(1)).toHaveLength(1);
    await run("class Cat { constructor(readonly name: string) {} purr() { return this.name } }", { install: {} });
    expect(await answer("tom.purr() + friend.purr()")).toEqual([`"TomTom"`]);
    await run("class Cat { constructor(readonly name: string) {} nap(friend: Cat) { return friend.name } }", {
      install: {},
    });
    await run("Dog.bark(times: number): string { return 'woof'.repeat(times) }", { install: {} });
    expect(await answer("tom.nap(new Cat('Kit')) + rex.bark(1) + rex.fetch()")).toEqual([`"Kitwoof1"`]);
    expect((await answer("friend.purr?.(); rex.bark?.('1')")).slice(1)).toEqual([
      "1:8 TS2339: Property 'purr' does not exist on type 'Cat'.",
      "1:29 TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.",
    ]);
  });

  it("sees CommonJS, new exports included, in TypeScript and in JavaScript", async () => {
    await run("import { total } from './src/price.cts'; import legacy from './src/legacy.cjs'");
    await install(
      "export function total(count: number, unit: string): string { return count + unit }",
      "src/price.cts",
    );
    await install("export function twice(count: number): number { return count * 2 }", "src/price.cts");
    expect(await answer("total(1, 'kg').length")).toEqual(["3"]);
    expect(await answer("import price from './src/price.cts'; price.twice(2).toFixed()")).toEqual([`"4"`]);
    await install(
      "function tax(amount, /** @type {number} */ rate) { return amount * rate }\nexports.tax = tax;",
      "src/legacy.cjs",
    );
    await install("exports.half = (/** @type {number} */ amount) => amount / 2;", "src/legacy.cjs");
    expect(await answer("legacy.tax(2, 3) + legacy.half(4)")).toEqual(["8"]);
    expect((await answer("legacy.tax(2)")).slice(1)).toEqual(["1:8 TS2554: Expected 2 arguments, but got 1."]);
  });
});

describe("an installation that no text shows", () => {
  it("causes no error in a form, and the notes say so", async () => {
    await install("rates.usd = 2;");
    const { evalId, preview } = await run("rates.usd + 1");
    expect(preview).toBe("3");
    expect(await repl.compilationNotesOf(evalId, signal)).toMatchObject({
      state: "unchecked",
      reason: "usd was installed in src/box.ts, where the compiler cannot see it.",
    });
    expect((await answer("rates.gbp")).slice(1)).toEqual([
      "1:7 TS2339: Property 'gbp' does not exist on type '{ eur: number; }'.",
    ]);
  });
});

describe("an installation that is gone", () => {
  itAtLength(
    "causes errors again when the module is loaded from its changed source, and when the image starts anew",
    async () => {
      await install(BOX);
      expect(await answer("oldBox.shout()")).toEqual([`"OLD"`]);
      const path = `${project.root}/src/box.ts`;
      writeFileSync(path, `${files["src/box.ts"]}export const more = 1;\n`);
      await run("import { Box, more } from './src/box.ts'");
      expect((await answer("new Box('a').shout?.()")).slice(1)).toEqual([
        "1:14 TS2339: Property 'shout' does not exist on type 'Box'.",
      ]);
      writeFileSync(path, files["src/box.ts"] ?? "");
      await install(BOX);
      await repl.restart();
      await run("import { Box } from './src/box.ts'");
      expect((await answer("new Box('a').shout?.()")).slice(1)).toHaveLength(1);
    },
  );

  it("counts as never made when it threw", async () => {
    const failed = await run("const broken: number = (() => { throw new Error('no') })();", {
      ...inBox(),
      install: {},
    });
    expect(failed.outcome).not.toBe("value");
    expect((await answer("broken", inBox())).slice(1)).toEqual(["1:1 TS2304: Cannot find name 'broken'."]);
  });
});

it("answers the user's own questions from the source", async () => {
  await install(BOX);
  await answer("oldBox.shout()");
  const text = await project.service.query(async (view) => {
    const found = await view.source(`${project.root}/src/box.ts`);
    return found?.source.text;
  }, signal);
  expect(text).toBe(files["src/box.ts"]);
});

it("a default export is checked as the value that it is", async () => {
  const more = { module: `${project.root}/src/settings.ts`, install: {} };
  expect((await answer("export default { port: 2, name: 'new' };", more)).slice(1)).toEqual([]);
  expect((await answer("export default function (port: number) { return port }", more)).slice(1)).toEqual([]);
  expect((await answer("export default { port: 2, name: 7 satisfies string };", more)).slice(1)).toEqual([
    "1:35 TS1360: Type 'number' does not satisfy the expected type 'string'.",
  ]);
});

it("checks an installation as part of its module, merged with what has the same name there, and used by other modules", async () => {
  const more = { module: `${project.root}/src/post.ts`, install: {} };
  const notesOf = async (code: string): Promise<string[]> => (await answer(code, more)).slice(1);
  const letter =
    "class Letter { #cents = 2; cents(): number { return this.#cents } send(): number { return stamped(this) + Letter.max + this.to } }";
  expect(await notesOf(`export ${letter}`)).toEqual([expect.stringMatching(/^1:91 TS2322: Type 'string'/)]);
  expect(await notesOf(letter.replace(" + this.to", ""))).toEqual([]);
  expect(await notesOf("export namespace Letter { export const empty = new Letter() }")).toEqual([]);
  expect(await notesOf("export function weigh(): number { return weigh.unit * 2 }")).toEqual([]);
  expect(
    await notesOf("export enum Speed { Slow, Middle, Fast } export const speed = Speed.usual + Speed.Middle"),
  ).toEqual([]);
  expect(await notesOf("export default class Post { open = new Letter().cents() === Speed.None }")).toEqual([
    "1:67 TS2339: Property 'None' does not exist on type 'typeof Speed'.",
  ]);
});

it("has no notes on a form that did not run because its module cannot be loaded", async () => {
  const [error, ...notes] = await answer("half(4)", { module: `${project.root}/src/half.ts` });
  expect(error).toContain("src/half.ts:2:");
  expect(notes).toEqual([]);
});
