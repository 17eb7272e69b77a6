/**
 * The wall around a process that lives on, and that the caller starts. The process sees the project as it is at every moment and
 * can write to nothing of it: a layer would go on showing files that have been replaced since.
 */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { lstat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Writable } from "node:stream";
import type { ChildProcess } from "../process/spawn.ts";
import { ClosedPlaces, CLOSING_SCRIPT } from "./closed-places.ts";
import { nothingInherited } from "./inherited-descriptors.ts";
import type { Layer } from "./layer.ts";
import { limitWords, type Limits } from "./limits.ts";
import type { Mount, View } from "./view.ts";
import { wallCall, type Wall } from "./wall.ts";

/** Contract: `dispose` is called when the process is gone, or when there was none. */
export interface LiveWall {
  /** The whole command line for a program and its arguments. It ends with 128 and a signal's number where one ended the program. */
  readonly line: (program: readonly string[]) => readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** What stands after descriptor 3, the program's own, in the `stdio` of the child. */
  readonly stdio: readonly (number | "ignore" | "pipe")[];
  /** To be called with the child. */
  readonly begun: (child: Pick<ChildProcess, "stdio">) => void;
  /** Kept from the program, though they lie in what is shown: files, and folders. */
  readonly closed: readonly string[];
  readonly dispose: () => Promise<void>;
}

export interface LiveParts {
  readonly wall: Wall;
  readonly view: View;
  /** Over no folder: what the program writes goes with it. */
  readonly layer: Layer;
  readonly closed: string;
  /** Folders in which, at any depth, something else may come to be closed. */
  readonly roots: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly limits: Partial<Limits>;
  readonly dispose: () => Promise<void>;
}

const CLOSING = 4;
/** In it, places can be closed to the program as long as it lives. */
const NAMESPACES = "unshare --user --map-root-user --mount --propagation private -- setpriv --pdeathsig KILL --".split(
  " ",
);
/** $1 is where the wall tells what happens, $2 has its words (`WallCall`); what is started follows. */
const SCRIPT = `status=$1 words=$2; shift 2; exec "$@" 8>"$status" 9<"$words"`;

/** A file that nobody may open: that something is kept back is an error, not an empty text. */
export function closedFile({ folder }: Layer): string {
  const file = join(folder, "closed");
  writeFileSync(file, "", { mode: 0 });
  return file;
}

/** Rejects where the disk refuses. */
export async function liveWall({
  wall,
  view,
  layer,
  closed,
  roots,
  env,
  limits,
  dispose,
}: LiveParts): Promise<LiveWall> {
  const isMask = (mount: Mount): boolean =>
    mount.kind === "nothing" || (mount.kind === "read" && "from" in mount && mount.from === closed);
  const there = await Promise.all(view.mounts.map(async (mount) => !isMask(mount) || (await canBeCovered(mount.path))));
  const mounts = view.mounts.filter((_, index) => there[index]);
  const person = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const { command, words } = wallCall(wall, { ...view, mounts }, person, layer.folder);
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
  const [status, file] = [join(layer.folder, "status"), join(layer.folder, "wall.arguments")];
  await writeFile(file, words.map((word) => `${word}\0`).join(""));
  // A server that ends has no time to wait.
  const removeNow = (): void => rmSync(layer.folder, { recursive: true, force: true });
  process.once("exit", removeNow);
  const before = [...NAMESPACES, "sh", "-c", CLOSING_SCRIPT, "sh", closed, ...command, ...limitWords(limits)];
  return {
    line: (program) => ["sh", "-c", SCRIPT, "sh", status, file, ...before, ...program],
    env,
    stdio: ["pipe", ...nothingInherited(CLOSING + 1)],
    begun: ({ stdio }) => places.closeBy(stdio[CLOSING] as Writable),
    closed: masked,
    dispose: async () => {
      places.dispose();
      await dispose();
      process.off("exit", removeNow);
    },
  };
}

/** What was found a moment ago and is gone needs no cover; what a link leads to is covered where it stands. */
async function canBeCovered(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats !== undefined && !stats.isSymbolicLink();
}
