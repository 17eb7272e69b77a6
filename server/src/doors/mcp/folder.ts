/** The folder that an MCP client's calls are about. Hosts start their servers anywhere, often in the home folder. */
import { homedir } from "node:os";
import { resolve } from "node:path";
import { isFolder } from "../../workspace/file-names.ts";

/** What `--root` names: no shell replaces the `~` of a host's settings. `why` is the sentence for what is no folder. */
export function folderGiven(root: string): { readonly path: string; readonly why?: string } {
  const path = resolve(root.replace(/^~(?=$|[/\\])/, () => homedir()));
  if (isFolder(path)) return { path };
  return { path, why: `--root takes the folder of a project: ${path} is no folder.` };
}

/** For the model, where the client's folder can be no project; `folders` are those that are none. */
export function noProject(folders: readonly string[]): string {
  return (
    `NOT RUN: this server works in ${folders.join(", ")}, which is no project. The person starts the client in the ` +
    "project's folder, or the server with its folder: agentq mcp --root FOLDER."
  );
}
