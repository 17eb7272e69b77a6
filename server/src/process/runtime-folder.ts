/** Where servers of one person find each other on one machine: a folder that nobody else can enter. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ownPlace } from "./own-place.ts";
import type { Variables } from "../base/variables.ts";

const OTHERS = 0o077;

/**
 * The folder, which is made where it is missing. Undefined where the system has no such place, or where others could have
 * put something into it.
 */
export function runtimeFolder(variables: Variables): string | undefined {
  // The temporary folder of macOS is the person's own already.
  const place = variables["XDG_RUNTIME_DIR"] ?? (process.platform === "darwin" ? tmpdir() : undefined);
  if (place === undefined || place === "" || process.getuid === undefined) return undefined;
  try {
    const found = ownPlace(join(place, "agentq"), OTHERS);
    return "folder" in found ? found.folder : undefined;
  } catch {
    return undefined;
  }
}
