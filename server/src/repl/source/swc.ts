/** Loads swc only when code needs it: loading takes 50 ms, and in some places swc cannot be loaded. */
import { createRequire } from "node:module";
import { join } from "node:path";

type Swc = Pick<typeof import("@swc/core"), "transformSync">;

/** The variable with the folder into which swc unpacks its native part; by default a folder below HOME. */
const CACHE = "SWC_NATIVE_BINDING_CACHE";

let loaded: Swc | undefined;

/** Throws an error with all causes when swc cannot be loaded. */
export function swc(): Swc {
  return (loaded ??= loadWith(undefined) ?? loadWith(ownCache()) ?? fail());
}

/** A failure is not reported here: the code that needs swc reports the failure. */
export function loadSwcAhead(): void {
  try {
    swc();
  } catch {}
}

let why: unknown;

function loadWith(cache: string | undefined): Swc | undefined {
  if (cache !== undefined) process.env[CACHE] ??= cache;
  try {
    return createRequire(import.meta.url)("@swc/core") as Swc;
  } catch (error) {
    why = error;
    return undefined;
  }
}

/**
 * swc refuses a folder when other users may write to one of its parents, as HOME and TMPDIR allow on some shared hosts
 * and in some containers. This folder belongs to the user and is in the system's own temporary folder, where nobody can
 * replace another user's files.
 */
function ownCache(): string | undefined {
  const uid = process.getuid?.();
  return uid === undefined ? undefined : join("/tmp", `agentq-swc-${uid}`);
}

function fail(): never {
  const { message, cause } = why instanceof Error ? why : new Error(String(why));
  const causes = (Array.isArray(cause) ? cause : [cause]).flatMap((each) =>
    each instanceof Error ? [each.message.split("\n")[0]] : [],
  );
  throw new Error([`swc, which transpiles this code, cannot be loaded: ${message}`, ...causes].join("; "), {
    cause: why,
  });
}
