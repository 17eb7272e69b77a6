/**
 * Settings that package managers cannot run without, and that a project keeps with its sources: a program behind the
 * wall sees them as long as they hold no credential.
 */
import { basename } from "node:path";
import { readRegularTextSync } from "../../workspace/regular-file.ts";

const NEEDED = /^(?:\.yarnrc\.yml|bunfig\.toml)$/;
/** A credential itself, and not the name of a variable that has it. */
const CREDENTIAL =
  /(?:auth|token|passw|secret|credential|username)\w*["']?\s*[:=]\s*["']?(?!\$)[^\s"'#]|:\/\/[^\s/]*@/i;
const LIMIT = 100_000;

/** Whether it is such a file by its name and by what it holds; false for one that cannot be read. */
export function isNeeded(path: string): boolean {
  if (!NEEDED.test(basename(path))) return false;
  try {
    return !CREDENTIAL.test(readRegularTextSync(path, { limit: LIMIT }));
  } catch {
    return false;
  }
}
