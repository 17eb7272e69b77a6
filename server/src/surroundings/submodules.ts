/** Git looks into no submodule here, whose configuration may name programs of its own. */
import { existsSync } from "node:fs";
import { join } from "node:path";

export const SUBMODULES = "Submodules are not looked into";

export function hasSubmodules(folder: string): boolean {
  return existsSync(join(folder, ".gitmodules"));
}
