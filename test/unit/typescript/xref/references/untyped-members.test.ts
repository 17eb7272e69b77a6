/** What an answer about a member says of uses in JavaScript through values of which nobody knows the type. */
import { afterEach, describe, expect, it } from "vitest";
import { findCallers } from "../../../../../server/src/typescript/xref/callers.ts";
import { resolveSymbol } from "../../../../../server/src/typescript/names/resolve-symbol.ts";
import { openProject, type TestProject } from "../../with-typescript.ts";

let project: TestProject | undefined;
afterEach(() => project?.dispose());

const config = '{ "compilerOptions": { "allowJs": true, "noEmit": true, "module": "nodenext", "types": [] } }';
const store = "export class Store {\n  save(item) {\n    return item;\n  }\n}\n";

async function doubtsOf(use: string): Promise<string[] | undefined> {
  project = openProject({
    "tsconfig.json": config,
    "package.json": '{ "type": "module" }',
    "store.js": store,
    "use.js": use,
  });
  return project.service.query(async (view) => {
    const resolution = await resolveSymbol(view, "store.js#Store.save");
    if (resolution.kind !== "found") throw new Error("store.js#Store.save is not found");
    await findCallers(view, resolution.target);
    expect(view.isComplete).toBe(view.doubts.size === 0);
    return [...view.doubts];
  }, AbortSignal.timeout(120_000));
}

const doubt = ["May be store.js#Store.save too, but the value's type is unknown in JavaScript: .save at use.js:2."];

describe("who calls a member is in doubt where JavaScript takes one of that name", () => {
  it.each([
    ["with a dot", "store.save(1);"],
    ["behind a question mark", "store?.save(1);"],
    ["by a string between brackets", 'store["save"](1);'],
    ["out of a value", "const { save } = store; save(1);"],
    ["out of a value, under another name", "const { save: keep } = store; keep(1);"],
    ["out of a value, by a string", 'const { "save": keep } = store; keep(1);'],
    ["into a variable that is there already", "let save; ({ save } = store); save(1);"],
  ])("%s", async (_how, statement) => {
    expect(await doubtsOf(`export function run(store) {\n  ${statement}\n}\n`)).toEqual(doubt);
  });

  it("out of a parameter", async () => {
    expect(await doubtsOf("export const run =\n  ({ save }) => save(1);\n")).toEqual(doubt);
  });
});

describe("who calls a member is certain", () => {
  it.each([
    ["where the value is known", 'import { Store } from "./store.js";\nconst { save } = new Store();\nsave(1);\n'],
    [
      "where another type has the member",
      "const other = { save: () => 1 };\nconst { save } = other;\nsave(other.save());\n",
    ],
    ["where only a literal has such a member", "export const run = () => ({ save: 1 });\n"],
  ])("%s", async (_where, use) => {
    expect(await doubtsOf(use)).toEqual([]);
  });
});
