import { afterAll, describe, expect, it } from "vitest";
import { createAproposSearch } from "../../server/src/tools/introspection/apropos-search.ts";
import { openProject } from "../unit/typescript/with-typescript.ts";
import { openFixture } from "./ask-fixture.ts";

const { service, ask } = openFixture("ts-project");
const tool = createAproposSearch(service);
afterAll(() => service.dispose());

describe("apropos_search", () => {
  it.each([
    ["a-substring", { pattern: "area", path: "tsconfig.json" }],
    ["camel-humps", { pattern: "prLi", path: "tsconfig.json" }],
    ["a-regular-expression", { pattern: "/^re/i", path: "tsconfig.json" }],
    ["only-some-kinds", { pattern: "s", path: "tsconfig.json", kinds: ["class", "type"] }],
    ["functions-and-arrow-functions", { pattern: "t", path: "src/shop.ts", kinds: ["function"] }],
    ["globals-after-the-project", { pattern: "Rectangle", limit: 4 }],
    ["a-page", { pattern: "r", path: "tsconfig.json", limit: 3, cursor: "3" }],
    ["nothing", { pattern: "zzzz" }],
    ["nothing-of-the-kind", { pattern: "Rectangle", path: "tsconfig.json", kinds: ["enum"] }],
    ["an-unknown-package", { pattern: "a", path: "nowhere" }],
  ])("%s", async (name, args) => {
    await expect(await ask(tool, args)).toMatchFileSnapshot(`snapshots/apropos-search/${name}.txt`);
  });

  it("tells members of what tests declare behind all that sources declare", async () => {
    const project = openProject({
      "tsconfig.json": '{ "compilerOptions": { "types": [] }, "include": ["src", "test"] }',
      "src/model.ts":
        "export function processModel() { return genModelProps(); }\nfunction genModelProps() { return 1; }\n",
      "test/model.test.ts":
        "export const props = { data: { model: 1 } };\nexport class Fake { model = 1; }\nexport const model = 2;\n",
    });
    const { content } = await project.apropos({ pattern: "model", path: "tsconfig.json", limit: 3 });
    await project.dispose();
    expect(content.match(/\S+(?=  \d+: )/g)).toEqual(["test/model.test.ts#model", "processModel", "genModelProps"]);
  });

  it("searches all of a folder that has an index file", async () => {
    expect(await ask(tool, { pattern: "area", path: "src" })).toContain("5 symbols match area\n  src/shapes.ts#");
    expect(await ask(tool, { pattern: "area", path: "src/index.ts" })).toContain("No symbol matches");
  });

  it("refuses a broken regular expression, and one that never ends", async () => {
    await expect(ask(tool, { pattern: "/(/" })).rejects.toThrow("not a regular expression");
    // No name is long enough to make this one run away; it must simply answer.
    expect(await ask(tool, { pattern: "/^(a+)+$/", path: "tsconfig.json" })).toContain("No symbol matches");
  });
});
