import { inspect } from "node:util";
import { expect, it } from "vitest";
import { print } from "../../../../server/src/repl/child/shared/print/printer.ts";
import { typeOf } from "../../../../server/src/repl/child/shared/print/value-facts.ts";

class Invoice {
  readonly lines = [{ text: "a", cents: 1 }];
  get total(): number {
    throw new Error("not to be called");
  }
}

class Stock extends Map<string, number> {
  override [Symbol.iterator](): MapIterator<[string, number]> {
    throw new Error("not to be run");
  }
}

class Traps {
  get(): number {
    throw new Error("not to be run");
  }
}

const kept = { a: 1 };
function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const values: [string, unknown, string][] = [
  ["undefined", undefined, "undefined"],
  ["a negative zero", -0, "-0"],
  ["a string", 'a "b"\n', '"a \\"b\\"\\n"'],
  ["a bigint", 10n, "10n"],
  ["a symbol", Symbol("s"), "Symbol(s)"],
  ["a nested object", { a: { b: [1, { "c-d": null }] } }, '{ a: { b: [1, { "c-d": null }] } }'],
  ["an instance", new Invoice(), 'Invoice { lines: [{ text: "a", cents: 1 }] }'],
  [
    "a getter",
    {
      get x() {
        return 1;
      },
    },
    "{ x: [Getter] }",
  ],
  ["a map and a set", new Map([["k", new Set([1])]]), 'Map(1) { "k" => Set(1) { 1 } }'],
  ["a map of a class with an iterator of its own", new Stock([["k", 1]]), 'Stock(1) { "k" => 1 }'],
  ["a date", new Date(0), "1970-01-01T00:00:00.000Z"],
  ["an error", new RangeError("bad"), "[RangeError: bad]"],
  ["a class", Invoice, "[class Invoice]"],
  ["a function", function f() {}, "[Function f]"],
  ["an array with a hole", Object.assign(Array(3), { 0: 1, 2: 2 }), "[1, <empty>, 2]"],
  ["bytes", new Uint8Array([1, 2]), "Uint8Array(2) [1, 2]"],
  [
    "a proxy",
    new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("touched");
        },
      },
    ),
    "Proxy of {} (handler: ownKeys)",
  ],
  [
    "a proxy of a proxy in an array",
    [new Proxy(new Proxy({ text: "a, b]" }, {}), { get: () => 1, has: () => true })],
    "[Proxy of Proxy [ [Object], {} ] (handler: get, has)]",
  ],
  [
    "a proxy whose handler is of a class",
    new Proxy({ "b c": "x, y }" }, new Traps()),
    'Proxy of { "b c": "x, y }" } (handler: Traps)',
  ],
  ["a revoked proxy", revoked(), "Proxy (revoked)"],
  ["a match", /(?<y>b)/.exec("abc"), '["b", "b", index: 1, input: "abc", groups: [Object: null prototype] { y: "b" }]'],
  ["an array with a name", Object.assign([1], { extra: true }), "[1, extra: true]"],
  ["a map with a name", Object.assign(new Map([[1, 2]]), { extra: 1 }), "Map(1) { 1 => 2, extra: 1 }"],
  ["a set with a name", Object.assign(new Set([1]), { extra: 1 }), "Set(1) { 1, extra: 1 }"],
  ["a generator", (function* () {})(), "Object [Generator] {}"],
  ["an iterator of a map", new Map([[1, 2]]).entries(), "[Map Entries] { [ 1, 2 ] }"],
  ["an iterator of an array", [1].values(), "Object [Array Iterator] {}"],
  ["an asynchronous function", async () => 1, "[AsyncFunction (anonymous)]"],
  ["a generator function", function* g() {}, "[GeneratorFunction g]"],
  ["an asynchronous generator function", async function* g() {}, "[AsyncGeneratorFunction g]"],
  [
    "an error with a cause",
    new Error("out", { cause: new TypeError("in") }),
    "[Error: out] { cause: [TypeError: in] }",
  ],
  ["an error of many", new AggregateError([new Error("a")], "all"), "[AggregateError: all] { errors: [[Error: a]] }"],
  ["a view of a buffer", new DataView(new ArrayBuffer(2)), "DataView { byteLength: 2 }"],
  [
    "what is printed in colours by itself",
    { [inspect.custom]: (_: number, o: { colors?: boolean }) => (o.colors ??= true) + "" },
    "false",
  ],
  ["a weak reference", new WeakRef(kept), "WeakRef of { a: 1 }"],
  ["an object without prototype", Object.assign(Object.create(null), { a: 1 }), "[Object: null prototype] { a: 1 }"],
];
it.for(values)("prints %s", ([, value, text]) => {
  expect(print(value)).toBe(text);
});

it("prints short elements side by side, and long ones a line each", () => {
  const lines = print(Array.from({ length: 40 }, (_, index) => index + 1000)).split("\n");
  expect(lines).toHaveLength(5);
  expect(lines[1]).toBe(`  ${Array.from({ length: 15 }, (_, index) => index + 1000).join(", ")},`);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(96);
  expect(print(Array.from({ length: 4 }, () => "a longer text of many words")).split("\n")).toHaveLength(6);
});

it("prints a cycle, a throwing printer and great depth without failing", () => {
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  expect(print(cycle)).toBe("{ self: [Circular] }");
  expect(
    print({
      [Symbol.for("nodejs.util.inspect.custom")]: () => {
        throw new Error("own printer");
      },
    }),
  ).toBe("[not printable: own printer]");
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level++) deep = [deep];
  expect(print(deep)).toBe("[[[[[[Array(1)]]]]]]");
});

it("breaks long values into lines and says how much it left out", () => {
  const text = print(Array.from({ length: 1000 }, (_, id) => ({ id, name: `name ${id}` })));
  expect(text).toContain("\n");
  expect(text).toMatch(/… \d+ more\n\]$/);
  expect(text.length).toBeLessThan(4100);
});

it("names types as a person would", () => {
  expect([1, null, [1], new Map(), new Invoice(), Invoice, () => 1].map(typeOf)).toEqual([
    "number",
    "null",
    "Array(1)",
    "Map(0)",
    "Invoice",
    "class Invoice",
    "function",
  ]);
});
