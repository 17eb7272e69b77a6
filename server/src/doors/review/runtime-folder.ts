/** Where servers of one person find each other on one machine: a folder that nobody else can enter. */
import { lstatSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const OTHERS = 0o077;

/**
 * The folder, which is made where it is missing. Undefined where the system has no such place, or where others could have
 * put something into it.
 */
export function runtimeFolder(variables: Readonly<Record<string, string | undefined>>): string | undefined {
  // The temporary folder of macOS is the person's own already.
  const place = variables["XDG_RUNTIME_DIR"] ?? (process.platform === "darwin" ? tmpdir() : undefined);
  const own = process.getuid?.();
  if (place === undefined || place === "" || own === undefined) return undefined;
  const folder = join(place, "agentq");
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch {
    // It is there already, or cannot be: what counts is what is there now.
  }
  const found = lstatSync(folder, { throwIfNoEntry: false });
  const isOurs = found?.isDirectory() === true && found.uid === own && (found.mode & OTHERS) === 0;
  return isOurs ? folder : undefined;
}
