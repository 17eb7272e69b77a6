import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ValueMember, ValuePage } from "../../../../server/src/protocol/repl-shapes.ts";
import type { InspectAnswer, InspectRequest } from "../../../../server/src/repl/image.ts";
import { describeEachNode } from "../../../support/node-versions.ts";
import { startTestImage, until, type TestImage } from "../with-image.ts";

let t: TestImage;
beforeAll(() => {
  t = startTestImage();
});
afterAll(() => t.dispose());

async function page(value: string, more: Partial<InspectRequest> = {}): Promise<ValuePage> {
  const answer = await t.image.inspect({ value, ...more });
  if (!answer.ok) throw new Error(`${answer.why}: ${answer.reason}`);
  return answer.page;
}

async function refusal(value: string, ...path: string[]): Promise<Extract<InspectAnswer, { ok: false }>> {
  const answer = await t.image.inspect({ value, path });
  if (answer.ok) throw new Error(`there is a page: ${answer.page.preview}`);
  return answer;
}

const row = ({ name, preview }: ValueMember): string => `${name}: ${preview}`;
const rows = ({ items }: ValuePage): string[] => items.map(row);
const facts = ({ facts: all }: ValuePage): string[] => all.map(({ name, text }) => `${name} ${text}`);

const keys7 = [0, 1, 2, 3, 4, 5, 6];

