/** Makes of a folder what the changes of a layer say, the way a person does who accepts all of them. */
import { chmodSync, copyFileSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { LayerChange } from "../../../server/src/sandbox/sandbox.ts";

export function applyChanges(changes: readonly LayerChange[], upper: string, folder: string): void {
  for (const { path, before, after } of changes) {
    const staysFolder = before?.kind === "folder" && after?.kind === "folder";
    if (before !== undefined && !staysFolder) rmSync(join(folder, path), { recursive: true, force: true });
  }
  for (const { path, after } of changes) {
    const at = join(folder, path);
    if (after?.kind === "folder") mkdirSync(at, { recursive: true });
    if (after?.kind === "file") copyFileSync(join(upper, path), at);
    if (after?.kind === "link") symlinkSync(after.target, at);
    if (after?.kind === "file" || after?.kind === "folder") chmodSync(at, after.mode);
  }
}
