/**
 * The wall around a process that lives on, and that the caller starts. The process sees the project as it is at every moment and
 * can write to nothing of it: a layer would go on showing files that have been replaced since.
 */
import { rmSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { keepClosed } from "../places/closing.ts";
import type { Layer } from "../layer/layer.ts";
import { limitWords, type Limits } from "./limits.ts";
import type { View } from "./view.ts";
import type { LiveWall } from "../../process/live-wall.ts";
import { wallPath } from "./wall-path.ts";
import { wallCall, type Wall } from "./wall.ts";

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
  readonly isCurrent: LiveWall["isCurrent"];
  readonly dispose: () => Promise<void>;
}

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
  isCurrent,
  dispose,
}: LiveParts): Promise<LiveWall> {
  const closing = await keepClosed(view, { closed, roots });
  const person = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const { command, words } = wallCall(wall, closing.view, person, layer.folder);
  const [status, file] = [join(layer.folder, "status"), join(layer.folder, "wall.arguments")];
  await writeFile(file, words.map((word) => `${word}\0`).join(""));
  // A server that ends has no time to wait.
  const removeNow = (): void => rmSync(layer.folder, { recursive: true, force: true });
  process.once("exit", removeNow);
  const path = wallPath(env, view, roots);
  const before = [...NAMESPACES, ...closing.command, ...command, ...limitWords(limits), ...path.before];
  return {
    line: (program) => ["sh", "-c", SCRIPT, "sh", status, file, ...before, ...program],
    env: path.env,
    stdio: closing.stdio,
    begun: closing.begun,
    closed: closing.masked,
    isCurrent,
    dispose: async () => {
      closing.dispose();
      await dispose();
      process.off("exit", removeNow);
    },
  };
}
