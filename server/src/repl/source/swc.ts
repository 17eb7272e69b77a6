/** Loads swc when code needs swc: loading takes 50 ms, and there are places where swc cannot be loaded. */
import { createRequire } from "node:module";
import { join } from "node:path";

type Swc = Pick<typeof import("@swc/core"), "transformSync">;

/** Where swc unpacks its native part; by default a folder below HOME. */
const CACHE = "SWC_NATIVE_BINDING_CACHE";

let loaded: Swc | undefined;

/** Throws with every cause when swc cannot be loaded. */
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
 * swc refuses a folder in whose parents others may put something else, as HOME and TMPDIR are on some shared hosts
 * and in some containers. This user's folder in the system's temporary folder, where nobody replaces what is
 * another's, is accepted.
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
