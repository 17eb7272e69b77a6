import { afterAll, describe, expect, it } from "vitest";
import { createClassHierarchy } from "../../server/src/tools/introspection/class-hierarchy.ts";
import { openFixture } from "./ask-fixture.ts";

const { service, ask } = openFixture("xref-project");
const tool = createClassHierarchy(service);
afterAll(() => service.dispose());

describe("class_hierarchy", () => {
  it.each([
    ["a-class-in-the-middle", { symbol: "Circle" }],
    ["a-class-at-the-end", { symbol: "Coin" }],
    ["an-abstract-generic-class", { symbol: "Figure" }],
    ["an-interface-across-projects", { symbol: "Drawable" }],
    ["an-interface-that-many-share", { symbol: "Named" }],
    ["a-merged-interface", { symbol: "packages/core/src/drawable.ts#Shape" }],
    ["its-other-half-in-a-module-augmentation", { symbol: 'packages/app/src/panel.tsx#"@office/core".Shape' }],
    ["a-generic-interface", { symbol: "Store" }],
    ["type-arguments-that-arrive-at-the-top", { symbol: "NumberStore" }],
    ["an-interface-that-extends-with-arguments", { symbol: "Layered" }],
    ["up-into-the-language", { symbol: "MissingKey" }],
    ["down-from-the-language", { symbol: "Error" }],
    ["a-computed-base", { symbol: "Decorated" }],
    ["a-mixin", { symbol: "Timed.Timed" }],
    ["what-a-mixin-is-given", { symbol: "Plain" }],
    ["a-base-by-another-name", { symbol: "Oval" }],
    ["a-type-alias", { symbol: "Brush" }],
    ["a-class-that-implements-an-alias", { symbol: "Pen" }],
    ["a-class-without-a-name-of-its-own", { symbol: "Nothing" }],
    ["an-interface-that-asks-for-nothing", { symbol: "Marker" }],
    ["no-hierarchy", { symbol: "Mailbox" }],
    ["a-function", { symbol: "log" }],
    ["a-method", { symbol: "Circle.area" }],
    ["a-variable", { symbol: "lines" }],
    ["an-interface-that-another-package-adds-to", { symbol: "Shape" }],
    ["an-unknown-name", { symbol: "Circel" }],
    ["an-empty-name", { symbol: "" }],
    ["the-first-page", { symbol: "Named", limit: 5 }],
    ["the-second-page", { symbol: "Named", limit: 5, cursor: "5" }],
  ])("%s", async (name, args) => {
    await expect(await ask(tool, args)).toMatchFileSnapshot(`snapshots/class-hierarchy/${name}.txt`);
  });
});
