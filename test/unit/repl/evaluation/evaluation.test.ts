import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestImage, type TestImage } from "../with-image.ts";

let t: TestImage;
beforeAll(() => {
  t = startTestImage();
});
afterAll(() => t.dispose());

describe("values", () => {
  it("answers the last expression with its type and a handle that later forms can use", async () => {
    const result = await t.evaluate("const parts: string[] = ['a', 'b']; parts.map((p) => p.toUpperCase())");
    expect(result).toMatchObject({ outcome: "value", preview: '["A", "B"]', type: "Array(2)", stateKept: true });
    expect(await t.value(`${result.valueId}.length`)).toBe("2");
  });

  it("has no handle for a form without a value", async () => {
    expect(await t.evaluate("let quiet = 1;")).toMatchObject({ outcome: "value", preview: "undefined" });
    expect((await t.evaluate("let quiet = 1;")).valueId).toBeUndefined();
  });

  it("awaits at the top level, and a promise that is the form's value", async () => {
    expect(await t.value("await new Promise<number>((r) => setTimeout(() => r(7), 5)) + 1")).toBe("8");
    const result = await t.evaluate("(async () => 'later')()");
    expect(result.preview).toBe('"later"');
    expect(result.notes[0]?.message).toContain("promise");
  });

  it("reads a form in braces as an object when it is one, and as a block when it is not", async () => {
    expect(await t.value("{ a: 1, b: [2] }")).toBe("{ a: 1, b: [2] }");
    expect(await t.value("{ let inside = 3; globalThis.seen = inside }; (globalThis as any).seen")).toBe("3");
  });

  it("understands a string alone, a comment alone and nothing at all", async () => {
    expect(await t.value("'use strict'")).toBe('"use strict"');
    expect(await t.value("// only a comment")).toBe("undefined");
    expect(await t.value("")).toBe("undefined");
  });

  it("bounds the preview of huge values", async () => {
    const began = performance.now();
    for (const code of [
      "Array.from({ length: 1e6 }, (_, i) => i)",
      "Object.fromEntries(Array.from({ length: 2e5 }, (_, i) => ['k' + i, i]))",
      "'x'.repeat(50e6)",
      "new Map(Array.from({ length: 1e5 }, (_, i) => [i, { i }]))",
    ]) {
      const result = await t.evaluate(code);
      expect(result.outcome).toBe("value");
      expect(result.preview?.length).toBeLessThan(5000);
    }
    expect(performance.now() - began).toBeLessThan(20_000);
  });
});

describe("declarations", () => {
  const forms = {
    const: (n: number) => `const again = () => ${n};`,
    let: (n: number) => `let again = () => ${n};`,
    var: (n: number) => `var again = () => ${n};`,
    function: (n: number) => `function again() { return ${n}; }`,
    class: (n: number) => `class again { static call() { return ${n}; } }`,
    enum: (n: number) => `enum again { A = ${n} }`,
  };

  it("lets every kind of declaration replace every other", async () => {
    let n = 0;
    for (const first of Object.values(forms)) {
      for (const [kind, second] of Object.entries(forms)) {
        n += 1;
        await t.value(first(-1));
        const read = kind === "class" ? "again.call()" : kind === "enum" ? "again.A" : "again()";
        expect(await t.value(`${second(n)} ${read}`)).toBe(String(n));
      }
    }
  });

  it("keeps the old value of a name when the new declaration fails", async () => {
    await t.value("const steady = 1;");
    expect((await t.evaluate("const steady = (() => { throw new Error('no') })();")).outcome).toBe("error");
    expect(await t.value("steady")).toBe("1");
  });

  it("hoists functions, destructures, and keeps `var` of loops", async () => {
    expect(await t.value("early(2); function early(n: number): number { return n * 2 }; early.name")).toBe('"early"');
    expect(await t.value("const { a, b: [c], ...rest } = { a: 1, b: [2], d: 3 }; [a, c, rest]")).toBe(
      "[1, 2, { d: 3 }]",
    );
    expect(await t.value("for (var i = 0; i < 3; i++) { var twice = i * 2 } [i, twice]")).toBe("[3, 4]");
    expect(await t.value("class Self { static one = new Self(); }; Self.one instanceof Self")).toBe("true");
    expect(await t.value("export const shipped = 4; export default shipped + 1")).toBe("5");
  });

  it("runs what only TypeScript has", async () => {
    expect(await t.value("enum E { A = 1, B } enum E { C = 9 } [E.B, E.C, E[9]]")).toBe('[2, 9, "C"]');
    expect(await t.value("namespace N { export let q = 1; q += 1 } N.q")).toBe("2");
    expect(await t.value("class P { constructor(private x = 3) {} get() { return this.x } } new P().get()")).toBe("3");
    expect(
      await t.value(
        "function d(m: Function, c: DecoratorContext) { return function () { return 'decorated' } as any } class D { @d m() { return '' } } new D().m()",
      ),
    ).toBe('"decorated"');
    expect(await t.value("type T = number; interface I { x: T } const v = { x: 1 } satisfies I; v.x!")).toBe("1");
  });
});

