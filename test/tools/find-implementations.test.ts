import { afterAll, describe, expect, it } from "vitest";
import { createFindImplementations } from "../../server/src/tools/introspection/find-implementations.ts";
import { openFixture } from "./ask-fixture.ts";

const { service, ask } = openFixture("xref-project");
const tool = createFindImplementations(service);
afterAll(() => service.dispose());

describe("find_implementations", () => {
  it.each([
    ["an-interface-across-projects", { symbol: "Drawable" }],
    ["a-merged-interface", { symbol: "packages/core/src/drawable.ts#Shape" }],
    ["a-generic-interface", { symbol: "Store" }],
    ["an-interface-that-is-called", { symbol: "Formatter" }],
    ["an-interface-that-asks-for-nothing", { symbol: "Marker" }],
    ["an-abstract-class", { symbol: "Figure" }],
    ["a-class-extended-by-another-name-and-a-mixin", { symbol: "Circle" }],
    ["a-type-alias", { symbol: "Brush" }],
    ["a-method-of-an-interface", { symbol: "Drawable.draw" }],
    ["a-method-of-a-generic-interface", { symbol: "Store.put" }],
    ["an-abstract-method", { symbol: "Figure.area" }],
    ["an-abstract-method-left-abstract", { symbol: "Template.body" }],
    ["a-static-method", { symbol: "Template.create" }],
    ["an-overridden-method", { symbol: "Circle.describe" }],
    ["an-accessor", { symbol: "Figure.title" }],
    ["a-property", { symbol: "Named.name" }],
    ["an-optional-property", { symbol: "Drawable.layer" }],
    ["an-overloaded-method", { symbol: "Reader.read" }],
    ["nothing-implements-it", { symbol: "Coin" }],
    ["a-function", { symbol: "log" }],
    ["an-enum", { symbol: "Level" }],
    ["a-constructor", { symbol: "Figure.constructor" }],
    ["a-private-method", { symbol: "Template.#frame" }],
    ["an-interface-that-another-package-adds-to", { symbol: "Shape" }],
    ["an-unknown-name", { symbol: "Drawabel" }],
    ["an-empty-name", { symbol: "" }],
    ["the-first-page", { symbol: "Named", limit: 3 }],
    ["the-second-page", { symbol: "Named", limit: 3, cursor: "3" }],
  ])("%s", async (name, args) => {
    await expect(await ask(tool, args)).toMatchFileSnapshot(`snapshots/find-implementations/${name}.txt`);
  });
});
