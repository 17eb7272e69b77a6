/** What an edit costs the compiler: it must not read every installed package to have auto-imports ready for nobody. */
import { afterEach, expect, it, vi } from "vitest";
import { watchChildren } from "./session/compiler-children.ts";
import { openProject, type TestProject } from "./with-typescript.ts";

/** Written by the compiler to its log when it reads the installed packages. */
const READS_PACKAGES = /Building node_modules indexes/g;
const text = "export const one = 1;\n";

let project: TestProject;
let said = "";
const stopWatching = watchChildren((child) => {
  child.stdout?.on("data", (bytes: Buffer) => {
    said += bytes.toString();
  });
});
afterEach(async () => {
  stopWatching();
  await project.dispose();
});

it("an edit of one open file makes the compiler read no installed package", async () => {
  project = openProject({
    "tsconfig.json":
      '{ "compilerOptions": { "lib": ["es2022"], "types": [], "module": "nodenext" }, "include": ["src"] }',
    "package.json": '{ "dependencies": { "shapes": "1" } }',
    "node_modules/shapes/package.json": '{ "name": "shapes", "version": "1.0.0", "types": "index.d.ts" }',
    "node_modules/shapes/index.d.ts": "export declare function neverImported(): void;\n",
    "src/a.ts": text,
  });
  const { service } = project;
  const uri = project.uri("src/a.ts");
  service.documents.didOpen({ uri, languageId: "typescript", version: 1, text });
  await project.describe({ symbol: "one" });
  service.documents.didChange({ uri, version: 2, text: `${text}export const two = one;\n` });
  expect((await project.describe({ symbol: "two" })).content).toContain("src/a.ts");
  expect(said).toContain("textDocument/didChange");
  expect(said.match(READS_PACKAGES)).toBeNull();
  // The same edit told as the one change it is: this version of the compiler does read them, and says so in these words.
  await service.query(async (view) => {
    const { native } = view.state;
    const contentChanges = [{ text: `${text}export const three = one;\n` }];
    await native.notify("textDocument/didChange", { textDocument: { uri, version: 1_000 }, contentChanges });
    await native.request("textDocument/foldingRange", { textDocument: { uri } });
  }, AbortSignal.timeout(30_000));
  await vi.waitUntil(() => said.match(READS_PACKAGES) !== null, { timeout: 40_000 });
});
