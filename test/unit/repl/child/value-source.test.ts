/** Values as TypeScript: the text makes an equal value, runs none of the value's code, or there is a reason. */
import { describe, expect, it } from "vitest";
import { callForm, namesIn } from "../../../../server/src/repl/child/main/redefine/call-form.ts";
import { slotOf } from "../../../../server/src/repl/child/main/redefine/traced-slot.ts";
import { sourceOf } from "../../../../server/src/repl/child/shared/print/value-source.ts";

class Line {
  price: number;
  constructor(price: number) {
    this.price = price;
  }
}
class Cart {
  #lines: Line[] = [];
  add(line: Line): number {
    return this.#lines.push(line);
  }
}
class Late extends AbortController {}
class NoStock extends Error {}
function total(lines: readonly Line[]): number {
  return lines.length;
}
const shop = { tax: { of: (amount: number) => amount } };

/** As the scope of a module that declares these. */
// oxlint-disable-next-line no-eval
const evaluator = (code: string): unknown => eval(code);
void [Late, Cart, NoStock, total, shop];
const names = namesIn(evaluator, {
  brandOf: (owner) => (owner === Cart ? { evaluator, names: { instance: ["lines"], static: [] } } : undefined),
});

const circular: Record<string, unknown> = {};
circular["self"] = circular;

describe("a value as TypeScript", () => {
  it.each<[string, unknown]>([
    ["numbers", [0, -0, 1.5, -2, NaN, Infinity, -Infinity, 2n ** 70n]],
    ["texts", ["", 'a"b\n\u2028`${x}`', "\ud800", "😀"]],
    ["nothing", [undefined, null, true, false]],
    ["objects", [{ a: 1, "b-c": { __proto__: null, d: [] } }, JSON.parse('{"__proto__": 1}')]],
    // oxlint-disable-next-line no-sparse-arrays
    ["holes", [[1, , 3], [, ,], Array.from({ length: 3 })]],
    ["dates and expressions", [new Date(0), new Date(NaN), /a\/b[/]\n/giu]],
    ["maps and sets", [new Map<unknown, unknown>([[{ a: 1 }, new Set([1, "2"])]]), new Map(), new Set()]],
    ["bytes", [Buffer.from("hä"), new Uint8Array([1, 255]), new Float64Array([0.1]), new BigInt64Array([-1n])]],
    ["addresses", [new URL("https://example.org/a?b=c#d")]],
    ["errors", [Object.assign(new TypeError("no"), { code: "E1" }), new NoStock("none"), new Error("")]],
    ["instances", [new Line(3), Object.assign(Object.create(Line.prototype), {})]],
    ["functions and classes of the module", [total, Line]],
  ])("%s", (_what, value) => {
    const made = sourceOf([value], names);
    if ("why" in made) throw new Error(made.why);
    expect(evaluator(`(${made.source})`)).toStrictEqual(value);
  });

  it.each<[string, unknown, RegExp]>([
    ["a function of another module", Math.max, /a function, max/],
    ["a nameless function", () => 1, /a function/],
    ["a symbol", Symbol("s"), /a symbol/],
    ["a property that a symbol names", { [Symbol("s")]: 1 }, /a property that a symbol names/],
    ["a proxy", new Proxy({}, {}), /a proxy/],
    [
      "a getter",
      {
        get a(): never {
          throw new Error("it ran");
        },
      },
      /a getter/,
    ],
    ["a circle", circular, /refers to itself/],
    ["private fields", new Cart(), /an instance of Cart, which has private fields/],
    ["a promise", Promise.resolve(1), /Promise/],
    ["an instance of a class of another module", new AbortController(), /an instance of AbortController/],
    ["an instance of a subclass of one of Node's", new Late(), /an instance of Late/],
    ["an array with another prototype", new (class extends Array {})(), /an instance of/],
    ["a large text", "x".repeat(10_000), /more than 6000 characters/],
    ["a large array", Array.from({ length: 1e5 }, () => 0), /more than 6000 characters/],
    ["a large map", new Map(Array.from({ length: 5_000 }, (_, at) => [at, at])), /more than 6000 characters/],
  ])("%s has none, and the reason is named", (_what, value, why) => {
    expect(sourceOf([{ at: [value] }], names)).toEqual({ why: expect.stringMatching(why) });
  });
});

describe("a call as a form", () => {
  const formOf = (path: string[], self: unknown, args: unknown[], isNew = false): unknown =>
    callForm(slotOf(evaluator, path, "it"), { self, args, isNew }, names);

  it.each<[string[], unknown, unknown[], string]>([
    [["total"], undefined, [[new Line(2)]], "total([Object.assign(Object.create(Line.prototype), { price: 2 })])"],
    [["shop", "tax", "of"], shop.tax, [1], "shop.tax.of(1)"],
    [["shop", "tax", "of"], undefined, [1], "shop.tax.of.call(undefined, 1)"],
  ])("%j", (path, self, args, source) => {
    expect(formOf(path, self, args)).toEqual({ source });
  });

  it("names a method by its class, and what the method was called on", () => {
    expect(formOf(["Cart", "add"], { a: 1 }, [1])).toEqual({ source: "Cart.prototype.add.call({ a: 1 }, 1)" });
    expect(formOf(["Cart", "add"], new Cart(), [1])).toEqual({
      why: "an instance of Cart, which has private fields",
    });
    expect(formOf(["total"], {}, [1], true)).toEqual({ source: "new total(1)" });
  });
});
