import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CompletionAnswer, ReplCompletion } from "../../../../server/src/protocol/repl-shapes.ts";
import { completionContext } from "../../../../server/src/repl/sight/completion-context.ts";
import { startTestImage, until, type TestImage } from "../with-image.ts";

let t: TestImage;
beforeAll(async () => {
  t = startTestImage();
  await t.value(`
    import { Invoice } from './src/invoice.ts';
    import * as money from './src/money.ts';
    let effects = 0;
    class Cart {
      #secret = 1; lines = [{ cents: 5, text: "a" }]; owner = "Ada"; "odd key" = 1;
      add() { effects += 1; return this } get total() { effects += 1; return { eur: 1 } }
    }
    const cart = new Cart();
    const lookup = new Map([["k", { deep: { er: 1 } }]]);
    const trap = new Proxy({}, { get() { effects += 1 }, ownKeys() { effects += 1; return [] }, getPrototypeOf() { effects += 1; return null } });
    const invoice = new Invoice("x");
    1`);
});
afterAll(() => t.dispose());

/** Completes at the bar. */
function complete(marked: string, module?: string): Promise<CompletionAnswer> {
  const offset = marked.indexOf("|");
  const code = marked.replace("|", "");
  return t.image.complete({ code, offset, ...(module === undefined ? {} : { module }) });
}
const labels = async (marked: string, module?: string): Promise<string[]> =>
  (await complete(marked, module)).items.map(({ label }) => label);
const item = async (marked: string, label: string): Promise<ReplCompletion | undefined> =>
  (await complete(marked)).items.find((each) => each.label === label);

