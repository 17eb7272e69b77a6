import { afterAll, describe, expect, it } from "vitest";
import { createFunctionArglist } from "../../server/src/tools/introspection/function-arglist.ts";
import { openShapes } from "./shapes-project.ts";

const { service, ask, edit, close, dispose } = openShapes();
const tool = createFunctionArglist(service);
afterAll(dispose);

describe("function_arglist", () => {
  it.each([
    ["a-default", { function: "add" }],
    ["overloads-and-their-implementation", { function: "join" }],
    ["one-overload", { function: "join#2" }],
    ["the-implementation-alone", { function: "join#3" }],
    ["an-overload-that-is-not-there", { function: "join#9" }],
    ["type-parameters", { function: "pick" }],
    ["destructured-parameters-and-a-rest-tuple", { function: "configure" }],
    ["a-type-predicate", { function: "isText" }],
    ["an-assertion-of-a-type", { function: "assertText" }],
    ["an-assertion", { function: "assert" }],
    ["a-this-parameter", { function: "onCounter" }],
    ["an-async-function", { function: "load" }],
    ["a-generator", { function: "count" }],
    ["an-async-generator", { function: "stream" }],
    ["an-arrow-function", { function: "double" }],
    ["an-async-generic-arrow-function", { function: "later" }],
    ["a-function-expression", { function: "named" }],
    ["a-value-typed-like-a-dependency", { function: "read" }],
    ["a-value-from-a-dependency", { function: "parser" }],
    ["a-bound-function", { function: "bound" }],
    ["a-function-type", { function: "Handler" }],
    ["a-value-of-a-function-type", { function: "onText" }],
    ["call-and-construct-signatures", { function: "Factory" }],
    ["a-value-with-call-and-construct-signatures", { function: "factory" }],
    ["an-abstract-constructor-type", { function: "Maker" }],
    ["a-class-with-overloaded-constructors", { function: "Counter" }],
    ["a-constructor", { function: "Counter.constructor" }],
    ["an-inherited-constructor", { function: "Timer" }],
    ["an-abstract-class", { function: "Job" }],
    ["a-generic-class", { function: "Store" }],
    ["a-method-that-returns-this", { function: "Counter.step" }],
    ["a-method-that-narrows-this", { function: "Counter.isFull" }],
    ["a-static-method", { function: "Counter.of" }],
    ["a-method-in-a-property", { function: "Counter.reset" }],
    ["overloads-of-a-method", { function: "Store.put" }],
    ["an-abstract-method", { function: "Job.run" }],
    ["an-optional-method", { function: "Factory.make" }],
    ["a-property-with-a-function-type", { function: "Factory.build" }],
    ["a-method-of-an-object", { function: "table.plain" }],
    ["an-arrow-function-of-an-object", { function: "table.arrow" }],
    ["a-union-of-functions", { function: "either" }],
    ["an-unnamed-default-export", { function: "src/inside.ts#default" }],
    ["a-dependency", { function: "kit#parse" }],
    ["a-class-of-a-dependency", { function: "kit#Shelf" }],
    ["a-package-assigned-to-its-exports", { function: "old-kit#oldKit" }],
    ["javascript-with-comments", { function: "times" }],
    ["a-global", { function: "Promise" }],
    ["a-method-of-a-global", { function: "Array.map" }],
    ["a-file-with-syntax-errors", { function: "src/unfinished.ts#open" }],
    ["a-constant", { function: "notCallable" }],
    ["a-getter", { function: "Counter.total" }],
    ["an-interface", { function: "Options" }],
    ["an-enum", { function: "Level" }],
    ["a-namespace", { function: "Tools" }],
    ["an-ambiguous-name", { function: "rename" }],
    ["an-unknown-name", { function: "joyn" }],
    ["a-file", { function: "src/functions.ts" }],
    ["a-function-merged-with-a-namespace", { function: "overloaded" }],
    ["a-function-that-returns-a-generic-one", { function: "curried" }],
    ["a-class-over-a-mixin", { function: "Clock" }],
    ["an-unnamed-class", { function: "src/unusual.ts#default" }],
    ["a-static-async-generator", { function: "Dial.stream" }],
    ["a-page", { function: "join", limit: 1, cursor: "1" }],
  ])("%s", async (name, args) => {
    await expect(await ask(tool, args)).toMatchFileSnapshot(`snapshots/function-arglist/${name}.txt`);
  });

  it("reads text that is not saved", async () => {
    edit("src/inside.ts", "export function fresh(value: bigint, ...more: boolean[]): void {}\n");
    expect(await ask(tool, { function: "fresh" })).toContain("fresh(value: bigint, ...more: boolean[]): void");
    close("src/inside.ts");
  });

  it.each(["", "   "])("asks for a name when it gets %j", async (name) => {
    await expect(ask(tool, { function: name })).rejects.toThrow("Name the function");
  });
});
