/**
 * What may hold secrets stays closed to a process that lives on. The kernel takes a mount away when the file under it is replaced,
 * as editors and git do; so the folders of closed places are watched, and what stands there under such a name is closed again.
 */
import { lstatSync, watch, type FSWatcher } from "node:fs";
import { dirname, join } from "node:path";
import type { Writable } from "node:stream";
import { isSecretName } from "../workspace/secret-names.ts";

/** More folders than a person's secrets lie in; each costs the system a watch. */
const MOST_FOLDERS = 1000;

/**
 * $1 is an empty file that nobody may open; the rest is the wall (`WallCall`) and the program behind it. What is mounted here is
 * mounted behind the wall too, where whatever is mounted there stays. Descriptor 4 gives paths to close, each ended by NUL.
 */
export const CLOSING_SCRIPT = `
closed=$1
shift
mount --make-rshared / && mount -n --bind "$closed" "$closed" && mount -n -o remount,bind,ro "$closed" || exit 1
close='
  [ ! -L "$1" ] || exit 0
  if [ -d "$1" ]; then mount -n -t tmpfs -o ro,mode=755,size=4k tmpfs "$1"; elif [ -e "$1" ]; then mount -n --bind "$0" "$1"; fi'
xargs -0 -r -n 1 sh -c "$close" "$closed" <&4 3<&- 4<&- >/dev/null 2>&1 &
exec "$@" 4<&-
`;

export class ClosedPlaces {
  readonly #watchers: FSWatcher[] = [];
  /** What stood in each place when it was closed. */
  readonly #closed = new Map<string, string>();
  /** Heard of before there was a channel. */
  readonly #waiting = new Set<string>();
  #channel: Writable | undefined;

  /** `closed` are the places that the wall closes when it is made; `roots` are folders in which others may come to stand. */
  constructor(closed: readonly string[], roots: readonly string[]) {
    for (const path of closed) this.#closed.set(path, identity(path));
    const folders = new Set([...roots, ...closed.map((path) => dirname(path))]);
    for (const folder of [...folders].slice(0, MOST_FOLDERS)) this.#watch(folder);
  }

  /** The other end is descriptor 4 of `CLOSING_SCRIPT`. */
  closeBy(channel: Writable): void {
    // Whoever should read it may be gone.
    channel.on("error", () => undefined);
    this.#channel = channel;
    for (const path of [...this.#waiting, ...this.#closed.keys()]) this.#close(path);
    this.#waiting.clear();
  }

  dispose(): void {
    for (const watcher of this.#watchers) watcher.close();
    this.#channel?.end();
    this.#channel = undefined;
  }

  #watch(folder: string): void {
    try {
      const hear = (_: string, name: string | null): void => {
        if (name !== null && isSecretName(name)) this.#close(join(folder, name));
      };
      const watcher = watch(folder, { persistent: false }, hear);
      watcher.on("error", () => undefined);
      this.#watchers.push(watcher);
    } catch {
      // A folder that just went away holds nothing.
    }
  }

  #close(path: string): void {
    if (this.#channel === undefined) return void this.#waiting.add(path);
    const now = identity(path);
    if (this.#closed.get(path) === now) return;
    this.#closed.set(path, now);
    this.#channel.write(`${path}\0`);
  }
}

/** Differs when another file stands there, also one that the disk gave the number of the last one. */
function identity(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined ? "nothing" : `${stats.dev} ${stats.ino} ${stats.birthtimeMs}`;
}
