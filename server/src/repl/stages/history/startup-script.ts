/** The file that the person chose to run at each start of the REPL. */
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { readRegularText } from "../../../workspace/regular-file.ts";
import type { StartupScript } from "./restarts.ts";

/**
 * `path` is absolute, begins with `~/`, or is relative to the workspace's first folder; none where it is empty. The editor's
 * user names it: a repository has no say in the choice.
 */
export function startupScript(path: string | undefined, folder: string): StartupScript | undefined {
  if (path === undefined || path === "") return undefined;
  const file = path.startsWith("~/") ? join(homedir(), path.slice(2)) : isAbsolute(path) ? path : join(folder, path);
  return { path, read: () => readRegularText(file) };
}
