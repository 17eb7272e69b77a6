import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeEachNode } from "../../../support/node-versions.ts";
import { startOn, type TestImage } from "../with-image.ts";

describeEachNode([22, 24, 26], (node) => {
  let t: TestImage;
  beforeAll(() => {
    t = startOn(node);
    t.write("src/scope.ts", "export const own = 1;\n");
  });
  afterAll(() => t.dispose());
  const errorOf = async (code: string, more = {}): Promise<string> => {
    const { error } = await t.evaluate(code, more);
    return error === undefined ? "no error" : `${error.name}: ${error.message}`;
  };

  describe("a name before its declaration", () => {
    it.for([
      ["read, in the same form", "e1; let e1 = 1", "e1"],
      ["read in its own initialiser", "let e2 = e2", "e2"],
      ["asked for its type", "typeof e3; const e3 = 1", "e3"],
      ["written", "e4 = 1; let e4 = 2", "e4"],
      ["written though a constant", "e5 = 1; const e5 = 2", "e5"],
      ["constructed", "new E6(); class E6 {}", "E6"],
      ["in a block", "if (true) { e7 } let e7", "e7"],
      ["the default of an earlier element", "const { d1 = e8, e8 = 1 } = {}", "e8"],
      ["its own default", "const { e9 = e9 } = {}", "e9"],
      ["as a shorthand", "const o1 = { e10 }; const e10 = 1", "e10"],
      ["in a function that is called", "main1(); const e11 = 1; function main1() { return e11 }", "e11"],
      [
        "in a function called by another",
        "a12(); const e12 = 1; function a12() { b12() } function b12() { e12 }",
        "e12",
      ],
      ["in a callback", "const s13 = [1].map(() => e13); const e13 = 1", "e13"],
      ["in an arrow with a name", "const f14 = () => e14; f14(); const e14 = 1", "e14"],
      ["in a method", "class C15 { go() { return e15 } } new C15().go(); const e15 = 1", "e15"],
      [
        "in a constructor that its class calls",
        "class C20 { static one = new C20(); constructor() { e20 } } const e20 = 1",
        "e20",
      ],
      ["in a method of a literal", "const o21 = { go: () => e21 }; o21.go(); const e21 = 1", "e21"],
      ["in a static block", "class C16 { static { e16 } } const e16 = 1", "e16"],
      ["exported", "e17; export const e17 = 1", "e17"],
      ["of several declarators", "const e18 = e19, e19 = 1", "e19"],
    ])("%s is a ReferenceError", async ([, code, name]) => {
      expect(await errorOf(code as string)).toBe(`ReferenceError: Cannot access '${name}' before initialization`);
    });

    it.for([
      ["const ok1 = (n) => (n < 2 ? 1 : n * ok1(n - 1)); ok1(5)", "120"],
      ["const f2 = () => ok2; const ok2 = 2; f2()", "2"],
      ["const { ok3 = 1, d3 = ok3 } = {}; d3", "1"],
      ["class Ok4 { static one = new Ok4(); } Ok4.one instanceof Ok4", "true"],
      ["const ok5 = new Promise((r) => setTimeout(() => r(ok5 instanceof Promise), 1)); await ok5", "true"],
      ["[1].map((ok6) => ok6)[0]; const ok6 = 6; ok6", "6"],
      ["var v7 = w7; var w7 = 1; v7", "undefined"],
      ["f8(); function f8() { return 8 }", "8"],
      ["const o9 = { later: () => ok9 }; const ok9 = 9; o9.later()", "9"],
      ["let ok10; ok10", "undefined"],
      ["const o11 = { ok11: 1 }.ok11; const ok11 = o11; ok11", "1"],
      ["const g12 = () => { ok12 += 1; return ok12 }; let ok12 = 11; g12()", "12"],
    ])("%s is no error", async ([code, value]) => {
      expect(await t.value(code as string)).toBe(value);
    });

    it("leaves functions that cannot be called too early as they were written", async () => {
      await t.value("const o22 = { go: () => e22 }, f22 = () => e22; const e22 = 1");
      expect(await t.value("o22.go.toString() + f22")).toBe('"() => e22() => e22"');
      expect(await t.value("o22.go() + f22()")).toBe("2");
    });

    it("keeps the value of an earlier form when the later declaration reads its own name", async () => {
      await t.value("let again = 1");
      expect(await errorOf("let again = again + 1")).toContain("before initialization");
      expect(await t.value("again")).toBe("1");
      await t.value("let again = 2");
      expect(await t.value("again")).toBe("2");
    });

    it("is an error inside a module's scope too", async () => {
      const inModule = { module: `${t.root}/src/scope.ts` };
      expect(await errorOf("m1; let m1 = own", inModule)).toContain("Cannot access 'm1' before initialization");
      expect(await errorOf("go(); const m2 = 1; function go() { return m2 }", inModule)).toContain(
        "Cannot access 'm2'",
      );
      expect(await t.value("const m3 = () => m4; const m4 = own; m3()", inModule)).toBe("1");
    });
  });

  describe("strict mode", () => {
    it("is every form's, asked for or not", async () => {
      expect(await t.value("(function () { return this === undefined })()")).toBe("true");
      expect(await t.value("'use strict'; (function () { return this === undefined })()")).toBe("true");
      expect(await t.value("'use strict'")).toBe('"use strict"');
      expect(await errorOf("Object.freeze({ a: 1 }).a = 2")).toContain("read only property 'a'");
      expect(await errorOf("function leak() { leaked = 1 }; leak()")).toBe("ReferenceError: leaked is not defined");
    });

    it.for([
      ["bare1 = 5", "5"],
      ["[bare2, bare3] = [1, 2]; bare2 + bare3", "3"],
      ["({ bare4, x: bare5 = 3 } = { bare4: 4 }); bare4 + bare5", "7"],
      ["for (bare6 of [1, 2]) {} bare6", "2"],
      ["bare7 = () => 1; bare7.name", '"bare7"'],
      ["bare8 = class {}; bare8.name", '"bare8"'],
      ["bare9 = bare10 = 1; globalThis.bare9 + bare10", "2"],
    ])("lets %s make a global at the top of a form", async ([code, value]) => {
      expect(await t.value(code as string)).toBe(value);
    });

    it("assigns to what forms declared, and reads no name that is not there", async () => {
      await t.value("let mine = 1");
      expect(await t.value("mine = 2; mine + ':' + globalThis.mine")).toBe('"2:undefined"');
      expect(await errorOf("nowhere += 1")).toBe("ReferenceError: nowhere is not defined");
      expect(await t.value("nested = 1; if (true) { nested = 2 } nested")).toBe("2");
    });
  });

  it.for([
    ["5; let v1 = 1", "5"],
    ["f2(); function f2() { return 2 }", "2"],
    ["if (true) { 3 } const v3 = 1; class V3 {}", "3"],
    ["await Promise.resolve(4); export const v4 = 1", "4"],
    ["for (const k of [1, 5]) k; let v5; enum E5 { A }", "5"],
    ["'use client'; const v6 = 1", "undefined"],
    ["const v7 = 1; class V7 {}", "undefined"],
    ["8; export { join } from 'node:path'", "8"],
  ])("gives %s the value that eval would", async ([code, value]) => {
    expect(await t.value(code as string)).toBe(value);
    expect(await t.value(code as string, { module: `${t.root}/src/scope.ts` })).toBe(value);
  });

  it("takes the last of functions that have one name", async () => {
    expect(await t.value("function dup() { return 1 } function dup() { return 2 } dup()")).toBe("2");
  });

  it("places a failed assignment in the form", async () => {
    const { error } = await t.evaluate("1;\nnobody ??= 5");
    expect(error?.frames[0]).toMatchObject({ line: 1, character: 0 });
  });

  it.for([
    ["one()\nconst j1 = 1\none() + j1", "2"],
    ["one()\nlet [j2] = [2]\none() + j2", "3"],
    ["if (true) {\n  one()\n  var j3 = 3\n}\nj3", "3"],
    ["if (false) var j4 = 4\nj4", "undefined"],
    ["one()\nclass J5 {}\none()", "1"],
    [
      "late6(true)\nconst j6 = [6]\nfunction late6(is) {\n  if (is) return\n  const y = 1\n  j6.length\n  return j6\n}\nlate6()",
      "[6]",
    ],
    ["use7(true)\nconst j7 = 7\nfunction use7(is) { return is || j7 }\nuse7() // the end", "7"],
    ["one() // comment\nconst j8 = 8 // more", "1"],
  ])("joins no lines without semicolons: %j", async ([code, value]) => {
    await t.value("var one = () => 1");
    expect(await t.value(code as string)).toBe(value);
  });

  it("loads what is exported from elsewhere, and asks for its names", async () => {
    expect(await errorOf("export { nowhere } from 'node:path'")).toContain("node:path has no export named 'nowhere'");
    expect(await errorOf("export * from './src/nowhere.ts'")).toContain("Cannot find module './src/nowhere.ts'");
    await t.value("export * from './src/scope.ts'");
  });

  it("resolves as a module of the project does", async () => {
    expect(await t.value("import.meta.resolve('./src/scope.js')")).toBe(
      JSON.stringify(`file://${t.root}/src/scope.ts`),
    );
    expect(await t.value("import.meta.resolve('fs')")).toBe('"node:fs"');
    expect(await errorOf("import.meta.resolve('nowhere')")).toContain("Cannot find module 'nowhere'");
  });

  it("imports a module whose text is its URL", async () => {
    expect(await t.value("(await import('data:text/javascript,export default 41')).default + 1")).toBe("42");
    expect(await t.value("import inline from 'data:text/javascript,export default 43'; inline")).toBe("43");
  });

  describe("warnings", () => {
    const stderr = async (code: string): Promise<string> => (await t.evaluate(code)).stderr;

    it("are output of the evaluation that caused them, each once", async () => {
      expect(await stderr("process.emitWarning('careful', 'Mine')")).toBe("Mine: careful\n");
      const coded = "process.emitWarning('old', { type: 'DeprecationWarning', code: 'MY1', detail: 'use new' })";
      expect(await stderr(coded)).toBe("[MY1] DeprecationWarning: old\nuse new\n");
      await t.value("import { deprecate } from 'node:util'; const old = deprecate(() => 1, 'use young', 'MY2')");
      expect(await stderr("old(); old()")).toBe("[MY2] DeprecationWarning: use young\n");
      expect(await stderr("old()")).toBe("");
    });

    it("come of leaks and of declarations alone too", async () => {
      await t.value("import { EventEmitter } from 'node:events'");
      const many = "var source = new EventEmitter(); for (let i = 0; i < 11; i++) source.on('x', () => {})";
      expect(await stderr(many)).toContain("MaxListenersExceededWarning");
      expect(await stderr("const warned = process.emitWarning('declared')")).toBe("Warning: declared\n");
    });

    it("do not come of the image's own machinery", async () => {
      await t.value("import { money } from './src/money.ts'; money");
      expect(
        t.outputs.filter(({ text }) => text.includes("Warning") && !text.includes("MaxListeners")),
      ).not.toContainEqual(expect.objectContaining({ text: expect.stringMatching(/Experimental|Security/) as string }));
    });
  });
});
