/** Packages that belong to the same workspace as an open folder and are not open: whatever they use, no answer has. */
import { dirname, join, relative, sep } from "node:path";
import { isMember, memberPatterns } from "../../../workspace/member-patterns.ts";
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

/** The folder above an open one that names it, or what it lies in, among its packages. */
function workspaceAround(folder: string): string | undefined {
  if (!workspaces.has(folder)) workspaces.set(folder, nearestWorkspace(folder, dirname(folder)));
  return workspaces.get(folder);
}

function nearestWorkspace(folder: string, above: string): string | undefined {
  const textIn = (name: string): string => textOf(join(above, name));
  const patterns = memberPatterns(workspacesIn(textIn("package.json")), textIn("pnpm-workspace.yaml"));
  if (patterns.length > 0) return isMember(above, folder, patterns) ? above : undefined;
  if (/"workspace"\s*:/.test(textIn("deno.json"))) return above;
  return dirname(above) === above ? undefined : nearestWorkspace(folder, dirname(above));
}

function workspacesIn(manifest: string): unknown {
  try {
    return (JSON.parse(manifest) as { readonly workspaces?: unknown } | null)?.workspaces;
  } catch {
    return undefined;
  }
}

function textOf(file: string): string {
  try {
    return readRegularTextSync(file, { lossy: true });
  } catch {
    return "";
  }
}