describe("names of the global scope", () => {
  it("warns when a form hides a global from the whole image", async () => {
    const result = await t.evaluate("const escape = 1; const harmless = 2;");
    expect(result.notes.map((note) => note.message)).toEqual([
      "escape now hides the global of that name in the whole REPL, project modules included.",
    ]);
  });
});

describe("imports", () => {
  it("takes every form of import as from the project root", async () => {
    expect(await t.value("import part from './src/parts'; part('x')")).toBe('"part x"');
    expect(await t.value("import * as all from './src/money'; Object.keys(all)")).toBe('["money", "rate"]');
    expect(await t.value("import { money as make, type Money } from './src/money.js'; make(3) as Money")).toBe(
      "{ cents: 3 }",
    );
    expect(await t.value("import type { Line } from './src/invoice.ts'; 1")).toBe("1");
    expect(await t.value("import { Invoice } from '@app/invoice'; new Invoice('Ada').customer")).toBe('"Ada"');
    expect(await t.value("import './src/money.ts'; 2")).toBe("2");
    expect(await t.value("(await import('./src/money.ts')).rate")).toBe("2");
    expect(await t.value("import settings from './src/settings.json'; settings")).toBe('{ currency: "EUR" }');
    expect(await t.value("import { basename } from 'node:path'; basename('/a/b')")).toBe('"b"');
    expect(await t.value("import old from './src/old-style.cts'; old.label('/a/b')")).toBe('"old-b"');
    expect(await t.value("import fs = require('node:fs'); typeof fs.readFileSync")).toBe('"function"');
    expect(await t.value("import.meta.url.endsWith('/__repl__.ts')")).toBe("true");
  });

  it("finds packages of the project", async () => {
    t.write("node_modules/dep/package.json", '{ "name": "dep", "main": "index.js" }');
    t.write("node_modules/dep/index.js", "exports.hello = (who) => 'hello ' + who;");
    expect(await t.value("import { hello } from 'dep'; hello('you')")).toBe('"hello you"');
  });

  it("keeps an imported name for later forms, and lets a declaration and another import replace it", async () => {
    await t.value("import { rate } from './src/money.ts'");
    expect(await t.value("rate")).toBe("2");
    expect(await t.value("const rate = 'mine'; rate")).toBe('"mine"');
    expect(await t.value("import { rate } from './src/money.ts'; rate")).toBe("2");
  });

  it("accepts an imported type without the word type, and names what a module has when a value is missing", async () => {
    expect(await t.value("import { Money, money } from './src/money.ts'; money(1) as Money")).toBe("{ cents: 1 }");
    const { error } = await t.evaluate("import { mony } from './src/money.ts'");
    expect(error?.message).toBe("./src/money.ts has no export named 'mony'. It exports: money, rate");
  });

  it("says which module is missing or does not parse, with the place", async () => {
    expect((await t.evaluate("import './src/nothing.ts'")).error?.message).toContain(
      "Cannot find module './src/nothing.ts'",
    );
    const { error } = await t.evaluate("import { half } from './src/broken.ts'");
    expect(error).toMatchObject({ name: "SyntaxError" });
    expect(error?.message).toContain("src/broken.ts:2:30");
  });

  it("runs enums, namespaces, parameter properties, decorators and accessors of a module", async () => {
    expect(await t.value("import * as f from './src/features.ts'; f.Color[2]")).toBe('"Green"');
    expect(
      await t.value(
        "[f.Units.double(f.Units.scale), new f.Square('sq').describe(), new f.Square('s').area(), f.calls]",
      ),
    ).toBe('[20, "sq 1", 9, ["area"]]');
  });
});

describe("inside a module", () => {
  it("reads and changes what the module does not export", async () => {
    const module = `${t.root}/src/invoice.ts`;
    expect(await t.value("surcharge", { module })).toBe("5");
    await t.value("import { Invoice } from './src/invoice.ts'; globalThis.one = new Invoice('x').add('a', 1)");
    await t.value("surcharge = 100", { module });
    expect(await t.value("globalThis.one.total()")).toBe("{ cents: 102 }");
  });

  it("keeps names that a form adds there, and awaits there", async () => {
    const module = `${t.root}/src/invoice.ts`;
    await t.value("const extra = await Promise.resolve(surcharge + 1); function both() { return extra + surcharge }", {
      module,
    });
    expect(await t.value("both()", { module })).toBe("201");
    expect((await t.evaluate("both()")).error?.name).toBe("ReferenceError");
  });

  it("redefines a function in place, seen by those who imported it", async () => {
    await t.value("function money(cents: number) { return { cents: cents * 10 } }", {
      module: `${t.root}/src/money.ts`,
    });
    expect(await t.value("import { Invoice } from './src/invoice.ts'; new Invoice('y').total()")).toBe(
      "{ cents: 1000 }",
    );
  });

  it("says why a module's scope is not reachable", async () => {
    const { error } = await t.evaluate("1", { module: `${t.root}/src/no-such.ts` });
    expect(error?.name).toBe("ModuleNotReachable");
  });
});
