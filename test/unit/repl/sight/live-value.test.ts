import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestImage, until, type TestImage } from "../with-image.ts";

const traps = `
import { inspect } from "node:util";
export const ran: string[] = [];
const note = (name: string) => void ran.push(name);
export const accessors = { plain: 1, get secret() { note("getter"); return 1; } };
export const custom = { [inspect.custom]() { note("custom"); return "!"; }, toString() { note("toString"); return "!"; }, toJSON() { note("toJSON"); } };
const handler = new Proxy({}, { get: (_target, trap) => { note(String(trap)); return undefined; } });
export const proxied = new Proxy({ a: 1 }, handler);
const gone = Proxy.revocable({}, {});
gone.revoke();
export const nested = { list: [proxied, new Proxy([1, 2], { get: () => ran.push('got') })], gone: gone.proxy, "\\u0001": 1 };
export const heir = Object.create(new Proxy({}, handler), { own: { value: 1, enumerable: true } });
export class Sly extends Map { get size() { note("size"); return 9; } [Symbol.iterator]() { note("iterator"); return super[Symbol.iterator](); } }
export const sly = new Sly([["k", 1]]);
export const when = Object.assign(new Date(0), { toISOString: () => (note("toISOString"), "") });
export const failure = Object.assign(new Error("bad"), { get name() { note("name"); return "" } });
export const later = Promise.resolve(custom);
`;

const values = `
import { traps as none } from "./values-helper.ts";
export const stock = new Map([["a", { price: 1 }], ["b", { price: 2 }]]);
export const many = Array.from({ length: 1_000_000 }, (_each, index) => index);
export const words = "x".repeat(500);
let hidden = 3;
export const settings = { retries: 2, nested: { deep: { deeper: 1 } } };
export function area(width: number, height: number): number { return width * height + hidden; }
export class Base { static made = 0; size = 1; }
export class Square extends Base { static override made = 7; side = 2; constructor(readonly edge: number) { super(); } }
export enum Unit { Inch = 1, Metre }
export namespace Prices { export const vat = 0.2; }
export interface OnlyType { a: number }
export const bag = new Set([1, "two"]);
export const pattern = /a+/g;
export { none };
`;

let repl: TestImage;

function start(): void {
  repl = startTestImage();
  repl.write("src/values-helper.ts", "export const traps = 5;\n");
  repl.write("src/values.ts", values);
  repl.write("src/traps.ts", traps);
}

async function lookOnce(file: string, ...path: string[]): Promise<string | undefined> {
  const found = await repl.image.liveValue({ file: `${repl.root}/${file}`, path });
  if (found === undefined) return undefined;
  return found.kind === "value" ? found.text : found.kind;
}

/** Nobody waits long for a look: on a busy machine it is asked for again. */
async function look(...asked: Parameters<typeof lookOnce>): Promise<string | undefined> {
  let found: string | undefined;
  await until(async () => (found = await lookOnce(...asked)) !== "busy");
  return found;
}

describe("what a name of a loaded module holds", () => {
  beforeAll(async () => {
    start();
    await repl.evaluate("import { stock } from './src/values.ts'");
  });
  afterAll(() => repl.dispose());

  it.each([
    [["stock"], 'Map(2) { "a" => { price: 1 }, "b" => { price: 2 } }'],
    [["many"], "Array(1000000) [0, 1, 2, 3, 4, 5, …]"],
    [["words"], `"${"x".repeat(80)}"… (500 characters)`],
    [["hidden"], "3"],
    [["none"], "5"],
    [["settings"], "{ retries: 2, nested: { deep: {…} } }"],
    [["settings", "nested", "deep"], "{ deeper: 1 }"],
    [["area"], "function area (2 parameters)"],
    [["Square"], "class Square extends Base (1 parameter), own { made: 7 }"],
    [["Square", "made"], "7"],
    [["Square", "side"], undefined],
    [["Unit"], '{ 1: "Inch", 2: "Metre", Inch: 1, Metre: 2 }'],
    [["Unit", "Metre"], "2"],
    [["Prices", "vat"], "0.2"],
    [["OnlyType"], undefined],
    [["bag"], 'Set(2) { 1, "two" }'],
    [["pattern"], 'RegExp("a+")'],
    [["nothing"], undefined],
    [["stock; globalThis.broken = 1"], undefined],
  ])("is shown in short: %j", async (path, expected) => {
    expect(await look("src/values.ts", ...path)).toBe(expected);
  });
});

