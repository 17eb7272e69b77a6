import { expect, it } from "vitest";
import { editedFiles } from "../../../server/src/tools/edit/edited-files.ts";
import { WorkspacePaths } from "../../../server/src/workspace/workspace-paths.ts";

const folder = process.cwd();
const paths = new WorkspacePaths([folder]);
const files = (edits: unknown) =>
  editedFiles(edits, (path) => paths.resolve(path))?.map((file) => file.slice(folder.length));

it("names the files of edits that change the text at their path alone, however the path is written", () => {
  const edits = [
    { op: "replace", path: "./server/../package.json" },
    { op: "create", path: `${folder}/new.ts` },
  ];
  expect(files(edits)).toEqual(["/package.json", "/new.ts"]);
});

it.each([
  ["that reach further", [{ op: "move", path: "package.json", to: "p.json" }]],
  ["of a symbol", [{ op: "replace_symbol", symbol: "src/a.ts#a" }]],
  ["that the tool does not know", [{ op: "burn", path: "package.json" }]],
  ["without a path", [{ op: "write" }]],
  ["outside of the workspace", [{ op: "write", path: "/etc/passwd" }]],
  ["that are no list", { op: "write", path: "package.json" }],
  ["that are no edits", [null]],
])("knows nothing of edits %s", (_, edits) => {
  expect(files(edits)).toBeUndefined();
});
