/** Packages that belong to the same workspace as an open folder and are not open: whatever they use, no answer has. */
import { dirname, join, relative, sep } from "node:path";
import { readRegularTextSync } from "../../../workspace/regular-file.ts";
import { exportedNodes } from "../../names/tree/checker-lookup.ts";
import type { Declaration } from "../../names/tree/declaration.ts";
import type { View } from "../../view.ts";

/** By open folder, for as long as the process runs. */
const workspaces = new Map<string, string | undefined>();

/** Adds a doubt for the reader where such a package can import the symbol. */
export async function doubtUnopened(view: View, declarations: readonly Declaration[]): Promise<void> {
  for (const { file, path, local } of declarations) {
    const folder = view.paths.folderOf(file);
    const root = folder === undefined || local ? undefined : workspaceAround(folder);
    if (folder === undefined || root === undefined) continue;
    if (view.paths.folders.some((each) => root === each || root.startsWith(each + sep))) continue;
    if ((await exportedNodes(view, file, path.split(".")[0] ?? "")).length === 0) continue;
    view.doubts.add(
      `Not searched: the other packages of the workspace at ${relative(folder, root)}, of which only this folder is open.`,
    );
    return;
  }
}

/** The folder above that one which says that its packages are one workspace. */
function workspaceAround(folder: string): string | undefined {
  if (!workspaces.has(folder)) workspaces.set(folder, nearestWorkspace(dirname(folder)));
  return workspaces.get(folder);
}

function nearestWorkspace(folder: string): string | undefined {
  const says = (name: string, key: RegExp): boolean => key.test(textOf(join(folder, name)));
  const isOne =
    says("pnpm-workspace.yaml", /^packages:/m) ||
    says("package.json", /"workspaces"\s*:/) ||
    says("deno.json", /"workspace"\s*:/);
  if (isOne) return folder;
  return dirname(folder) === folder ? undefined : nearestWorkspace(dirname(folder));
}

function textOf(file: string): string {
  try {
    return readRegularTextSync(file, { lossy: true });
  } catch {
    return "";
  }
}
