import { afterAll, describe, expect, it } from "vitest";
import { createMethodSpecializers } from "../../server/src/tools/introspection/method-specializers.ts";
import { openFixture } from "./ask-fixture.ts";

const { service, ask } = openFixture("xref-project");
const tool = createMethodSpecializers(service);
afterAll(() => service.dispose());

describe("method_specializers", () => {
  it.each([
    ["a-function-with-overloads", { symbol: "parseLength" }],
    ["one-overload", { symbol: "parseLength#2" }],
    ["an-arrow-function", { symbol: "identity" }],
    ["a-method-of-an-interface", { symbol: "Drawable.draw" }],
    ["a-method-of-a-generic-interface", { symbol: "Store.put" }],
    ["an-abstract-method", { symbol: "Figure.area" }],
    ["an-abstract-method-left-abstract", { symbol: "Template.body" }],
    ["a-method-in-the-middle", { symbol: "Circle.describe" }],
    ["a-method-at-the-end", { symbol: "Disc.describe" }],
    ["a-method-of-class-and-interface", { symbol: "Circle.area" }],
    ["an-overloaded-method", { symbol: "Reader.read" }],
    ["an-overriding-overloaded-method", { symbol: "EagerReader.read" }],
    ["an-accessor", { symbol: "Figure.title" }],
    ["a-property", { symbol: "Named.name" }],
    ["a-parameter-property", { symbol: "Circle.radius" }],
    ["a-static-method", { symbol: "Template.create" }],
    ["a-private-method", { symbol: "Template.#frame" }],
    ["a-constructor", { symbol: "Figure.constructor" }],
    ["a-method-of-an-object-literal", { symbol: "dot.draw" }],
    ["a-method-through-a-mixin", { symbol: "Badge.draw" }],
    ["a-class", { symbol: "Circle" }],
    ["an-enum", { symbol: "Level" }],
    ["a-variable", { symbol: "lines" }],
    ["an-ambiguous-name", { symbol: "describe" }],
    ["an-unknown-name", { symbol: "Circle.aera" }],
    ["an-empty-name", { symbol: "" }],
    ["the-first-page", { symbol: "Drawable.draw", limit: 3 }],
    ["the-second-page", { symbol: "Drawable.draw", limit: 3, cursor: "3" }],
  ])("%s", async (name, args) => {
    await expect(await ask(tool, args)).toMatchFileSnapshot(`snapshots/method-specializers/${name}.txt`);
  });
});
