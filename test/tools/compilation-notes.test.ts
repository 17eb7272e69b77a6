/** Forms of a real image, checked by the real compiler. */
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Repl } from "../../server/src/repl/repl.ts";
import { createImage, type EvaluateRequest } from "../../server/src/repl/process/image-process.ts";
import { createGetReplHistory } from "../../server/src/tools/execution/get-repl-history.ts";
import { checkForm } from "../../server/src/typescript/check-form.ts";
import type { Tool } from "../../server/src/tools/tool.ts";
import { aliasOf } from "../support/alias-of.ts";
import { replOn } from "../unit/repl/with-image.ts";
import { openProject, type TestProject } from "../unit/typescript/with-typescript.ts";

const signal = new AbortController().signal;
const shown = (uri: string): string => (uri.startsWith("file:") ? relative(project.root, fileURLToPath(uri)) : uri);
let project: TestProject;
let repl: Repl;
let reads: Record<string, string>;
/** While it is set, checks wait for it. */
let hold: Promise<void> | undefined;
const late: string[] = [];

beforeAll(async () => {
  reads = {
    "package.json": `{ "name": "shop", "type": "module" }`,
    "tsconfig.json": `{ "compilerOptions": { "strict": true, "module": "nodenext", "target": "es2023", "noEmit": true, "types": [] }, "include": ["src"] }`,
    "src/cart.ts": `export interface Line { readonly price: number; readonly count: number }
const rate = 0.2;
export const total = (lines: readonly Line[]): number => lines.reduce((sum, line) => sum + line.price * line.count, 0);
function withTax(amount: number): number { return amount * (1 + rate); }
export const gross = (lines: readonly Line[]): number => withTax(total(lines));
`,
  };
  project = openProject(reads);
  await project.service.ready(signal);
  const bare = createImage({ projectRoot: project.root, onOutput: () => {}, onState: () => {}, log: () => {} });
  repl = replOn(bare, {
    checks: {
      projectRoot: project.root,
      check: async (text, checkSignal) => {
        await hold;
        return checkForm(project.service, text, checkSignal);
      },
      readModule: async (path) => reads[path.slice(project.root.length + 1)],
      onLateNotes: (evalId, notes) => late.push(`${evalId}: ${notes.map(({ message }) => message).join()}`),
      log: () => {},
    },
  });
  // The second compiler takes a moment to start; the first check pays for it.
  const { evalId } = await repl.evaluate({ code: "const warm = 1; warm", by: "agent" }, signal);
  await repl.compilationNotesOf(evalId, signal);
});
afterAll(async () => {
  await repl.dispose();
  await project.dispose();
});

async function notesOf(code: string, more: Partial<EvaluateRequest> = {}): Promise<string[]> {
  const result = await repl.evaluate({ code, by: "agent", ...more }, signal);
  return result.notes
    .filter(({ code: number }) => number !== undefined)
    .map(({ range, message }) => `${(range?.start.line ?? 0) + 1}:${(range?.start.character ?? 0) + 1} ${message}`);
}

