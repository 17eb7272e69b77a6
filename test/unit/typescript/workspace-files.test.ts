import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { FileChange, WorkspaceFiles } from "../../../server/src/typescript/workspace-files.ts";

let root: string;
const write = (path: string, text: string): void => {
  mkdirSync(join(root, path, ".."), { recursive: true });
  writeFileSync(join(root, path), text);
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "agentq-disk-"));
  write("src/a.ts", "1");
  write("node_modules/dep/index.ts", "1");
  write(".cache/b.ts", "1");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function looked(): Promise<WorkspaceFiles> {
  const disk = new WorkspaceFiles([root]);
  await disk.look();
  return disk;
}

it("finds sources outside installed packages and hidden folders, and calls the first look no change", async () => {
  const disk = await looked();
  expect(disk.sourceFiles()).toEqual([join(root, "src/a.ts")]);
  expect(disk.hasChanges()).toBe(false);
});

it("sees a file written, added in a new folder, and removed", async () => {
  const disk = await looked();
  write("src/a.ts", "longer");
  write("src/new/deep/b.ts", "1");
  await disk.look();
  expect(Object.fromEntries(disk.takeChanges())).toEqual({
    [join(root, "src/a.ts")]: FileChange.changed,
    [join(root, "src/new/deep/b.ts")]: FileChange.created,
  });
  rmSync(join(root, "src/new"), { recursive: true });
  await disk.look();
  expect(Object.fromEntries(disk.takeChanges())).toEqual({ [join(root, "src/new/deep/b.ts")]: FileChange.deleted });
});

it("notices that packages were installed", async () => {
  const disk = await looked();
  expect(disk.takeDependenciesChanged()).toBe(false);
  write("node_modules/.package-lock.json", "{}");
  await disk.look();
  expect(disk.takeDependenciesChanged()).toBe(true);
});

it("takes JavaScript for the sources of a workspace that has no TypeScript", async () => {
  rmSync(join(root, "src"), { recursive: true });
  write("main.js", "1");
  expect((await looked()).sourceFiles()).toEqual([join(root, "main.js")]);
});

it("names a folder that is not there, and one that goes away", async () => {
  const missing = new WorkspaceFiles([join(root, "nowhere")]);
  await missing.look();
  expect(missing.missingFolders()).toEqual([join(root, "nowhere")]);
  const disk = await looked();
  rmSync(root, { recursive: true });
  await disk.look();
  expect(disk.missingFolders()).toEqual([root]);
  expect(disk.sourceFiles()).toEqual([]);
});