describe("a live value", () => {
  beforeEach(start);
  afterEach(() => repl.dispose());

  it("is not there, and starts nothing, while the image does not run", async () => {
    expect(await look("src/values.ts", "stock")).toBeUndefined();
    expect(repl.image.status().state).toBe("notStarted");
    expect(repl.states).toEqual([]);
  });

  it("is not there for a module that was never loaded", async () => {
    await repl.evaluate("1 + 1");
    expect(await look("src/values.ts", "stock")).toBeUndefined();
    expect(await repl.value("1")).toBe("1");
  });

  it("runs no getter, no trap, no printing method and no iterator of the user's", async () => {
    expect((await repl.evaluate("import { ran } from './src/traps.ts'; ran.length = 0")).outcome).toBe("value");
    const names = ["accessors", "custom", "proxied", "nested", "heir", "sly", "when", "failure", "later", "Sly"];
    const seen: Record<string, unknown> = {};
    for (const name of names) seen[name] = await look("src/traps.ts", name);
    for (const path of [
      ["accessors", "secret"],
      ["proxied", "a"],
      ["heir", "missing"],
    ]) {
      expect(await look("src/traps.ts", ...path)).toBeUndefined();
    }
    expect(seen).toMatchObject({
      accessors: "{ plain: 1, secret: [accessor] }",
      proxied: "Proxy of { a: 1 } (handler: Proxy)",
      nested:
        "{ list: Array(2) [Proxy of { a: 1 } (handler: Proxy), Proxy of Array(2) [1, 2] (handler: get)], gone: Proxy (revoked), ?: 1 }",
      sly: 'Sly(1) { "k" => 1 }',
      when: "Date(1970-01-01T00:00:00.000Z)",
      later: "Promise",
    });
    expect(await repl.value("ran")).toBe("[]");
  });

  it("asks no global getter, not even for a name that an import of a form has made one", async () => {
    await repl.evaluate("import { stock } from './src/values.ts'");
    await repl.evaluate(
      "Object.defineProperty(globalThis, 'OnlyType', { get() { globalThis.asked = true; return 1 } })",
    );
    expect(await look("src/values.ts", "OnlyType")).toBeUndefined();
    expect(await repl.value("globalThis.asked === true")).toBe("false");
  });

  it("does not call an eval that the user put in the place of the real one", async () => {
    await repl.evaluate("import { stock } from './src/values.ts'; globalThis.eval = () => { globalThis.asked = true }");
    expect(await look("src/values.ts", "hidden")).toBeUndefined();
    expect(await repl.value("globalThis.asked === true")).toBe("false");
  });

  it("leaves no handle, no output, no state and no number behind", async () => {
    await repl.evaluate("import { stock } from './src/values.ts'; 41");
    const [states, outputs] = [repl.states.length, repl.outputs.length];
    expect(await look("src/values.ts", "stock")).toContain("Map(2)");
    expect([repl.states.length, repl.outputs.length]).toEqual([states, outputs]);
    const next = await repl.evaluate("42");
    expect(next.valueId).toBe("$2");
  });

  it("follows what a form changed in the module", async () => {
    await repl.evaluate("import { stock } from './src/values.ts'; stock.delete('a')");
    await repl.evaluate("hidden = 9", { module: `${repl.root}/src/values.ts` });
    expect(await look("src/values.ts", "stock")).toBe('Map(1) { "b" => { price: 2 } }');
    expect(await look("src/values.ts", "hidden")).toBe("9");
  });

  it("says when the module was loaded and whether it still reads like that", async () => {
    const before = Date.now();
    await repl.evaluate("import { stock } from './src/values.ts'");
    const request = { file: `${repl.root}/src/values.ts`, path: ["stock"] };
    const found = await repl.image.liveValue(request);
    expect(found?.isUnchanged).toBe(true);
    expect(found?.loadedAt.getTime()).toBeGreaterThanOrEqual(before);
    repl.write("src/values.ts", values.replace("hidden = 3", "hidden = 4"));
    expect((await repl.image.liveValue(request))?.isUnchanged).toBe(false);
    expect(await look("src/values.ts", "hidden"), "the image still has the old code").toBe("3");
    await repl.evaluate("import { stock } from './src/values.ts'");
    expect(await look("src/values.ts", "hidden")).toBe("4");
    expect((await repl.image.liveValue(request))?.isUnchanged).toBe(true);
  });

  it("says which form redefined it, until the module is loaded anew", async () => {
    const module = `${repl.root}/src/values.ts`;
    const ofName = async (...path: string[]) => (await repl.image.liveValue({ file: module, path }))?.redefinitions;
    await repl.evaluate("import { stock } from './src/values.ts'");
    const install = async (code: string, reload = {}): Promise<string> =>
      (await repl.evaluate(code, { module, install: reload })).evalId;
    const area = await install("export function area(width: number): number { return width; }");
    const words = await install('export const words = "few";');
    const grown = await install("Square.grow() { return 2; }");
    expect(await ofName("area")).toEqual([{ evalId: area, name: "area" }]);
    expect(await ofName("words")).toEqual([{ evalId: words, name: "words" }]);
    expect(await ofName("Square")).toEqual([{ evalId: grown, name: "Square.grow" }]);
    const whole = await install("class Square { grow() { return 3; } }");
    const again = await install("Square.shrink() { return 1; }");
    expect(await ofName("Square")).toEqual([
      { evalId: whole, name: "Square" },
      { evalId: again, name: "Square.shrink" },
    ]);
    expect(await ofName("stock")).toEqual([]);
    const added = await install("export const added = 1; export const many = 2;", { reload: true });
    expect(await ofName("many")).toEqual([{ evalId: added, name: "many" }]);
    const stock = await repl.image.liveValue({ file: module, path: ["stock"] });
    expect(stock?.isUnchanged, "the file itself is as it was").toBe(true);
    repl.write("src/values.ts", values.replace("hidden = 3", "hidden = 4"));
    await repl.evaluate("import { stock } from './src/values.ts'");
    expect(await ofName("area")).toEqual([]);
    expect(await ofName("many")).toEqual([]);
  });

  it("is said to be uninitialized where the module has not come to the declaration", async () => {
    repl.write("src/late.ts", "export const early = 1;\nexport const late = await new Promise<number>(() => {});\n");
    await repl.evaluate("void import('./src/late.ts'); 1");
    await until(async () => (await look("src/late.ts", "early")) !== undefined);
    expect(await look("src/late.ts", "early")).toBe("1");
    expect(await look("src/late.ts", "late")).toBe("uninitialized");
  });

  it("is not waited for while an evaluation runs, and an endless loop can still be stopped", async () => {
    await repl.evaluate("import { stock } from './src/values.ts'");
    const running = repl.evaluate("for (;;) {}");
    await until(() => repl.image.status().state === "busy");
    expect(await look("src/values.ts", "stock")).toContain("Map(2)");
    expect(repl.image.status().state, "the loop runs on").toBe("busy");
    await until(() => repl.image.interrupt());
    expect((await running).outcome).toBe("interrupted");
    expect(await look("src/values.ts", "stock")).toContain("Map(2)");
  });

  it("is not waited for while the program itself is busy", async () => {
    await repl.evaluate("import { stock } from './src/values.ts'");
    const loop = "console.log('busy'); while (!require('node:fs').existsSync('go.txt'));";
    await repl.evaluate(`setTimeout(() => { ${loop} }, 0); 1`);
    await until(() => repl.outputs.some(({ text }) => text === "busy\n"));
    // The program goes on only after this answer.
    await lookOnce("src/values.ts", "stock");
    repl.write("go.txt", "");
    expect(await look("src/values.ts", "stock")).toContain("Map(2)");
  });
});
