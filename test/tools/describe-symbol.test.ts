import { afterAll, describe, expect, it } from "vitest";
import { createDescribeSymbol } from "../../server/src/tools/introspection/describe-symbol.ts";
import { openFixture } from "./ask-fixture.ts";

const { service, ask } = openFixture("ts-project");
const tool = createDescribeSymbol(service);
afterAll(() => service.dispose());

describe("describe_symbol", () => {
  it.each([
    ["a-function-with-overloads", { symbol: "format" }],
    ["one-overload", { symbol: "format#1" }],
    ["an-arrow-function", { symbol: "totalArea" }],
    ["an-abstract-class", { symbol: "Polygon" }],
    ["a-subclass", { symbol: "Rectangle" }],
    ["a-constructor", { symbol: "Polygon.constructor" }],
    ["an-accessor", { symbol: "Polygon.sides" }],
    ["a-private-name", { symbol: "Polygon.#sides" }],
    ["a-parameter-property", { symbol: "Circle.radius" }],
    ["an-interface", { symbol: "Shape" }],
    ["a-type-alias", { symbol: "AnyShape" }],
    ["an-enum", { symbol: "Unit" }],
    ["an-enum-member", { symbol: "Unit.Inch" }],
    ["a-namespace", { symbol: "Prices" }],
    ["a-constant", { symbol: "stock" }],
    ["an-object", { symbol: "handlers" }],
    ["a-method-of-an-object", { symbol: "handlers.onSale" }],
    ["a-default-export", { symbol: "fallback" }],
    ["what-a-type-stands-for", { symbol: "keyof Pick<Rectangle, 'area' | 'name'>" }],
    ["a-module", { symbol: "src/shop.ts" }],
    ["a-module-of-re-exports", { symbol: "src/index.ts" }],
    ["a-global-interface", { symbol: "ReadonlyArray", limit: 3 }],
    ["a-member-of-a-global", { symbol: "Array.map" }],
    ["a-page-of-members", { symbol: "Polygon", limit: 2, cursor: "2" }],
    ["nothing-by-that-name", { symbol: "Polygone" }],
  ])("%s", async (name, args) => {
    await expect(await ask(tool, args)).toMatchFileSnapshot(`snapshots/describe-symbol/${name}.txt`);
  });

  it("names the kind of a member that is assigned to a prototype in TypeScript", async () => {
    const uri = new URL("../fixtures/ts-project/src/index.ts", import.meta.url).href;
    const text =
      "declare global { interface Array<T> { lastOne(): T } }\n" +
      "Array.prototype.lastOne = function () { return this[0]; };\nexport {};\n";
    service.documents.didOpen({ uri, languageId: "typescript", version: 1, text });
    expect(await ask(tool, { symbol: "src/index.ts#Array.lastOne" })).toContain(
      "src/index.ts#Array.lastOne — variable, line 2",
    );
    service.documents.didClose({ uri });
  });
});