describe("a page of a value", () => {
  it("is refused while the image does not run, and does not start it", async () => {
    expect(await refusal("$1")).toMatchObject({ why: "notRunning" });
    expect(t.image.status().state).toBe("notStarted");
  });

  it("shows the properties of an object, and goes into them by their steps", async () => {
    await t.value("const cart = { owner: 'Ada', lines: [{ cents: 5 }, { cents: 7 }], 'odd key': 1, '#hash': 2 }; cart");
    const top = await page("$1");
    expect(top).toMatchObject({ kind: "object", type: "Object", total: 4, page: 1, pages: 1, complete: true });
    expect(rows(top)).toEqual([
      'owner: "Ada"',
      "lines: Array(2) [{ cents: 5 }, { cents: 7 }]",
      "odd key: 1",
      "#hash: 2",
    ]);
    expect(top.items.map(({ step }) => step)).toEqual(["owner", "lines", "odd key", '"#hash"']);
    expect(facts(top)).toEqual(["prototypes Object"]);
    expect(rows(await page("$1", { path: ["lines", "1"] }))).toEqual(["cents: 7"]);
    expect(await page("$1", { path: ['"#hash"'] })).toMatchObject({ kind: "primitive", preview: "2" });
    expect(await page("cart", { path: ["lines"] })).toMatchObject({ kind: "array", total: 2 });
    expect(await page("cart.lines[0]!.cents as number")).toMatchObject({ preview: "5" });
  });

  it("gives a million elements, 200,000 keys and big collections page by page, at the cost of a page", async () => {
    await t.value(`
      globalThis.many = Array.from({ length: 1_000_000 }, (_, i) => i);
      many[999_999] = { i: 999_999 };
      globalThis.keys = Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => ["k" + i, i]));
      globalThis.table = new Map(Array.from({ length: 300_000 }, (_, i) => [i === 299_900 ? { id: i } : i, "v" + i]));
      globalThis.bag = new Set(Array.from({ length: 300_000 }, (_, i) => i * 2));
      1`);
    const began = performance.now();
    const last = await page("many", { page: 20_000 });
    expect(last).toMatchObject({ total: 1_000_000, pages: 20_000 });
    expect(rows(last).at(-1)).toBe("999999: { i: 999999 }");
    expect(rows(await page("keys", { page: 4000 }))[0]).toBe("k199950: 199950");
    const entries = await page("table", { page: 3000, size: 100 });
    expect(entries).toMatchObject({ total: 300_000, pages: 3000 });
    expect(rows(entries)[0]).toBe('{ id: 299900 }: "v299900"');
    expect(await page("table", { path: [entries.items[0]?.keyStep ?? ""] })).toMatchObject({
      preview: "{ id: 299900 }",
    });
    expect(await page("table", { path: [entries.items[0]?.step ?? ""] })).toMatchObject({ preview: '"v299900"' });
    expect(rows(await page("bag", { page: 6000 })).at(-1)).toBe("299999: 599998");
    // The inspector's own listing takes minutes for these; the limit leaves room for a busy machine.
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  it("pages a string of 50 MB by its characters", async () => {
    await t.value("globalThis.long = 'abcdefgh'.repeat(6_250_000) + 'end'; 1");
    const first = await page("long");
    expect(first).toMatchObject({ kind: "string", total: 50_000_003, pages: 12_501 });
    expect(first.text).toHaveLength(4000);
    expect((await page("long", { page: 12_501 })).text).toBe("end");
    expect(JSON.stringify(first).length).toBeLessThan(6000);
  });

  it("shows typed arrays and buffers in rows", async () => {
    await t.value(
      'globalThis.bytes = Buffer.from(\'{"agent": true, "n": 1}\'); globalThis.floats = new Float64Array(40).fill(0.5); 1',
    );
    const bytes = await page("bytes");
    expect(bytes).toMatchObject({ kind: "typedArray", type: "Buffer(23)", total: 2 });
    expect(rows(bytes)[0]).toBe('0: 7b 22 61 67 65 6e 74 22 3a 20 74 72 75 65 2c 20  {"agent": true, ');
    expect(await page("floats", { path: ["39"] })).toMatchObject({ preview: "0.5" });
    expect((await page("floats")).total).toBe(3);
  });

  it("tells of holes, symbols, hidden properties and the state of an object", async () => {
    await t.value(`
      globalThis.odd = Object.freeze(Object.defineProperty({ [Symbol("tag")]: { x: 1 } }, "inner", { value: 3 }));
      globalThis.holes = [1, , 3]; 1`);
    const odd = await page("odd");
    expect(rows(odd)).toEqual(["inner: 3", "[Symbol(tag)]: { x: 1 }"]);
    expect(odd.items[0]).toMatchObject({ hidden: true });
    expect(facts(odd)).toContain("state frozen");
    expect(rows(await page("odd", { path: ["<symbol 0>"] }))).toEqual(["x: 1"]);
    expect(rows(await page("holes"))).toEqual(["0: 1", "1: <empty>", "2: 3"]);
  });

  it("goes around a cycle as often as it is asked to", async () => {
    await t.value("globalThis.ring = { name: 'ring' }; ring.self = ring; 1");
    expect(await page("ring", { path: ["self", "self", "self"] })).toMatchObject({ type: "Object", total: 2 });
  });
});

describe("what only looking must not run", () => {
  beforeAll(async () => {
    await t.value(`
      globalThis.ran = [];
      const note = (name) => void ran.push(name);
      class Account {
        #cents = 7; #secret = { pin: 1234 };
        static #made = 1;
        owner = "Ada";
        get total() { note("total"); return this.#cents; }
        get #hidden() { note("hidden"); return 1; }
        [Symbol.for("nodejs.util.inspect.custom")]() { note("custom"); for (;;) {} }
        toString() { note("toString"); return "" }
      }
      globalThis.account = new Account();
      globalThis.lazy = { get now() { note("now"); return 1 }, set now(v) { note("set") }, plain: 1 };
      const handler = new Proxy({}, { get: (_, trap) => { note(String(trap)); for (;;) {} } });
      globalThis.behind = new Proxy({ a: 1 }, handler);
      globalThis.callable = new Proxy(function secret() {}, handler);
      globalThis.heir = Object.create(behind, { own: { value: 1, enumerable: true } });
      1`);
  });
  const ran = async (): Promise<string> => t.value("ran.join()");

  it("names a getter and does not call it", async () => {
    expect((await page("lazy")).items).toMatchObject([
      { name: "now", kind: "getter", preview: "[getter, setter]", opens: false },
      { name: "plain", preview: "1" },
    ]);
    expect(await refusal("lazy", "now")).toMatchObject({ why: "getter" });
    expect(await ran()).toBe('""');
  });

  it("shows private fields, and the getters of the class beside the properties", async () => {
    const found = await page("account");
    expect(rows(found)).toEqual(['owner: "Ada"']);
    expect(found.extras.map(row)).toEqual([
      "#hidden: [getter]",
      "#cents: 7",
      "#secret: { pin: 1234 }",
      "total: [getter]",
      "<prototype>: Account { total, toString }",
    ]);
    expect(found.extras.find(({ name }) => name === "total")).toMatchObject({ from: "Account" });
    expect(rows(await page("account", { path: ["#secret"] }))).toEqual(["pin: 1234"]);
    expect(await page("account", { path: ["#secret", "pin"] })).toMatchObject({ preview: "1234" });
    expect(await refusal("account", "#hidden")).toMatchObject({ why: "getter" });
    expect(await refusal("account", "#nothing")).toMatchObject({ why: "missing" });
    expect(facts(found)).toEqual(["prototypes Account < Object"]);
    expect(await ran()).toBe('""');
  });

  it("asks no proxy, and shows what stands behind it", async () => {
    const found = await page("behind");
    expect(found).toMatchObject({
      kind: "proxy",
      type: "Proxy",
      preview: "Proxy of { a: 1 } (handler: Proxy)",
      total: 0,
    });
    expect(facts(found)).toEqual(["proxy its traps are not run"]);
    expect(found.extras.map(row)).toEqual(["<target>: { a: 1 }", "<handler>: [Proxy]"]);
    expect(rows(await page("behind", { path: ["<target>"] }))).toEqual(["a: 1"]);
    expect(await page("behind", { path: ["<target>", "a"] })).toMatchObject({ preview: "1" });
    expect(await page("callable")).toMatchObject({ kind: "proxy" });
    expect(await refusal("behind", "a")).toMatchObject({ why: "missing" });
    await t.value(
      "globalThis.group = { one: behind, two: new Proxy([1, 2], { has() { note('has') }, get() { for (;;) {} } }) }; 1",
    );
    expect(rows(await page("group"))).toEqual([
      "one: Proxy of { a: 1 } (handler: Proxy)",
      "two: Proxy of Array(2) [1, 2] (handler: has, get)",
    ]);
    await t.value("globalThis.gone = Proxy.revocable({}, {}); gone.revoke(); 1");
    const revoked = await page("gone", { path: ["proxy"] });
    expect(revoked.preview).toBe("[Proxy]");
    expect(facts(revoked)).toContain("revoked yes");
    expect(await page("heir")).toMatchObject({ items: [{ name: "own" }], facts: [{ text: "a proxy" }] });
    expect(await refusal("heir", "a")).toMatchObject({ why: "missing" });
    expect(await ran()).toBe('""');
  });

  it("refuses an expression that may have an effect, and one that does not end", async () => {
    expect(await refusal("ran.push('effect')")).toMatchObject({ why: "effect" });
    expect(await refusal("(() => { for (;;) {} })()")).toMatchObject({
      why: "error",
      reason: "It took longer than 200 ms.",
    });
    expect(await refusal("await 1")).toMatchObject({ why: "error" });
    expect(await refusal("nowhere")).toMatchObject({ why: "error", reason: "ReferenceError: nowhere is not defined" });
    expect(await ran()).toBe('""');
  });
});

describe("values of other kinds", () => {
  it("tells a promise's state and what it holds", async () => {
    await t.value(
      "globalThis.promises = [Promise.resolve({ a: 1 }), Promise.reject(new Error('no')), new Promise(() => {})]; promises[1].catch(() => {}); 1",
    );
    const kept = await page("promises[0]");
    expect(facts(kept)[0]).toBe("promise fulfilled");
    expect(rows(await page("promises[0]", { path: ["<result>"] }))).toEqual(["a: 1"]);
    expect(facts(await page("promises[1]"))[0]).toBe("promise rejected");
    const pending = await page("promises[2]");
    expect(facts(pending)[0]).toBe("promise pending");
    expect(pending.extras.map(({ name }) => name)).toEqual(["<prototype>"]);
  });

  it("lists what weak collections hold, page by page, and goes on into it", async () => {
    await t.value(`
      class Cache extends WeakMap {}
      globalThis.keys = Array.from({ length: 7 }, (_, n) => ({ key: n }));
      globalThis.weak = {
        map: new WeakMap(keys.map((key) => [key, { half: key.key / 2 }])), set: new WeakSet(keys),
        ref: new WeakRef(keys[0]), own: new Cache([[keys[0], 'kept']]), named: Object.assign(new WeakSet(), { label: 'x' }),
      }; 1`);
    const map = await page("weak.map", { size: 5 });
    expect(map).toMatchObject({ kind: "weak", total: 7, pages: 2 });
    expect(facts(map)).toContain("entries 7");
    const second = await page("weak.map", { size: 5, page: 2 });
    const all = [...map.items, ...second.items].map(row).toSorted();
    expect(all).toEqual(keys7.map((n) => `{ key: ${n} }: { half: ${n / 2} }`));
    const [first] = map.items;
    expect(first).toMatchObject({ step: "<0>", keyStep: "<key 0>", opens: true });
    const key = Number(rows(await page("weak.map", { path: ["<key 0>"] }))[0]?.slice("key: ".length));
    expect(rows(await page("weak.map", { path: ["<0>"] }))).toEqual([`half: ${key / 2}`]);
    expect(await page("weak", { path: ["map", "<0>", "half"] })).toMatchObject({ preview: `${key / 2}` });
    expect(await refusal("weak.map", "<7>")).toMatchObject({ why: "missing" });
    expect((await page("weak.set")).items.map(({ preview }) => preview).toSorted()).toEqual(
      keys7.map((n) => `{ key: ${n} }`),
    );
    expect(rows(await page("weak.own"))).toEqual(['{ key: 0 }: "kept"']);
    expect((await page("weak.named")).extras.map(row)).toContain('label: "x"');
    expect((await page("weak.ref")).extras.map(row)).toContain("<target>: { key: 0 }");
    expect(await page("weak.ref", { path: ["<target>", "key"] })).toMatchObject({ preview: "0" });
  });

  it("counts a weak collection that is too big to be listed, and is soon back", async () => {
    await t.value(
      "globalThis.many = Array.from({ length: 30_000 }, () => ({})); globalThis.big = new WeakSet(many); 1",
    );
    const big = await page("big");
    expect(facts(big)).toContain("entries 30000, too many to be listed");
    expect(big.items).toEqual([]);
  });

  it("says where a function and a class are written, in the TypeScript source", async () => {
    await t.value("import { Invoice } from './src/invoice.ts';\nfunction twice(n: number) { return n * 2 }\n1");
    const inModule = await page("Invoice");
    expect(inModule).toMatchObject({ kind: "class", type: "class Invoice" });
    expect(inModule.source?.uri).toMatch(/src\/invoice\.ts$/);
    // A class is where its constructor is.
    expect(inModule.source?.line).toBe(14);
    expect((await page("twice")).source).toMatchObject({ line: 1 });
    expect((await page("twice")).source?.uri).toMatch(/^repl:\d+$/);
    expect(facts(await page("Math.max"))).toContain("source native code");
  });

  it("shows errors, dates, regular expressions, weak maps, buffers, generators and primitives as what they are", async () => {
    await t.value(`
      globalThis.zoo = {
        error: Object.assign(new RangeError("too far", { cause: 1 }), { code: "FAR" }), date: new Date(0), pattern: /a+/gi,
        weak: new WeakMap(), buffer: new ArrayBuffer(12), generator: (function* () { yield 1 })(), none: undefined,
        symbol: Symbol("s"), big: 12n, bare: Object.create(null),
      }; 1`);
    const kinds = async (name: string): Promise<string> => {
      const found = await page("zoo", { path: [name] });
      return `${found.kind} ${found.type} ${found.preview} ${facts(found).join("; ")}`;
    };
    expect(await kinds("error")).toBe('error RangeError RangeError("too far") prototypes RangeError < Error < Object');
    expect((await page("zoo.error")).items.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["message", "cause", "code"]),
    );
    expect(await kinds("date")).toBe("date Date Date(1970-01-01T00:00:00.000Z) prototypes Date < Object");
    expect(await kinds("pattern")).toBe('regexp RegExp RegExp("a+") flags gi; prototypes RegExp < Object');
    expect(await kinds("weak")).toBe("weak WeakMap WeakMap {} entries 0; prototypes WeakMap < Object");
    expect(await kinds("buffer")).toBe("buffer ArrayBuffer ArrayBuffer {} bytes 12; prototypes ArrayBuffer < Object");
    expect(await kinds("generator")).toMatch(/^object .*generator suspended/);
    expect(await kinds("none")).toBe("primitive undefined undefined ");
    expect(await kinds("symbol")).toBe("primitive symbol Symbol(s) ");
    expect(await kinds("big")).toBe("primitive bigint 12n ");
    expect(await kinds("bare")).toBe("object Object {} prototypes null");
  });
});

it("looks into the bindings of a module that runs, exported or not", async () => {
  t.write(
    "src/shelf.ts",
    "const hidden = { books: ['a', 'b'] };\nexport const open = () => hidden;\nexport class Box { static made = 3 }\n",
  );
  await t.value("import { open } from './src/shelf.ts'; open().books.length");
  const module = `${t.root}/src/shelf.ts`;
  expect(rows(await page("hidden", { module, path: ["books"] }))).toEqual(['0: "a"', '1: "b"']);
  expect(await page("hidden.books.length + 1", { module })).toMatchObject({ preview: "3" });
  expect(await page("Box.made", { module })).toMatchObject({ preview: "3" });
  expect(await t.image.inspect({ value: "nothing", module })).toEqual({
    ok: false,
    why: "error",
    reason: "ReferenceError: nothing is not defined",
  });
  expect(await t.image.inspect({ value: "x", module: `${t.root}/src/money.ts` })).toMatchObject({ ok: false });
});

it("looks from a module's scope into what the session has, as a form there does", async () => {
  t.write("src/crate.ts", "export const crate = { apples: 1 };\n");
  const module = `${t.root}/src/crate.ts`;
  const { valueId = "" } = await t.evaluate("const pears = { pears: 2 }; [crate, pears]", { module });
  expect(await page(valueId, { module, path: ["1"] })).toMatchObject({ preview: "{ pears: 2 }" });
  expect(await page("pears", { module })).toMatchObject({ preview: "{ pears: 2 }" });
  expect(await page("[crate, pears]", { module })).toMatchObject({ preview: "Array(2) [{ apples: 1 }, { pears: 2 }]" });
});

it("shows a page in the middle of an endless loop, which can still be interrupted afterwards", async () => {
  await t.value("globalThis.counter = { n: 0 }; 1");
  const running = t.evaluate("for (;;) counter.n += 1");
  await until(async () => {
    const answer = await t.image.inspect({ value: "counter", path: ["n"] });
    return answer.ok && Number(answer.page.preview) > 1000;
  });
  await Promise.all(Array.from({ length: 20 }, () => t.image.inspect({ value: "counter" })));
  expect(await t.image.interrupt()).toBe(true);
  expect(await running).toMatchObject({ outcome: "interrupted", stateKept: true });
  expect(await t.value("counter.n > 1000")).toBe("true");
});

it("disturbs no interrupt, however many look meanwhile, and answers each of them, after the stop if need be", async () => {
  const refused: string[] = [];
  await t.value("globalThis.steady = { n: 1 }; 1");
  for (let round = 0; round < 12; round++) {
    const isBusy = round % 2 === 0;
    const running = t.evaluate(isBusy ? "for (;;) ;" : "await new Promise(() => setInterval(() => {}, 1e6))");
    const over = new AbortController();
    const looking = [0, 1, 2].map(async () => {
      while (!over.signal.aborted) {
        const answer = await t.image.inspect({ value: "steady" });
        if (!answer.ok) refused.push(answer.reason);
        await t.image.complete({ code: "steady.", offset: 7 });
      }
    });
    await until(() => t.image.interrupt());
    expect(await running).toMatchObject({ outcome: "interrupted", stateKept: true });
    over.abort();
    await Promise.all(looking);
  }
  expect(refused).toEqual([]);
  expect(await t.value("steady.n")).toBe("1");
});

describeEachNode([24, 26], ({ path }) => {
  it("answers every one of many looks, in a row and at once", async () => {
    const other = startTestImage({ nodePath: path });
    await other.value("globalThis.steps = { a: 1, p: Promise.resolve(3), m: new Map([[1, 2]]) }; 1");
    const look = async (n: number): Promise<string> => {
      const answer = await other.image.inspect({ value: "steps", path: [["a", "p", "m"][n % 3] ?? ""] });
      return answer.ok ? answer.page.kind : answer.reason;
    };
    const kinds = ["primitive", "promise", "map"];
    for (let n = 0; n < 120; n++) expect(await look(n)).toBe(kinds[n % 3]);
    const atOnce = await Promise.all(Array.from({ length: 60 }, (_, n) => look(n)));
    expect(atOnce).toEqual(Array.from({ length: 60 }, (_, n) => kinds[n % 3]));
    await other.dispose();
  });
});

it("holds where built-ins were replaced", async () => {
  const broken = startTestImage();
  await broken.value("globalThis.seen = new Map([['a', { b: 1 }]]); 1");
  await broken.evaluate(
    "Map.prototype.entries = Map.prototype.get = Array.prototype.map = Object.keys = JSON.stringify = null; String.prototype.slice = null; 1",
  );
  const answer = await broken.image.inspect({ value: "seen", path: ["a"] });
  expect(answer).toMatchObject({ ok: true, page: { items: [{ name: "b", preview: "1" }] } });
  await broken.dispose();
});
