/** Which forms are taken as they are: those that mean the same without a transpiler, and no others. */
import { describe, expect, it } from "vitest";
import { parsePlain } from "../../../../server/src/repl/source/plain-script.ts";

describe("a form without anything of TypeScript", () => {
  it.each(["1+1", "users.length", "const a = [1, 2].map((x) => x * 2)", "await load('a')", "function f() {}\nf()"])(
    "%s is taken as it is",
    (text) => expect(parsePlain(text)).toBeDefined(),
  );
});

describe("what the transpiler must see", () => {
  it.each([
    "a as string",
    "let a\n: string",
    "f<T>(1)",
    "a!",
    "@d class A {}",
    "enum E { A }",
    "abstract class A {}",
    "import a from 'a'",
    "export const a = 1",
    "type A = string",
    "class A { private a = 1 }",
    "class A { constructor(readonly a) {} }",
    "using a = b()",
    "function f();\nfunction f(a) {}",
    "function f(this) {}",
  ])("%s is left to it", (text) => expect(parsePlain(text)).toBeUndefined());

  it("is what does not parse, for its words about the error", () => expect(parsePlain("1 +")).toBeUndefined());
});