describe("a form of the session", () => {
  it("runs in spite of a type error, and the note names the error's place", async () => {
    const code = "const count: number = 'three';\ncount";
    const result = await repl.evaluate({ code, by: "agent" }, signal);
    expect(result.outcome).toBe("value");
    expect(result.notes).toMatchObject([
      {
        uri: `repl:${result.evalId}`,
        severity: "error",
        code: "TS2322",
        range: { start: { line: 0, character: 6 }, end: { line: 0, character: 11 } },
      },
    ]);
  });

  it("knows what earlier forms declared, with their types, and the newest where one was declared again", async () => {
    await notesOf("interface Cat { name: string }\nlet pet: Cat = { name: 'Tom' }; enum Size { Small, Large }");
    expect(await notesOf("pet.name.length + Size.Large")).toEqual([]);
    expect(await notesOf("pet.bark()")).toEqual(["1:5 TS2339: Property 'bark' does not exist on type 'Cat'."]);
    await notesOf("let pet = 5");
    expect(await notesOf("pet.toFixed()")).toEqual([]);
    expect(await notesOf("pet.name")).toEqual(["1:5 TS2339: Property 'name' does not exist on type 'number'."]);
    expect(await notesOf("const tom: Cat = { name: 1 }")).toHaveLength(1);
  });

  it("knows the types of handles, awaited", async () => {
    const { valueId = "" } = await repl.evaluate({ code: "Promise.resolve({ deep: [1, 2] })", by: "agent" }, signal);
    expect(await notesOf(`${valueId}.deep[0]?.toFixed()`)).toEqual([]);
    expect(await notesOf(`${valueId}.shallow`)).toHaveLength(1);
  });

  it("sees the project, by imports that last", async () => {
    expect(await notesOf("import { total } from './src/cart.ts'; total([{ price: 2, count: 3 }])")).toEqual([]);
    expect(await notesOf("total([{ price: '2', count: 3 }])")).toEqual([
      "1:10 TS2322: Type 'string' is not assignable to type 'number'.",
    ]);
    expect(await notesOf("import type { nothing } from './src/cart.ts'")).toEqual([
      `1:15 TS2305: Module '"./src/cart.ts"' has no exported member 'nothing'.`,
    ]);
  });

  it("reports nothing that is right in the image alone", async () => {
    await notesOf("let counter = 1; const unused = 2;");
    expect(await notesOf("counter = counter + 1; counter++; await Promise.resolve(counter)")).toEqual([]);
    expect(await notesOf("process.version; Buffer.from('x'); structuredClone(1); setTimeout(() => {}, 1); 1")).toEqual(
      [],
    );
    expect(await notesOf("({ a: 1 }).a")).toEqual([]);
    expect(await notesOf("2 + 2")).toEqual([]);
  });

  it("says nothing of Node's modules and of what forms have where the project has no types of Node", async () => {
    expect(await notesOf("import { sep } from 'node:path'; import 'node:fs'; sep + import.meta.dirname")).toEqual([]);
    expect(
      await notesOf("const os = require('node:os'); typeof os.cpus + typeof (await import('fs')).statSync"),
    ).toEqual([]);
  });

  it("reports an assignment to the form's own constant, which throws", async () => {
    expect(await notesOf("const once = 1; once = 2")).toEqual([
      "1:17 TS2588: Cannot assign to 'once' because it is a constant.",
    ]);
  });

  it("writes paths as the project has them", async () => {
    expect(await notesOf("import * as cart from './src/cart.ts'; cart.nothing")).toEqual([
      `1:45 TS2339: Property 'nothing' does not exist on type 'typeof import("src/cart")'.`,
    ]);
  });

  it("leaves a syntax error to the evaluation", async () => {
    expect(await notesOf("let = = 5")).toEqual([]);
  });
});

describe("a form in a module's scope", () => {
  const module = (): Partial<EvaluateRequest> => ({ module: `${project.root}/src/cart.ts` });

  it("is checked inside the module, names that are not exported included", async () => {
    expect(await notesOf("withTax(10) + rate", module())).toEqual([]);
    expect(await notesOf("\n  withTax('ten')", module())).toEqual([
      "2:11 TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.",
    ]);
  });

  it("says nothing of declarations that only the top of a file may have", async () => {
    for (const code of [
      "export default class { hello() { return 1 } }",
      "export default () => 1",
      "namespace Shapes { export const side = 1 } Shapes.side",
      "export enum Size { Small, Large = 'abc'.length } Size.Small",
      "export { withTax as taxed }",
      "import type { Line as Row } from './cart.ts'; const row: Row = { price: 1, count: 1 }; row.price",
      "import path = require('node:path'); path.sep",
      "declare const later: number; 1",
      "export abstract class Base { abstract go(): void }",
      "typeof require + import.meta.url",
      "rate; withTax = (amount: number) => amount",
    ]) {
      expect(await notesOf(code, module()), code).toEqual([]);
    }
  });

  it("knows what a form there imported, and a `var` of a loop", async () => {
    await notesOf("import { total as sum } from './cart.ts'; for (const each of [1]) { var last = each }", module());
    expect(await notesOf("sum([]) + last", module())).toEqual([]);
    expect(await notesOf("sum(['a'])", module())).toHaveLength(1);
  });

  it("knows the handles of forms without a name and of forms in a module's scope", async () => {
    const plain = await repl.evaluate({ code: "6 * 7", by: "agent" }, signal);
    const inside = await repl.evaluate({ code: "rate", by: "agent", ...module() }, signal);
    const both = `$${plain.evalId} + $${inside.evalId}`;
    expect(await notesOf(both)).toEqual([]);
    expect(await notesOf(both, module())).toEqual([]);
    expect(await notesOf("$100000")).toEqual(["1:1 TS2304: Cannot find name '$100000'."]);
  });

  it("sees earlier forms of that scope and of the session", async () => {
    await notesOf("const basket = [{ price: 1, count: 2 }]");
    await notesOf("export const doubled = (amount: number) => amount * 2; import { sep } from 'node:path'", module());
    expect(await notesOf("doubled(total(basket))", module())).toEqual([]);
    expect(await notesOf("doubled(basket)", module())).toHaveLength(1);
  });
});

