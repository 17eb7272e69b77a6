import { afterAll, describe, expect, it } from "vitest";
import { createWhoReferences } from "../../server/src/tools/introspection/who-references.ts";
import { openFixture } from "./ask-fixture.ts";

const { service, ask } = openFixture("xref-project");
const tool = createWhoReferences(service);
afterAll(() => service.dispose());

describe("who_references", () => {
  it.each([
    ["a-variable-across-projects", { variable: "lines" }],
    ["a-variable-of-a-namespace", { variable: "Settings.threshold" }],
    ["every-way-to-write", { variable: "observe.ts#calls" }],
    ["a-list-that-is-changed", { variable: "history" }],
    ["a-static-property", { variable: "Figure.made" }],
    ["a-property-of-an-interface", { variable: "Named.name" }],
    ["a-private-name", { variable: "LastStore.#value" }],
    ["an-enum-member", { variable: "Level.Info" }],
    ["an-enum", { variable: "Level" }],
    ["an-interface", { variable: "Drawable" }],
    ["a-class", { variable: "Circle" }],
    ["a-function", { variable: "log" }],
    ["a-component-and-its-tags", { variable: "Panel" }],
    ["a-property-that-a-tag-sets", { variable: "PanelProps.shape" }],
    ["a-decorator", { variable: "observe" }],
    ["a-namespace-export", { variable: "packages/core/src/index.ts#logging" }],
    ["a-name-that-is-type-and-value", { variable: "Signal" }],
    ["a-global-of-the-language", { variable: "Map" }],
    ["only-writes", { variable: "lines", only: "write" }],
    ["none-of-that-kind", { variable: "history", only: "new" }],
    ["no-mentions", { variable: "Mailbox" }],
    ["in-one-package", { variable: "calls", package: "packages/app" }],
    ["a-method-of-a-literal", { variable: "packages/app/src/panel.tsx#draw" }],
    ["an-ambiguous-name", { variable: "describe" }],
    ["an-unknown-name", { variable: "threshhold" }],
    ["an-empty-name", { variable: "" }],
    ["the-first-page", { variable: "log", limit: 4 }],
    ["the-second-page", { variable: "log", limit: 4, cursor: "4" }],
  ])("%s", async (name, args) => {
    await expect(await ask(tool, args)).toMatchFileSnapshot(`snapshots/who-references/${name}.txt`);
  });

  it("refuses a cursor it did not give out", async () => {
    await expect(ask(tool, { variable: "log", cursor: "nonsense" })).rejects.toThrow('The cursor "nonsense"');
  });
});
