/** `get_project_root`: the workspace folder, the nearest package.json and the git repository of a path. */
import { lstat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { readConfigFile } from "../../workspace/config-file.ts";
import { isWithin } from "../../workspace/within.ts";
import { defineTool, ToolFailure, type Tool } from "../tool.ts";
import type { DirectoryPorts } from "./list-directory.ts";

/** For callers who know the name: the model is told the workspace folder when a conversation begins. */
export function createGetProjectRoot(ports: Pick<DirectoryPorts, "resolvePath" | "folders">): Tool {
  return defineTool({
    name: "get_project_root",
    description: "The workspace folders; the nearest package.json and the git repository of a path.",
    categories: ["filesystem"],
    isOffered: false,
    input: { type: "object", properties: { path: { type: "string" } }, additionalProperties: false },
    run: async ({ path = "." }) => {
      const resolution = ports.resolvePath(path.trim() === "" ? "." : path);
      if (!resolution.ok) throw new ToolFailure(resolution.reason);
      const { absolute } = resolution.path;
      const folders = ports.folders();
      const home = folders.find((folder) => isWithin(absolute, folder)) ?? absolute;
      const found = await nearest(absolute, "package.json", home);
      const git = await nearest(absolute, ".git");
      return [
        `Workspace ${folders.length === 1 ? "folder" : "folders"}: ${folders.join(", ")}`,
        found === undefined ? "No package.json." : describePackage(found, home),
        git === undefined ? "No git repository." : `Git repository: ${dirname(git)}`,
      ].join("\n");
    },
  });
}

function describePackage(file: string, home: string): string {
  const { name } = readConfigFile(file);
  const where = relative(home, file).split(sep).join("/");
  return `package.json: ${where}${typeof name === "string" ? ` (${JSON.stringify(name.slice(0, 214))})` : ""}`;
}

/** The first one of that name in the folder or above, up to `top`. */
async function nearest(from: string, name: string, top?: string): Promise<string | undefined> {
  for (let folder = from; ; folder = dirname(folder)) {
    const file = join(folder, name);
    const isThere = await lstat(file).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
    if (folder === top || folder === dirname(folder)) return undefined;
  }
}
