import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startRedefineImage, type RedefineImage } from "./redefine-project.ts";

let t: RedefineImage;
beforeAll(() => {
  t = startRedefineImage();
});
afterAll(() => t.dispose());

const failure = async (code: string): Promise<string> => {
  const { error, outcome } = await t.evaluate(code);
  return error === undefined ? outcome : `${error.name}: ${error.message}`;
};
const CONSTANT = "TypeError: Assignment to constant variable.";

describe("a constant of a former form", () => {
  it("cannot be assigned in any way, and can be declared again", async () => {
    await t.value("const fixed = 1; const { part, more: [inner] } = { part: 2, more: [3] };");
    for (const code of [
      "fixed = 2",
      "fixed += 1",
      "fixed++",
      "--part",
      "[inner] = [4]",
      "({ fixed } = { fixed: 5 })",
      "({ a: fixed = 3 } = {})",
      "for (fixed of [1]) {}",
      "for (fixed in { a: 1 }) {}",
      "(() => { fixed = 3 })()",
      "fixed &&= 3",
      "const again = 1; again = 2",
    ]) {
      expect(await failure(code), code).toBe(CONSTANT);
    }
    expect(await t.value("[fixed, part, inner]")).toBe("[1, 2, 3]");
    expect(await t.value("const fixed = 'new'; fixed")).toBe('"new"');
    expect(await t.value("let fixed = 0; fixed = 9; fixed")).toBe("9");
    expect(await t.value("fixed += 1")).toBe("10");
  });

  it("does not stand in the way of other things of that name", async () => {
    await t.value("const taken = 1;");
    const codes = [
      "(function (taken) { taken = 2; return taken })(0)",
      "(() => { let taken = 0; taken = 2; return taken })()",
      "let out; { let taken = 0; taken = 2; out = taken } out",
      "let seen; for (let taken = 0; taken < 3; taken++) seen = taken; seen",
      "const o = { taken: 0 }; o.taken = 2; o.taken",
      "try { throw 0 } catch (taken) { taken = 2 }",
      "taken ||= 5; 2",
    ];
    for (const code of codes) expect(await t.value(code), code).toBe("2");
    expect(await t.value("taken")).toBe("1");
  });

  it("is one in the scope of a module too, while the module's own constants can be changed", async () => {
    await t.inModule("greet.ts", "const mine = 1;");
    const { error } = await t.evaluate("mine = 2", { module: t.path("greet.ts") });
    expect(error?.message).toBe("Assignment to constant variable.");
    expect(await t.inModule("greet.ts", "word = 'changed'; greet('a')")).toBe('"changed a!"');
  });
});

describe("a form that ends in a statement", () => {
  it.each([
    ["if (1 > 0) { 'yes' } else { 'no' }", '"yes"'],
    ["if (false) 1", "undefined"],
    ["1; if (false) 2", "undefined"],
    ["let twice = 0; for (let i = 0; i < 3; i++) twice = i * 2", "4"],
    ["for (const x of []) x", "undefined"],
    ["let n = 3; while (n > 0) n--", "1"],
    ["let m = 0; do { m += 2 } while (m < 5)", "6"],
    ["switch ('b') { case 'a': 1; break; case 'b': 2; case 'c': 3 }", "3"],
    ["try { 1 } finally { 2 }", "1"],
    ["try { throw 1 } catch (e) { (e as number) + 1 }", "2"],
    ["{ const inside = 5; inside * 2 }", "10"],
    ["outer: for (const a of [1, 2]) { for (const b of [3, 4]) { if (b === 4) continue outer; a * b } }", "undefined"],
    ["{ 1; if (false) 2 }", "undefined"],
    ["for (const a of [1]) { if (a) { 'deep'; let late = 1 } }", '"deep"'],
    ["if (true) { await Promise.resolve(8) }", "8"],
    ["if (true) { var kept = 4 } else 5", "undefined"],
    ["for (const each of [1, 2]) { const wrap = () => { each; }; wrap(); }", "undefined"],
    ["function late() { return 1 }", "undefined"],
  ])("answers its completion value: %s", async (code, expected) => {
    expect(await t.value(code)).toBe(expected);
    expect(await t.inModule("greet.ts", code)).toBe(expected);
  });

  it("keeps that value in a handle", async () => {
    const { valueId } = await t.evaluate("for (const n of [1, 2, 3]) n * 10");
    expect(await t.value(`${valueId} + 1`)).toBe("31");
  });
});

describe("`using` at the top level of a form", () => {
  const resource =
    "const log: string[] = []; const make = (name: string) => ({ name, [Symbol.dispose]() { log.push('end ' + name) } });";

  it("is disposed of at the end of the form, in the reverse order, and the value comes first", async () => {
    await t.value(resource);
    expect(await t.value("using a = make('a'), b = make('b'); log.push('body'); [a.name, b.name, log.length]")).toBe(
      '["a", "b", 1]',
    );
    expect(await t.value("log")).toBe('["body", "end b", "end a"]');
    expect(await t.value("a.name")).toBe('"a"');
  });

  it("is disposed of when the form throws, and asynchronously where it says so", async () => {
    await t.value(resource);
    expect(await failure("using c = make('c'); throw new Error('no')")).toBe("Error: no");
    expect(await t.value("log")).toBe('["end c"]');
    await t.value("await using d = { async [Symbol.asyncDispose]() { await 1; log.push('end d') } }; 1");
    expect(await t.value("log.at(-1)")).toBe('"end d"');
  });

  it("works the same way inside a module", async () => {
    await t.inModule("greet.ts", resource);
    expect(await t.inModule("greet.ts", "using e = make('e'); e.name")).toBe('"e"');
    expect(await t.inModule("greet.ts", "log")).toBe('["end e"]');
  });
});

describe("a class that a form declares again", () => {
  it("takes its instances along, in the same form already", async () => {
    await t.value(
      "class Lamp { on() { return 'old' } } class Desk extends Lamp {} const lamp = new Lamp(), desk = new Desk();",
    );
    expect(
      await t.value("class Lamp { bulb = 1; on() { return 'new' } } [lamp.on(), desk.on(), new Desk().bulb]"),
    ).toBe('["new", "new", 1]');
  });
});
