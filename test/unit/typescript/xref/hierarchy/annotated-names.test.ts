import { expect, it } from "vitest";
import { annotatedIn } from "../../../../../server/src/typescript/xref/hierarchy/annotated-names.ts";

it.each([
  ["const a: Wanted = { b: 1 };", true],
  ["const a: Map<string, Wanted> = {};", true],
  ["let f: Wanted = (x) => x;", true],
  ["let f: Wanted = x => x;", true],
  ["let f: Wanted = async () => {};", true],
  ["const a = { b: 1 } as Wanted;", true],
  ["const a = { b: 1 } satisfies Readonly<Wanted>;", true],
  ["const a = <Wanted>{ b: 1 };", true],
  ["function f(): Wanted { return { b: 1 }; }", true],
  ["const f = (x: number): Wanted => ({ b: 1 });", true],
  ["class A { b: Wanted = { c: 1 }; }", true],
  ["function f(a: Wanted = {}) {}", true],
  ["function f(a: string, b: Promise<Wanted> = {}) {}", true],
  ["/** @type {Wanted} */\nconst a = {};", true],
  ["/** @returns {Promise<Wanted>} */\nfunction f() { return {}; }", true],
  ["const a: ns.Wanted = {};", true],
  ["const a: Wanted<(b: string) => void> = {};", true],
  // What is no literal is reached through its own class.
  ["const a: Wanted = new Wanted();", false],
  ["function f(): Wanted { return make(); }", false],
  ["class A extends Wanted { b = 1; }", false],
  ["take(new Wanted());", false],
])("finds what a literal may be annotated with: %s", (text, isFound) => {
  expect(annotatedIn(text).includes("Wanted")).toBe(isFound);
});
