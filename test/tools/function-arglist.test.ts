import { afterAll, describe, expect, it } from "vitest";
import { createFunctionArglist } from "../../server/src/tools/introspection/function-arglist.ts";
import { openShapes } from "./shapes-project.ts";

const { service, ask, edit, close, dispose } = openShapes();
const tool = createFunctionArglist(service);
afterAll(dispose);

describe("function_arglist", () => {
  it.each([
    ["a-default", { symbol: "add" }],
    ["overloads-and-their-implementation", { symbol: "join" }],
    ["one-overload", { symbol: "join#2" }],
    ["the-implementation-alone", { symbol: "join#3" }],
    ["an-overload-that-is-not-there", { symbol: "join#9" }],
    ["type-parameters", { symbol: "pick" }],
    ["destructured-parameters-and-a-rest-tuple", { symbol: "configure" }],
    ["a-type-predicate", { symbol: "isText" }],
    ["an-assertion-of-a-type", { symbol: "assertText" }],
    ["an-assertion", { symbol: "assert" }],
    ["a-this-parameter", { symbol: "onCounter" }],
    ["an-async-function", { symbol: "load" }],
    ["a-generator", { symbol: "count" }],
    ["an-async-generator", { symbol: "stream" }],
    ["an-arrow-function", { symbol: "double" }],
    ["an-async-generic-arrow-function", { symbol: "later" }],
    ["a-function-expression", { symbol: "named" }],
    ["a-value-typed-like-a-dependency", { symbol: "read" }],
    ["a-value-from-a-dependency", { symbol: "parser" }],
    ["a-bound-function", { symbol: "bound" }],
    ["a-function-type", { symbol: "Handler" }],
    ["a-value-of-a-function-type", { symbol: "onText" }],
    ["call-and-construct-signatures", { symbol: "Factory" }],
    ["a-value-with-call-and-construct-signatures", { symbol: "factory" }],
    ["an-abstract-constructor-type", { symbol: "Maker" }],
    ["a-class-with-overloaded-constructors", { symbol: "Counter" }],
    ["a-constructor", { symbol: "Counter.constructor" }],
    ["an-inherited-constructor", { symbol: "Timer" }],
    ["an-abstract-class", { symbol: "Job" }],
    ["a-generic-class", { symbol: "Store" }],
    ["a-method-that-returns-this", { symbol: "Counter.step" }],
    ["a-method-that-narrows-this", { symbol: "Counter.isFull" }],
    ["a-static-method", { symbol: "Counter.of" }],
    ["a-method-in-a-property", { symbol: "Counter.reset" }],
    ["overloads-of-a-method", { symbol: "Store.put" }],
    ["an-abstract-method", { symbol: "Job.run" }],
    ["an-optional-method", { symbol: "Factory.make" }],
    ["a-property-with-a-function-type", { symbol: "Factory.build" }],
    ["a-method-of-an-object", { symbol: "table.plain" }],
    ["an-arrow-function-of-an-object", { symbol: "table.arrow" }],
    ["a-union-of-functions", { symbol: "either" }],
    ["an-unnamed-default-export", { symbol: "src/inside.ts#default" }],
    ["a-dependency", { symbol: "kit#parse" }],
    ["a-class-of-a-dependency", { symbol: "kit#Shelf" }],
    ["a-package-assigned-to-its-exports", { symbol: "old-kit#oldKit" }],
    ["javascript-with-comments", { symbol: "times" }],
    ["a-global", { symbol: "Promise" }],
    ["a-method-of-a-global", { symbol: "Array.map" }],
    ["a-file-with-syntax-errors", { symbol: "src/unfinished.ts#open" }],
    ["a-constant", { symbol: "notCallable" }],
    ["a-getter", { symbol: "Counter.total" }],
    ["an-interface", { symbol: "Options" }],
    ["an-enum", { symbol: "Level" }],
    ["a-namespace", { symbol: "Tools" }],
    ["an-ambiguous-name", { symbol: "rename" }],
    ["an-unknown-name", { symbol: "joyn" }],
    ["a-file", { symbol: "src/functions.ts" }],
    ["a-function-merged-with-a-namespace", { symbol: "overloaded" }],
    ["a-function-that-returns-a-generic-one", { symbol: "curried" }],
    ["a-class-over-a-mixin", { symbol: "Clock" }],
    ["an-unnamed-class", { symbol: "src/unusual.ts#default" }],
    ["a-static-async-generator", { symbol: "Dial.stream" }],
    ["a-page", { symbol: "join", limit: 1, cursor: "1" }],
  ])("%s", async (name, args) => {
    await expect(await ask(tool, args)).toMatchFileSnapshot(`snapshots/function-arglist/${name}.txt`);
  });

  it("reads text that is not saved", async () => {
    edit("src/inside.ts", "export function fresh(value: bigint, ...more: boolean[]): void {}\n");
    expect(await ask(tool, { symbol: "fresh" })).toContain("fresh(value: bigint, ...more: boolean[]): void");
    close("src/inside.ts");
  });

  it.each(["", "   "])("asks for a name when it gets %j", async (name) => {
    await expect(ask(tool, { symbol: name })).rejects.toThrow("Name the function");
  });
});
