import { afterAll, describe, expect, it } from "vitest";
import { createWhoCalls } from "../../server/src/tools/introspection/who-calls.ts";
import { createWhoReferences } from "../../server/src/tools/introspection/who-references.ts";
import { openProject } from "../unit/typescript/with-typescript.ts";
import { openFixture } from "./ask-fixture.ts";

const { service, ask } = openFixture("xref-project");
const tool = createWhoReferences(service);
afterAll(() => service.dispose());

describe("who_references", () => {
  it.each([
    ["a-variable-across-projects", { symbol: "lines" }],
    ["a-variable-of-a-namespace", { symbol: "Settings.threshold" }],
    ["every-way-to-write", { symbol: "observe.ts#calls" }],
    ["a-list-that-is-changed", { symbol: "history" }],
    ["a-static-property", { symbol: "Figure.made" }],
    ["a-property-of-an-interface", { symbol: "Named.name" }],
    ["a-private-name", { symbol: "LastStore.#value" }],
    ["an-enum-member", { symbol: "Level.Info" }],
    ["an-enum", { symbol: "Level" }],
    ["an-interface", { symbol: "Drawable" }],
    ["a-class", { symbol: "Circle" }],
    ["a-function", { symbol: "log" }],
    ["a-component-and-its-tags", { symbol: "Panel" }],
    ["a-property-that-a-tag-sets", { symbol: "PanelProps.shape" }],
    ["a-decorator", { symbol: "observe" }],
    ["a-namespace-export", { symbol: "packages/core/src/index.ts#logging" }],
    ["a-name-that-is-type-and-value", { symbol: "Signal" }],
    ["a-global-of-the-language", { symbol: "Map" }],
    ["only-writes", { symbol: "lines", only: "write" }],
    ["none-of-that-kind", { symbol: "history", only: "new" }],
    ["no-mentions", { symbol: "Mailbox" }],
    ["in-one-package", { symbol: "calls", path: "packages/app" }],
    ["a-method-of-a-literal", { symbol: "packages/app/src/panel.tsx#draw" }],
    ["an-ambiguous-name", { symbol: "describe" }],
    ["an-unknown-name", { symbol: "threshhold" }],
    ["an-empty-name", { symbol: "" }],
    ["the-first-page", { symbol: "log", limit: 4 }],
    ["the-second-page", { symbol: "log", limit: 4, cursor: "4" }],
  ])("%s", async (name, args) => {
    await expect(await ask(tool, args)).toMatchFileSnapshot(`snapshots/who-references/${name}.txt`);
  });

  it("refuses a cursor it did not give out", async () => {
    await expect(ask(tool, { symbol: "log", cursor: "nonsense" })).rejects.toThrow('The cursor "nonsense"');
  });
});

it.each([
  ["who_references", createWhoReferences],
  ["who_calls", createWhoCalls],
] as const)(
  "%s voices a doubt about a member that JavaScript may use through a value of unknown type",
  async (_name, make) => {
    const project = openProject({
      "tsconfig.json": JSON.stringify({ compilerOptions: { allowJs: true, module: "commonjs", types: [] } }),
      "tree.js":
        "class Tree {\n  walkAll(visit) {\n    return visit(this);\n  }\n  size() {}\n}\nmodule.exports = { Tree };\n",
      "use.js": "exports.run = (tree) => {\n  return tree.walkAll((node) => node.depth);\n};\n",
    });
    const own = make(project.service);
    const about = async (symbol: string): Promise<unknown> =>
      own.run({ symbol }, { callId: "1", caller: "model", signal: AbortSignal.timeout(60_000) });
    try {
      expect(await about("tree.js#Tree.walkAll")).toMatchObject({
        complete: false,
        notes: expect.arrayContaining([
          "May be tree.js#Tree.walkAll too, but the value's type is unknown in JavaScript: .walkAll at use.js:2.",
        ]),
      });
      expect(await about("tree.js#Tree.size")).toMatchObject({ complete: true });
    } finally {
      await project.dispose();
    }
  },
);
