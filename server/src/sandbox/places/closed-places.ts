/**
 * What may hold secrets stays closed to a process that lives on, and so does what others listen at. The kernel takes
 * a mount away when the file under it is replaced, as editors and git do, and nothing is mounted over what is made
 * later; so folders are watched, and a new file there is closed again.
 */
import { watch, type Dirent, type FSWatcher, type Stats } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Writable } from "node:stream";
import { isSecretName } from "../../workspace/secret-names.ts";
import { isNeeded } from "./needed-settings.ts";
import { FILLED_FOLDERS, linkStatsOf } from "../../workspace/file-names.ts";

/** Each costs the system a watch, of which others want some too. */
const MOST_FOLDERS = 2000;

/**
 * $1 is an empty file that nobody may open; the rest is the wall (`WallCall`) and the program behind it. What is mounted here is
 * mounted behind the wall too, where whatever is mounted there stays. Descriptor 4 gives pairs, each word ended by NUL: what is
 * to be shown, and where.
 */
export const CLOSING_SCRIPT = `
closed=$1
shift
mount --make-rshared / && mount -n --bind "$closed" "$closed" && mount -n -o remount,bind,ro "$closed" || exit 1
close='
  [ ! -L "$2" ] || exit 0
  [ "$0" = "$1" ] || mount -n --bind "$1" "$1" && mount -n -o remount,bind,ro "$1" || exit 0
  if [ -d "$2" ]; then mount -n -t tmpfs -o ro,mode=755,size=4k tmpfs "$2"; elif [ -e "$2" ]; then mount -n --bind "$1" "$2"; fi'
xargs -0 -r -n 2 sh -c "$close" "$closed" <&4 3<&- 4<&- >/dev/null 2>&1 &
exec "$@" 4<&-
`;

export interface PlacesToClose {
  /** The places that the wall closes when it is made, each with what is shown there. */
  readonly closed: ReadonlyMap<string, string>;
  /** Shown in every other place. */
  readonly nothing: string;
  /** Folders in which more such places may appear, at any depth. */
  readonly roots: readonly string[];
}

export class ClosedPlaces {
  readonly #places: PlacesToClose;
  readonly #watched = new Map<string, { readonly watcher: FSWatcher; readonly folder: string }>();
  /** What was in each place when it was closed. */
  readonly #closed = new Map<string, string>();
  /** Heard of before there was a channel. */
  readonly #waiting = new Set<string>();
  #channel: Writable | undefined;
  #isDisposed = false;

  constructor(places: PlacesToClose) {
    this.#places = places;
    const closed = [...places.closed.keys()];
    for (const path of closed) this.#closed.set(path, identity(path));
    // What is closed outside of the roots, or in a folder that is not followed.
    for (const folder of new Set(closed.map((path) => dirname(path)))) this.#watch(folder, false);
    void this.#follow(places.roots);
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
    this.#isDisposed = true;
    for (const { watcher } of this.#watched.values()) watcher.close();
    this.#channel?.end();
    this.#channel = undefined;
  }

  /** The nearest folders come first. Each is watched before it is looked into: nothing is missed in between. Never rejects. */
  async #follow(folders: readonly string[]): Promise<void> {
    const next = [...folders];
    for (let folder = next.shift(); folder !== undefined && !this.#isDisposed; folder = next.shift()) {
      if (!this.#watch(folder, true)) continue;
      for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
        if (this.#isToFollow(join(folder, entry.name), entry)) next.push(join(folder, entry.name));
      }
    }
  }

  /** False where the folder is watched already, and where it cannot be. */
  #watch(path: string, isFollowed: boolean): boolean {
    const folder = `${isFollowed} ${identity(path)}`;
    const known = this.#watched.get(path);
    if (known?.folder === folder || (known === undefined && this.#watched.size >= MOST_FOLDERS)) return false;
    known?.watcher.close();
    this.#watched.delete(path);
    try {
      const watcher = watch(path, { persistent: false }, (_, name) => {
        if (name !== null) this.#hear(join(path, name), isFollowed);
      });
      watcher.on("error", () => undefined);
      this.#watched.set(path, { watcher, folder });
      return true;
    } catch {
      // A folder that just went away holds nothing.
      return false;
    }
  }

  #hear(path: string, isFollowed: boolean): void {
    if (this.#closed.has(path)) return this.#close(path);
    const stats = linkStatsOf(path);
    if (stats !== undefined && this.#isToFollow(path, stats) && isFollowed) void this.#follow([path]);
  }

  /** Whether it is a folder to look into. What must not be opened is closed. */
  #isToFollow(path: string, entry: Dirent | Stats): boolean {
    const name = basename(path);
    const place = { above: basename(dirname(path)), isFolder: entry.isDirectory() };
    if ((isSecretName(name, place) && !isNeeded(path)) || entry.isSocket() || entry.isFIFO()) this.#close(path);
    else return entry.isDirectory() && !FILLED_FOLDERS.has(name);
    return false;
  }

  #close(path: string): void {
    if (this.#channel === undefined) return void this.#waiting.add(path);
    const now = identity(path);
    if (this.#closed.get(path) === now) return;
    this.#closed.set(path, now);
    const { closed, nothing } = this.#places;
    this.#channel.write(`${closed.get(path) ?? nothing}\0${path}\0`);
  }
}

/** Differs when another file is there, also one that the disk gave the number of the last one. */
function identity(path: string): string {
  const stats = linkStatsOf(path);
  return stats === undefined ? "nothing" : `${stats.dev} ${stats.ino} ${stats.birthtimeMs}`;
}
