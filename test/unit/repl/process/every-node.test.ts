/** What redefining and looking do, on the Nodes that the other tests of them do not run in. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeContractInEachNode } from "../../../support/node-versions.ts";
import { held, seers, startRedefineImage, type RedefineImage } from "../redefine/redefine-project.ts";
import { until } from "../with-image.ts";

describeContractInEachNode([22, 26], (node) => {
  let t: RedefineImage;
  beforeAll(() => {
    t = startRedefineImage(node);
    t.write(
      "src/stock.ts",
      [
        "const secret = 1; let unused = 2;",
        "export let level = 10;",
        "export const rise = (by: number): number => (level += by + secret);",
        "export function show(): string { return `old ${level}` }",
        "export function* steps(): Generator<number> { yield 1; yield 2 }",
        "export enum Unit { Box = 1, Pack }",
        "export namespace Rates { export const eur = 1 }",
        "export default function named(): string { return 'old default' }",
        "export class Item { static made = 0; #cents: number; constructor(cents: number) { this.#cents = cents; Item.made++ }",
        "  get price(): number { return this.#cents } tell(): string { return `old ${this.#cents}` } }",
        "export class Sold extends Item { override tell(): string { return `sold ${super.tell()}` } }",
      ].join("\n"),
    );
    t.write(
      "src/shop.ts",
      [
        "import start, { Item, level, Rates, rise, show, Sold, steps, Unit } from './stock.ts';",
        "export { show as display } from './stock.ts';",
        "export const kept = show; export const old = new Sold(5); export const running = steps();",
        "export const all = () => [level, show(), start(), Unit[1], Rates.eur, old.tell(), old.price, old instanceof Item];",
        "export const go = () => rise(1);",
      ].join("\n"),
    );
    t.write("node_modules/dep/package.json", '{ "name": "dep", "type": "module", "exports": "./i.js" }');
    t.write(
      "node_modules/dep/i.js",
      "let n = 1; export function next() { return n++ } export class Dep { v() { return n } }",
    );
  });
  afterAll(() => t.dispose());

  it("redefines whatever a module of ES declares, for importers, instances and subclasses", async () => {
    await t.value("import { all, go, old, kept, running } from './src/shop.ts'; running.next(); all()");
    expect(await t.inModule("stock.ts", "level = 20; [secret, unused]")).toBe("[1, 2]");
    const show = await t.installOne("stock.ts", "export function show() { return 'new ' + level }");
    expect([seers(show), held(show)]).toEqual([["src/shop.ts"], ["src/shop.ts kept"]]);
    await t.install("stock.ts", "export const rise = (by: number) => (level -= by)");
    await t.install("stock.ts", "export default () => 'new default'");
    await t.install("stock.ts", "export enum Unit { Crate = 1 } export namespace Rates { export const eur = 2 }");
    const item = await t.installOne(
      "stock.ts",
      "export class Item { static made = 0; #cents: number; constructor(cents: number) { this.#cents = cents } " +
        "get price() { return this.#cents * 100 } tell() { return 'new ' + this.#cents } }",
    );
    expect(item.classChange).toMatchObject({ instances: 1, subclasses: ["Sold"], kept: ["made"] });
    expect(await t.value("go(); all()")).toBe('[19, "new 19", "new default", "Crate", 2, "sold new 5", 500, true]');
    await t.install("stock.ts", "Item.tell() { return 'one method ' + this.#cents }");
    expect(await t.value("[old.tell(), kept(), [...running]]")).toBe('["sold one method 5", "old 19", [2]]');
    expect(
      await t.failure("stock.ts", "export function show() {} const broken = (() => { throw new Error('no') })()"),
    ).toBe("Error: no");
    expect(await t.value("all()[1]")).toBe('"new 19"');
  });

  it("lets instances of every definition of a class ask each other for private names", async () => {
    const point = (word: string): string =>
      `class Point { #x = 1; constructor(x: number) { this.#x = x } #half() { return this.#x / 2 } ` +
      `static read(p?: Point) { return p?.#x } is(o: Point) { return ['${word}', this.#x === o.#x, #x in o, o.#half()] } } `;
    await t.value(`${point("first")} const p = new Point(2); 1`);
    await t.value(`${point("second")} const q = new Point(2); 1`);
    await t.value(`${point("third")} const r = new Point(4); 1`);
    expect(await t.value("[p.is(q), q.is(r), r.is(p)].map((each) => each.join(' '))")).toBe(
      '["third true true 1", "third false true 2", "third false true 1"]',
    );
    expect(await t.value("[Point.read(p), Point.read(q), Point.read(r), Point.read()]")).toBe("[2, 2, 4, undefined]");
  });

  it("reloads for a new export, works before a module is loaded, and in cycles", async () => {
    const offer = await t.install("greet.ts", "export function wave() { return 'wave' }");
    expect([offer.isLoadedNow, offer.newExports, offer.reload?.isDone]).toEqual([true, ["wave"], false]);
    const done = await t.evaluate("export function wave() { return 'wave' }", {
      install: { reload: true },
      module: t.path("greet.ts"),
    });
    expect(done.installation?.reload?.isDone).toBe(true);
    expect(await t.value("import { wave } from './src/greet.ts'; wave()")).toBe('"wave"');
  });

  it("redefines in CommonJS and in a package that runs as it is", async () => {
    await t.value("import { fromWhole, fromPart } from './src/old/user.cjs'; fromWhole(1)");
    const format = await t.installOne("old/format.cjs", "function format(value) { return 'new ' + pad(value) }");
    expect([format.patched, format.copies.map(({ name }) => name)]).toEqual([["module.exports.format"], ["format"]]);
    expect(await t.value("[fromWhole(1), fromPart(1)]")).toBe('["new [1]", "old [1]"]');
    await t.value("import { next, Dep } from 'dep'; const dep = new Dep(); next()");
    expect(await t.inModule("../dep", "n = 40; n")).toBe("40");
    await t.install("../dep", "export function next() { return 'patched ' + n }");
    await t.install("../dep", "class Dep { v() { return 'new ' + n } }");
    expect(await t.value("[next(), dep.v()]")).toBe('["patched 40", "new 40"]');
  });

  it("pages big and odd values without calling a getter, and completes without an effect", async () => {
    await t.value(
      "let calls = 0; const odd = { list: Array.from({ length: 1e6 }, (_, n) => n), map: new Map([[{ k: 1 }, 'v']]), " +
        "keys: Object.fromEntries(Array.from({ length: 2e5 }, (_, n) => ['k' + n, n])), text: 'x'.repeat(5e7), bytes: new Float64Array(1000), " +
        "proxy: new Proxy({}, { get() { calls++ }, ownKeys() { calls++; return [] } }), get trap() { calls++; throw new Error('no') }, " +
        "hidden: new (class Hidden { #pin = 7 })() } as any; odd.self = odd; 1",
    );
    const look = async (path: string[], page = 1) => {
      const answer = await t.image.inspect({ value: "odd", path, page, size: 10 });
      return answer.ok ? answer.page : answer;
    };
    expect(await look(["list"], 5)).toMatchObject({ total: 1e6, items: [{ name: "40" }, ...Array(9).fill({})] });
    expect(await look(["keys"])).toMatchObject({ total: 2e5 });
    expect(await look(["text"])).toMatchObject({ kind: "string", total: 5e7 });
    expect(await look(["bytes"])).toMatchObject({ kind: "typedArray" });
    expect(await look(["map"])).toMatchObject({ items: [{ preview: '"v"', keyStep: "<key 0>" }] });
    expect(await look(["proxy"])).toMatchObject({ kind: "proxy" });
    expect(await look(["trap"])).toMatchObject({ ok: false, why: "getter" });
    expect(await look(["hidden"])).toMatchObject({ extras: [{ name: "#pin", preview: "7" }, {}] });
    expect(await look(["self", "self", "map"])).toMatchObject({ kind: "map" });
    const { items } = await t.image.complete({ code: "odd.proxy.x; odd.tr", offset: 19 });
    expect(items.map(({ label }) => label)).toEqual(["trap"]);
    await t.image.complete({ code: "odd.trap.", offset: 9 });
    expect(await t.value("calls")).toBe("0");
  });

  it("looks while the program loops, which can be stopped afterwards", async () => {
    await t.value("globalThis.steady = { n: 1 }; 1");
    const running = t.evaluate("for (;;);", { evalId: "loop" });
    await until(() => t.states.at(-1)?.state === "busy");
    expect(await t.image.inspect({ value: "steady" })).toMatchObject({ ok: true, page: { items: [{ preview: "1" }] } });
    await until(() => t.image.interrupt("loop"));
    expect(await running).toMatchObject({ outcome: "interrupted", stateKept: true });
  });
});
