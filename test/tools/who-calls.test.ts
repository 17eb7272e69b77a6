import { afterAll, describe, expect, it } from "vitest";
import { createWhoCalls } from "../../server/src/tools/introspection/who-calls.ts";
import { openFixture } from "./ask-fixture.ts";

const { service, ask } = openFixture("ts-project");
const tool = createWhoCalls(service);
afterAll(() => service.dispose());

describe("who_calls", () => {
  it.each([
    ["direct-calls-through-every-kind-of-import", { function: "format" }],
    ["one-overload", { function: "format#2" }],
    ["an-overload-that-is-not-there", { function: "format#7" }],
    ["new-and-implicit-super", { function: "Rectangle" }],
    ["a-class-run-by-super", { function: "Polygon" }],
    ["a-constructor", { function: "Rectangle.constructor" }],
    ["a-method-through-its-interface", { function: "Rectangle.area" }],
    ["an-interface-method", { function: "Shape.area" }],
    ["a-method-called-by-super", { function: "Polygon.describe" }],
    ["a-tagged-template", { function: "html" }],
    ["a-decorator", { function: "logged" }],
    ["a-decorator-factory", { function: "route" }],
    ["a-jsx-component", { function: "PriceTag" }],
    ["passed-as-a-value", { function: "Prices.priceOf" }],
    ["an-arrow-function", { function: "totalArea" }],
    ["a-helper-that-is-not-exported", { function: "round" }],
    ["a-file-that-no-tsconfig-includes", { function: "priceList" }],
    ["no-callers", { function: "Page.render" }],
    ["a-re-export-under-another-name", { function: "src/index.ts#Box" }],
    ["a-star-re-export", { function: "src/index.ts#ping" }],
    ["an-ambiguous-name", { function: "receipt" }],
    ["an-ambiguous-name-in-a-package", { function: "receipt", package: "src/shop" }],
    ["an-unknown-name", { function: "fromat" }],
    ["an-unknown-module", { function: "src/shapez.ts#format" }],
    ["a-tree-with-a-cycle", { function: "ping", depth: 3 }],
    ["a-tree", { function: "round", depth: 4 }],
    ["the-first-page", { function: "format", limit: 3 }],
    ["the-last-page", { function: "format", limit: 3, cursor: "6" }],
  ])("%s", async (name, args) => {
    await expect(await ask(tool, args)).toMatchFileSnapshot(`snapshots/who-calls/${name}.txt`);
  });

  it("refuses a cursor it did not give out", async () => {
    await expect(ask(tool, { function: "format", cursor: "nonsense" })).rejects.toThrow('The cursor "nonsense"');
  });
});
