/** Git looks into no submodule here, whose configuration may name programs of its own. */
import { join } from "node:path";
import { workTreeOf } from "../process/git-folder.ts";
import { readRegularTextSync } from "../workspace/regular-file.ts";
import { existingRealPath } from "../workspace/real-path.ts";
import { isWithin } from "../workspace/within.ts";

export const SUBMODULES = "Submodules are not looked into";

/** Whether a folder has submodules; the folder may be anywhere in its repository. */
export function hasSubmodules(folder: string): boolean {
  const top = workTreeOf(folder);
  if (typeof top !== "string") return false;
  const listed = textOf(join(top, ".gitmodules"));
  const own = existingRealPath(folder) ?? folder;
  const paths = [...listed.matchAll(/^\s*path\s*=\s*"?(.*?)"?\s*$/gm)].map(([, path = ""]) => join(top, path));
  return paths.some((path) => isWithin(path, own));
}

function textOf(file: string): string {
  try {
    return readRegularTextSync(file);
  } catch {
    return "";
  }
}