it("answers what was said of the latest form, and of older ones by their id", async () => {
  const history = createGetReplHistory(repl, { showUri: shown });
  const latest = aliasOf("get_compilation_notes", history);
  const told = async (tool: Tool, args = {}): Promise<string> => {
    const answer = await tool.run(args, { callId: "1", caller: "model", signal });
    return (answer as { content: string }).content;
  };
  await repl.evaluate({ code: "const right = 1", by: "person" }, signal);
  const { evalId: id } = await repl.evaluate({ code: "const wrong: string = 1", by: "person" }, signal);
  const note = new RegExp(
    `const wrong: string = 1\nform ${id}:1:7 TS2322: Type 'number' is not assignable to type 'string'\\.$`,
  );
  expect(await told(latest)).toMatch(note);
  expect(await told(history, { id })).toMatch(note);
  await repl.evaluate({ code: "let broken = ;", by: "agent", install: {} }, signal);
  expect(await told(latest)).toMatch(
    /^\d+ agent: .*\n {2}\| let broken = ;\n[^]*did not compile, nothing of it ran:\nform \d+:1:14 Unexpected token$/,
  );
  for (let later = 0; later < 21; later += 1) await repl.evaluate({ code: String(later), by: "agent" }, signal);
  expect(await told(history, { id }), "of older forms too").toMatch(note);
});

it("does not keep a person waiting for a slow check, and sends the notes when they are there", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  hold = promise;
  const { evalId, notes } = await repl
    .evaluate({ code: "const slow: string = 1", by: "person" }, signal)
    .finally(() => (hold = undefined));
  // On a busy machine the notes of earlier forms of a person were late too.
  const itsLate = (): string[] => late.filter((each) => each.startsWith(`${evalId}: `));
  expect([notes, itsLate()]).toEqual([[], []]);
  resolve();
  await expect.poll(itsLate).toEqual([`${evalId}: TS2322: Type 'number' is not assignable to type 'string'.`]);
});

it("forgets with the process what the process knew", async () => {
  await notesOf("const gone = { a: 1 }; gone.a");
  await repl.restart();
  expect(await notesOf("gone.b")).toEqual(["1:1 TS2304: Cannot find name 'gone'."]);
});

it("accepts instances from earlier forms when their class is declared again", async () => {
  await notesOf("class Coin { #cents = 1; worth() { return this.#cents } } const coin = new Coin()");
  await notesOf("function count(coin: Coin) { return coin.worth() }");
  expect(await notesOf("class Coin { #cents = 2; worth() { return this.#cents * 10 } }; count(new Coin())")).toEqual(
    [],
  );
  expect(await notesOf("count(coin) + count(new Coin())")).toEqual([]);
  expect(await notesOf("class Coin { #cents = 3; worth() { return this.#cents } flip() { return true } }")).toEqual([]);
  expect(await notesOf("[coin.flip(), count(coin), count(new Coin())]")).toEqual([]);
  expect(await notesOf("count(new Coin()).flip")).toEqual([expect.stringMatching(/TS2339: Property 'flip'/)]);
});
