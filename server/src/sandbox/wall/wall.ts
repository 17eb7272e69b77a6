/** What makes a view real on Linux: bubblewrap, or the programs of util-linux alone. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { bubblewrapArguments } from "./bubblewrap.ts";
import { callFilter } from "./call-filter.ts";
import { UNTIL_IT_ENDS } from "./namespace-scripts.ts";
import { namespaceArguments, namespaceCommand } from "./namespaces.ts";
import type { Person, View } from "./view.ts";

export type Wall =
  /** `program` is bubblewrap, by its absolute path. */
  { readonly kind: "bubblewrap"; readonly program: string } | { readonly kind: "namespaces" };

/**
 * How a program is started behind the wall: `command`, followed by the program and its arguments. Descriptor 9 has to give
 * `words`, each ended by NUL; what happens is told on descriptor 8, a JSON object a line (`wall-status.ts`).
 */
export interface WallCall {
  readonly command: readonly [string, ...string[]];
  readonly words: readonly string[];
}

export function wallName(wall: Wall): string {
  return wall.kind === "bubblewrap" ? wall.program : "unshare and mount (util-linux)";
}

/** `folder` is the layer's, which keeps what the wall reads. Throws where the disk refuses. */
export function wallCall(wall: Wall, view: View, person: Person, folder: string): WallCall {
  if (wall.kind === "namespaces") return { command: namespaceCommand(view, person), words: namespaceArguments(view) };
  // bubblewrap's own first process would wait for whatever the program leaves behind, and lives on where bubblewrap is killed
  // before that process has asked the kernel to end with it.
  const command = [wall.program, "--args", "9", "--json-status-fd", "8", "--as-pid-1"] as const;
  const first = ["--", "sh", "-c", UNTIL_IT_ENDS, "sh"];
  const words = bubblewrapArguments(view, person);
  const filter = callFilter();
  if (filter.length === 0) return { command: [...command, ...first], words };
  const file = join(folder, "calls");
  writeFileSync(file, filter);
  return { command: ["sh", "-c", 'exec "$@" 6<"$0"', file, ...command, "--seccomp", "6", ...first], words };
}
