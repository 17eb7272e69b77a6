/** How a program of the person's is called, and where editors find it. */
import { basename } from "node:path";
import type { Variables } from "../../base/variables.ts";
import { runtimeFolder } from "../../process/runtime-folder.ts";
import type { RunFacts } from "../../repl/child/wire/app-frames.ts";
import { existingRealPath } from "../../workspace/real-path.ts";

const NAME = /^[\w.-]{1,40}$/;

/** A socket's path may have about a hundred characters, 40 of them for the file. */
const MAX_PATH = 63;

export const NO_PLACE =
  "programs and editors find each other in a folder that is yours alone and has a short path: set XDG_RUNTIME_DIR to one.";

export function nameProblem(name: string): string | undefined {
  return NAME.test(name) ? undefined : `--name takes letters, digits, ".", "_" and "-", at most 40: "${name}".`;
}

/** Undefined where there is no place for sockets. */
export function runFacts(name: string | undefined, folder: string, variables: Variables): RunFacts | undefined {
  const sockets = runtimeFolder(variables);
  if (sockets === undefined || Buffer.byteLength(sockets) > MAX_PATH) return undefined;
  const root = existingRealPath(folder) ?? folder;
  return { name: name ?? nameOf(root), root, sockets };
}

function nameOf(root: string): string {
  return (
    basename(root)
      .replaceAll(/[^\w.-]+/g, "-")
      .slice(0, 40) || "app"
  );
}
