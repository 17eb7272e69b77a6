import { afterAll, describe, expect, it } from "vitest";
import { createWhoCalls } from "../../server/src/tools/introspection/who-calls.ts";
import { openFixture } from "./ask-fixture.ts";

const { service, ask } = openFixture("ts-project");
const tool = createWhoCalls(service);
afterAll(() => service.dispose());

describe("who_calls", () => {
  it.each([
    ["direct-calls-through-every-kind-of-import", { symbol: "format" }],
    ["one-overload", { symbol: "format#2" }],
    ["an-overload-that-is-not-there", { symbol: "format#7" }],
    ["new-and-implicit-super", { symbol: "Rectangle" }],
    ["a-class-run-by-super", { symbol: "Polygon" }],
    ["a-constructor", { symbol: "Rectangle.constructor" }],
    ["a-method-through-its-interface", { symbol: "Rectangle.area" }],
    ["an-interface-method", { symbol: "Shape.area" }],
    ["a-method-called-by-super", { symbol: "Polygon.describe" }],
    ["a-tagged-template", { symbol: "html" }],
    ["a-decorator", { symbol: "logged" }],
    ["a-decorator-factory", { symbol: "route" }],
    ["a-jsx-component", { symbol: "PriceTag" }],
    ["passed-as-a-value", { symbol: "Prices.priceOf" }],
    ["an-arrow-function", { symbol: "totalArea" }],
    ["a-helper-that-is-not-exported", { symbol: "round" }],
    ["a-file-that-no-tsconfig-includes", { symbol: "priceList" }],
    ["no-callers", { symbol: "Page.render" }],
    ["a-re-export-under-another-name", { symbol: "src/index.ts#Box" }],
    ["a-star-re-export", { symbol: "src/index.ts#ping" }],
    ["an-ambiguous-name", { symbol: "receipt" }],
    ["an-ambiguous-name-in-a-package", { symbol: "receipt", path: "src/shop" }],
    ["an-unknown-name", { symbol: "fromat" }],
    ["an-unknown-module", { symbol: "src/shapez.ts#format" }],
    ["a-tree-with-a-cycle", { symbol: "ping", depth: 3 }],
    ["a-tree", { symbol: "round", depth: 4 }],
    ["the-first-page", { symbol: "format", limit: 3 }],
    ["the-last-page", { symbol: "format", limit: 3, cursor: "6" }],
  ])("%s", async (name, args) => {
    await expect(await ask(tool, args)).toMatchFileSnapshot(`snapshots/who-calls/${name}.txt`);
  });

  it("refuses a cursor it did not give out", async () => {
    await expect(ask(tool, { symbol: "format", cursor: "nonsense" })).rejects.toThrow('The cursor "nonsense"');
  });
});
