/** Where servers of one person find each other on one machine: a folder that nobody else can enter. */
import { existsSync } from "node:fs";
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
  const place = variables["XDG_RUNTIME_DIR"] ?? usualPlace();
  if (place === undefined || place === "" || process.getuid === undefined) return undefined;
  try {
    const found = ownPlace(join(place, "agentq"), OTHERS);
    return "folder" in found ? found.folder : undefined;
  } catch {
    return undefined;
  }
}

/** Some programs start others without the variable. The temporary folder of macOS is the person's own already. */
function usualPlace(): string | undefined {
  if (process.platform === "darwin") return tmpdir();
  const place = `/run/user/${process.getuid?.() ?? ""}`;
  return process.platform === "linux" && existsSync(place) ? place : undefined;
}
