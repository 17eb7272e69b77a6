import { afterAll, describe, expect, it } from "vitest";
import { createClassHierarchy } from "../../server/src/tools/introspection/class-hierarchy.ts";
import { openFixture } from "./ask-fixture.ts";

const { service, ask } = openFixture("xref-project");
const tool = createClassHierarchy(service);
afterAll(() => service.dispose());

describe("class_hierarchy", () => {
  it.each([
    ["a-class-in-the-middle", { class: "Circle" }],
    ["a-class-at-the-end", { class: "Coin" }],
    ["an-abstract-generic-class", { class: "Figure" }],
    ["an-interface-across-projects", { class: "Drawable" }],
    ["an-interface-that-many-share", { class: "Named" }],
    ["a-merged-interface", { class: "packages/core/src/drawable.ts#Shape" }],
    ["its-other-half-in-a-module-augmentation", { class: 'packages/app/src/panel.tsx#"@office/core".Shape' }],
    ["a-generic-interface", { class: "Store" }],
    ["type-arguments-that-arrive-at-the-top", { class: "NumberStore" }],
    ["an-interface-that-extends-with-arguments", { class: "Layered" }],
    ["up-into-the-language", { class: "MissingKey" }],
    ["down-from-the-language", { class: "Error" }],
    ["a-computed-base", { class: "Decorated" }],
    ["a-mixin", { class: "Timed.Timed" }],
    ["what-a-mixin-is-given", { class: "Plain" }],
    ["a-base-by-another-name", { class: "Oval" }],
    ["a-type-alias", { class: "Brush" }],
    ["a-class-that-implements-an-alias", { class: "Pen" }],
    ["a-class-without-a-name-of-its-own", { class: "Nothing" }],
    ["an-interface-that-asks-for-nothing", { class: "Marker" }],
    ["no-hierarchy", { class: "Mailbox" }],
    ["a-function", { class: "log" }],
    ["a-method", { class: "Circle.area" }],
    ["a-variable", { class: "lines" }],
    ["an-ambiguous-name", { class: "Shape" }],
    ["an-unknown-name", { class: "Circel" }],
    ["an-empty-name", { class: "" }],
    ["the-first-page", { class: "Named", limit: 5 }],
    ["the-second-page", { class: "Named", limit: 5, cursor: "5" }],
  ])("%s", async (name, args) => {
    await expect(await ask(tool, args)).toMatchFileSnapshot(`snapshots/class-hierarchy/${name}.txt`);
  });
});
