/** A view in which what is closed to a program stays closed for as long as the program lives. */
import { existsSync } from "node:fs";
import { lstat } from "node:fs/promises";
import { basename } from "node:path";
import type { Writable } from "node:stream";
import type { ChildProcess } from "../../process/spawn.ts";
import { ClosedPlaces, CLOSING_SCRIPT } from "./closed-places.ts";
import { nothingInherited } from "../inherited-descriptors.ts";
import type { Mount, View } from "../wall/view.ts";

/** Contract: `dispose` is called when the program is gone, or when there was none. */
export interface Closing {
  /** Without covers for what is not there any more. */
  readonly view: View;
  /** What is closed at the start. */
  readonly masked: readonly string[];
  /** The call that comes before the wall's (`WallCall`), in namespaces where this user may mount. */
  readonly command: readonly [string, ...string[]];
  /** The `stdio` of the child after descriptor 3. */
  readonly stdio: readonly (number | "ignore" | "pipe")[];
  /** To be called with the child. */
  readonly begun: (child: Pick<ChildProcess, "stdio">) => void;
  readonly dispose: () => void;
}

export interface ClosingOptions {
  /** The file that is shown in place of what is closed. */
  readonly closed: string;
  /** Folders in which, at any depth, something else may come to be closed. */
  readonly roots: readonly string[];
}

/** The descriptor that `CLOSING_SCRIPT` reads. */
const CLOSING = 4;

export async function keepClosed(view: View, { closed, roots }: ClosingOptions): Promise<Closing> {
  const isMask = (mount: Mount): boolean =>
    mount.kind === "nothing" || (mount.kind === "read" && "from" in mount && mount.from === closed);
  const there = await Promise.all(view.mounts.map(async (mount) => !isMask(mount) || (await canBeCovered(mount.path))));
  const mounts = view.mounts.filter((_, index) => there[index]);
  const masked = mounts.filter(isMask).map(({ path }) => path);
  // A file that is shown in the place of one in the project would go as well when that one is replaced.
  const instead = mounts.flatMap((mount) => {
    const isInstead = mount.kind === "read" && "from" in mount && existsSync(mount.path);
    return isInstead ? [[mount.path, mount.from] as const] : [];
  });
  const places = new ClosedPlaces({
    closed: new Map([...masked.map((path) => [path, closed] as const), ...instead]),
    nothing: closed,
    roots: roots.filter((root) => basename(root) !== "node_modules"),
  });
  return {
    view: { ...view, mounts },
    masked,
    command: ["sh", "-c", CLOSING_SCRIPT, "sh", closed],
    stdio: ["pipe", ...nothingInherited(CLOSING + 1)],
    begun: ({ stdio }) => places.closeBy(stdio[CLOSING] as Writable),
    dispose: () => places.dispose(),
  };
}

/** What was found a moment ago and is gone needs no cover; the target of a link is covered at its own place. */
async function canBeCovered(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats !== undefined && !stats.isSymbolicLink();
}