describe("completion in the running image", () => {
  it("says why the names of a module that is not loaded are missing", async () => {
    expect((await complete("add|", `${t.root}/src/features.ts`)).reason).toContain("not loaded in the REPL");
    expect((await complete("surch|", `${t.root}/src/invoice.ts`)).reason).toBeUndefined();
  });

  it("offers own members first, then those of the class, then those of every object", async () => {
    const all = await labels("cart.|");
    expect(all.slice(0, 6)).toEqual(["lines", "odd key", "owner", "add", "constructor", "total"]);
    expect(all).toContain("hasOwnProperty");
    expect(await labels("cart.to|")).toEqual(["total", "toLocaleString", "toString"]);
    expect(await item("cart.|", "total")).toMatchObject({ kind: 10, detail: "getter, not called, inherited" });
    expect(await item("cart.|", "add")).toMatchObject({ kind: 2, detail: "method, inherited" });
    expect(await item("cart.|", "owner")).toMatchObject({ kind: 10, detail: "property, string" });
  });

  it("offers what stands behind a proxy, and no trap is called", async () => {
    await t.value(`
      var trapped = 0;
      const traps: ProxyHandler<any> = Object.fromEntries(["get", "ownKeys", "has", "getPrototypeOf", "getOwnPropertyDescriptor"]
        .map((name) => [name, (...args: [any, any]) => { trapped += 1; return (Reflect as any)[name](...args); }]));
      const state = new Proxy({ user: { name: "Ada" }, items: [1] }, traps);
      const twice = new Proxy(state, traps);
      const caller = new Proxy(() => 1, traps);
      const list = new Proxy([1, 2], traps);
      const holder = { state, promise: Promise.resolve(state) };
      const revoked = Proxy.revocable({}, {}); revoked.revoke();
      1`);
    await t.value("trapped = 0");
    expect((await labels("state.|")).slice(0, 2)).toEqual(["items", "user"]);
    expect(await labels("twice.us|")).toEqual(["user"]);
    expect(await labels("holder.state.it|")).toEqual(["items"]);
    expect(await labels("(await holder.promise).us|")).toEqual(["user"]);
    expect(await labels("caller.app|")).toEqual(["apply"]);
    expect(await labels("list.fl|")).toEqual(["flat", "flatMap"]);
    expect(await labels("cart.lin|")).toEqual(["lines"]);
    expect((await complete("revoked.proxy.|")).reason).toBe("The proxy is revoked.");
    expect(await t.value("trapped")).toBe("0");
  });

  it("says what an item takes the place of, and brackets what is no name", async () => {
    expect(await complete("1;\nfoo(cart.ow|")).toMatchObject({
      replace: { start: { line: 1, character: 9 }, end: { line: 1, character: 11 } },
      isIncomplete: false,
      total: 1,
    });
    expect(await item("cart.|", "odd key")).toMatchObject({
      insertText: '["odd key"]',
      additionalTextEdits: [
        { range: { start: { line: 0, character: 4 }, end: { line: 0, character: 5 } }, newText: "" },
      ],
    });
  });

  it("looks behind what has no effect: elements, calls of built-ins, assertions, optional chains, keys in brackets", async () => {
    expect(await labels("cart.lines[0].c|")).toEqual(["cents", "constructor"]);
    expect(await labels("lookup.get('k')!.deep.|")).toContain("er");
    expect(await labels("(cart as Cart)?.lin|")).toEqual(["lines"]);
    expect(await labels("[1, 2].map((n) => n * 2).fl|")).toEqual(["flat", "flatMap"]);
    expect(await labels("`a${1}b`.rep|")).toEqual(["repeat", "replace", "replaceAll"]);
    expect(await labels('cart["li|')).toEqual(["lines"]);
    expect(await labels("const x = 1 + cart.own|")).toEqual(["owner"]);
    expect(await labels("Object.ke|")).toEqual(["keys"]);
  });

  it("sees through imports, live as they are", async () => {
    expect(await labels("Invoice.prototype.|")).toEqual(expect.arrayContaining(["add", "total"]));
    expect(await labels("invoice.t|")).toEqual(["total", "toLocaleString", "toString"]);
    expect(await labels("money.|")).toEqual(expect.arrayContaining(["money", "rate"]));
    expect(await labels("money.rate.toF|")).toEqual(["toFixed"]);
  });

  it("completes the names of the session before those of the global object", async () => {
    expect(await labels("car|")).toEqual(["cart", "Cart"]);
    expect(await labels("inv|")).toEqual(["invoice", "Invoice"]);
    expect(await labels("structuredCl|")).toEqual(["structuredClone"]);
    expect(await labels("__agent|")).toEqual([]);
  });

  it("completes what a module keeps to itself, when the form runs there", async () => {
    const module = `${t.root}/src/invoice.ts`;
    expect(await labels("sur|", module)).toEqual(["surcharge"]);
    expect(await labels("surcharge.toF|", module)).toEqual(["toFixed"]);
    expect(await labels("Invoice.prototype.ad|", module)).toEqual(["add"]);
    expect(await labels("sur|")).toEqual([]);
  });

  it("never has an effect", async () => {
    expect(await complete("cart.total.|")).toMatchObject({ items: [], reason: expect.stringContaining("effect") });
    expect(await complete("cart.add().|")).toMatchObject({ items: [], reason: expect.stringContaining("effect") });
    expect(await labels("(effects += 1).|")).toEqual([]);
    expect(await labels("trap.hasO|")).toEqual(["hasOwnProperty"]);
    expect(await labels("trap.deep.|")).toEqual([]);
    expect(await complete("(await fetch('x')).|")).toMatchObject({ items: [] });
    expect(await complete("(() => { for (;;) {} })().|")).toMatchObject({
      items: [],
      reason: "It took longer than 200 ms.",
    });
    expect(await t.value("effects")).toBe("0");
  });

  it("offers nothing inside of strings and comments, and where a new name is given", async () => {
    for (const marked of [
      "'cart.|",
      "// cart.|",
      "/* cart.|",
      "`cart.|",
      "const ca|",
      "function ca|",
      "1.|",
      "class ca|",
    ]) {
      expect(await labels(marked), marked).toEqual([]);
    }
    expect(await labels("`${cart.own|")).toEqual(["owner"]);
    expect(await labels("'a' + cart.own|")).toEqual(["owner"]);
    expect(await labels("f(...car|")).toEqual(["cart", "Cart"]);
  });

  it.each([
    "await cart.own|",
    "await car|",
    "for (const x of cart.own|",
    "for (const x of car|",
    "for await (const x of cart.own|",
    "[...cart.own|",
    "({ ...cart.own|",
    "`it's ${cart.own|}`",
    "`a ${`b ${cart.own|",
    "`a ${car|",
    "<div>{cart.own|}</div>",
    "<p>don't {cart.own|}</p>",
    "<p>// {cart.own|",
    "<a href='x'>it's <b/> {[1].map((n) => <i key={cart.own|",
    "<div a={cart.own|",
    "<div {...cart.own|",
    "/['\"]/.test(cart.own|",
    "x = /ab'c/; cart.own|",
    "const same = <T,>(x: T) => x; same(cart.own|",
    "if (1 < 2) cart.own|",
    "const { a = cart.own|",
    "yield cart.own|",
    "new cart.own|",
  ])("completes at %s", async (marked) => {
    expect(await labels(marked)).toEqual(marked.includes(".own|") ? ["owner"] : ["cart", "Cart"]);
  });

  it("completes what an awaited promise holds, without waiting for one", async () => {
    await t.value("var done = Promise.resolve({ answer: 42 }), open = new Promise(() => {}); 1");
    expect(await labels("(await done).ans|")).toEqual(["answer"]);
    expect(await labels("(await cart).own|")).toEqual(["owner"]);
    expect(await complete("(await open).|")).toMatchObject({ items: [], reason: "The promise is pending." });
    expect(await labels("done.the|")).toEqual(["then"]);
    expect(await labels("import.meta.fil|")).toEqual(["filename"]);
    expect(await complete("import('node:fs').|")).toMatchObject({ items: [] });
    expect(await t.value("effects")).toBe("0");
  });

  it("answers while an evaluation runs in an endless loop", async () => {
    const running = t.evaluate("for (;;) ;");
    await until(() => t.image.status().state === "busy");
    expect(await labels("cart.own|")).toEqual(["owner"]);
    expect(await labels("car|")).toEqual(["cart", "Cart"]);
    expect(t.image.status().state, "the loop runs on").toBe("busy");
    await t.image.interrupt();
    expect(await running).toMatchObject({ outcome: "interrupted", stateKept: true });
  });

  it("offers the names it knows while native code holds the image, without waiting for it", async () => {
    const call = "require('node:crypto').pbkdf2Sync('a', 'b', 4_000_000, 64, 'sha512').length";
    const running = t.evaluate(`console.log('in'); ${call}`, { evalId: "native" });
    await until(() => t.outputs.some(({ evalId }) => evalId === "native"));
    const answer = await complete("car|");
    expect(answer.items.map(({ label }) => label)).toEqual(["cart", "Cart"]);
    expect(answer).toMatchObject({ isIncomplete: true, reason: expect.stringContaining("busy") });
    expect(await complete("cart.|")).toMatchObject({ items: [], isIncomplete: true, reason: "The REPL is busy." });
    expect(t.image.status().state, "the call lasts").toBe("busy");
    expect(await running).toMatchObject({ outcome: "value", preview: "64" });
  });
});

