import { afterAll, describe, expect, it } from "vitest";
import { createMethodSpecializers } from "../../server/src/tools/introspection/method-specializers.ts";
import { openFixture } from "./ask-fixture.ts";

const { service, ask } = openFixture("xref-project");
const tool = createMethodSpecializers(service);
afterAll(() => service.dispose());

describe("method_specializers", () => {
  it.each([
    ["a-function-with-overloads", { generic_function: "parseLength" }],
    ["one-overload", { generic_function: "parseLength#2" }],
    ["an-arrow-function", { generic_function: "identity" }],
    ["a-method-of-an-interface", { generic_function: "Drawable.draw" }],
    ["a-method-of-a-generic-interface", { generic_function: "Store.put" }],
    ["an-abstract-method", { generic_function: "Figure.area" }],
    ["an-abstract-method-left-abstract", { generic_function: "Template.body" }],
    ["a-method-in-the-middle", { generic_function: "Circle.describe" }],
    ["a-method-at-the-end", { generic_function: "Disc.describe" }],
    ["a-method-of-class-and-interface", { generic_function: "Circle.area" }],
    ["an-overloaded-method", { generic_function: "Reader.read" }],
    ["an-overriding-overloaded-method", { generic_function: "EagerReader.read" }],
    ["an-accessor", { generic_function: "Figure.title" }],
    ["a-property", { generic_function: "Named.name" }],
    ["a-parameter-property", { generic_function: "Circle.radius" }],
    ["a-static-method", { generic_function: "Template.create" }],
    ["a-private-method", { generic_function: "Template.#frame" }],
    ["a-constructor", { generic_function: "Figure.constructor" }],
    ["a-method-of-an-object-literal", { generic_function: "dot.draw" }],
    ["a-method-through-a-mixin", { generic_function: "Badge.draw" }],
    ["a-class", { generic_function: "Circle" }],
    ["an-enum", { generic_function: "Level" }],
    ["a-variable", { generic_function: "lines" }],
    ["an-ambiguous-name", { generic_function: "describe" }],
    ["an-unknown-name", { generic_function: "Circle.aera" }],
    ["an-empty-name", { generic_function: "" }],
    ["the-first-page", { generic_function: "Drawable.draw", limit: 3 }],
    ["the-second-page", { generic_function: "Drawable.draw", limit: 3, cursor: "3" }],
  ])("%s", async (name, args) => {
    await expect(await ask(tool, args)).toMatchFileSnapshot(`snapshots/method-specializers/${name}.txt`);
  });
});
