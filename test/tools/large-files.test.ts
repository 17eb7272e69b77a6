/** Files that are more likely made than written: their names are found like any other, and where there is an end it is said. */
import { afterEach, expect, it } from "vitest";
import { createListPackageSymbols } from "../../server/src/tools/introspection/list-package-symbols.ts";
import type { ToolAnswer } from "../../server/src/tools/tool.ts";
import { openProject, type TestProject } from "../unit/typescript/with-typescript.ts";
import { itAtLength } from "../support/extent.ts";

let project: TestProject | undefined;
afterEach(() => project?.dispose());

const STORE =
  "function Store() {\n  this.items = [];\n}\nStore.prototype.add = function (item) {\n  this.items.push(item);\n};\nmodule.exports.Store = Store;\n";
const USE = 'const { Store, step7 } = require("./made");\nnew Store().add(step7(1, 2));\n';

/** A CommonJS module of at least that many characters that ends with `Store`. */
function madeModule(length: number): string {
  const parts: string[] = [];
  for (let made = 0, step = 0; made < length; step += 1) {
    const part = `exports.step${step} = function (a, b) {\n  return { sum: a + b + ${step}, text: "step ${step}" };\n};\n`;
    made += part.length;
    parts.push(part);
  }
  return `${parts.join("")}${STORE}`;
}

itAtLength(
  "what assignments declare in a module of more than a million characters has addresses and callers",
  async () => {
    project = openProject({ "made.js": madeModule(1_100_000), "use.js": USE });
    const { content } = await project.describe({ symbol: "Store.add" });
    expect(content).toContain("made.js#Store.add — method, line 36175\n  Store.prototype.add = function (item)");
    expect((await project.whoCalls({ symbol: "Store.add" })).content).toContain("use.js:2 (module): new Store");
    expect((await project.whoCalls({ symbol: "step7" })).content).toContain("use.js:2 (module): ");
  },
);

it("a name that is not found, and the list of what a file declares, say which file is too large for all of it", async () => {
  project = openProject({ "made.js": madeModule(1_600_000), "use.js": USE });
  const { content, complete, notes } = await project.describe({ symbol: "Store.add" });
  expect(content).toContain('No symbol "Store.add" in the loaded projects.');
  expect(complete).toBe(false);
  const note = "made.js is very large: only its outermost names were searched.";
  expect(notes).toContain(note);
  const context = { callId: "1", caller: "model", signal: AbortSignal.timeout(60_000) } as const;
  const args = { path: "made.js", include_internal: true, limit: 2 };
  const answer = (await createListPackageSymbols(project.service).run(args, context)) as ToolAnswer;
  expect(answer.complete).toBe(false);
  expect(answer.notes).toContain(note);
});