it("offers the names of every program before the image runs, and does not start it", async () => {
  const idle = startTestImage();
  const answer = await idle.image.complete({ code: "structuredCl", offset: 12 });
  expect(answer.items.map(({ label }) => label)).toEqual(["structuredClone"]);
  expect(idle.image.status().state).toBe("notStarted");
  await idle.dispose();
});

it.each([
  ["a.b.c", { kind: "member", receiver: "a.b", prefix: "c", dot: 3 }],
  ["f(x, y.z", { kind: "member", receiver: "y", prefix: "z", dot: 6 }],
  ["a + b.", { kind: "member", receiver: "b", prefix: "", dot: 5 }],
  ["x = [1, 2].", { kind: "member", receiver: "[1, 2]", prefix: "", dot: 10 }],
  ["return value.", { kind: "member", receiver: "value", prefix: "", dot: 12 }],
  ["new Foo().", { kind: "member", receiver: "new Foo()", prefix: "", dot: 9 }],
  ["a; b.", { kind: "member", receiver: "b", prefix: "", dot: 4 }],
  ["const f = () => g.", { kind: "member", receiver: "g", prefix: "", dot: 17 }],
  ["f({ a: b.", { kind: "member", receiver: "b", prefix: "", dot: 8 }],
  ['x["k', { kind: "key", receiver: "x", prefix: "k", dot: 1 }],
  ["x?.y", { kind: "member", receiver: "x", prefix: "y", dot: 1 }],
  ["chain\n  .then(f)\n  .ca", { kind: "member", receiver: "chain\n  .then(f)", prefix: "ca", dot: 19 }],
  ["new a.b", { kind: "member", receiver: "a", prefix: "b", dot: 5 }],
  ["(await a).b", { kind: "member", receiver: "a", awaits: true, prefix: "b", dot: 9 }],
  ["a / b; c.", { kind: "member", receiver: "c", prefix: "", dot: 8 }],
  ["x = a / 'b.", { kind: "none" }],
  ["<p>it's", { kind: "none" }],
  ["f(<p>it's</p>, b.", { kind: "member", receiver: "b", prefix: "", dot: 16 }],
  ["", { kind: "name", prefix: "" }],
  ["it's", { kind: "none" }],
])("reads %j as %j", (code, context) => {
  expect(completionContext(code, code.length)).toEqual(context);
});
