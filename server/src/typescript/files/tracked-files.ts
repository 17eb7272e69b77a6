/** Files by the state they were last seen in, and what changed since someone asked. */
import { createHash } from "node:crypto";
import { readRegularBytesSync } from "../../workspace/regular-file.ts";
import { isClosedFile, isFresh, stampFrom, type Stamp } from "./file-stamps.ts";
import { statsOf } from "../../workspace/file-names.ts";
import { forEachYielding } from "../yielding.ts";

/** LSP's FileChangeType. */
export const FileChange = { created: 1, changed: 2, deleted: 3 } as const;
export type FileChangeType = (typeof FileChange)[keyof typeof FileChange];

/** So many files that were written a moment ago are read; any more are taken for changed once too often. */
const MAX_READ = 200;

export class TrackedFiles {
  readonly #stamps = new Map<string, Stamp>();
  /** Files whose stamp may be the same after another change, with a hash of their text. */
  readonly #fresh = new Map<string, string>();
  readonly #closed = new Set<string>();
  readonly #pending: Map<string, FileChangeType>;

  readonly #onChanged: (file: string, change: FileChangeType) => void;

  /** What changes is written into `pending`. */
  constructor(
    pending: Map<string, FileChangeType>,
    onChanged: (file: string, change: FileChangeType) => void = () => undefined,
  ) {
    this.#pending = pending;
    this.#onChanged = onChanged;
  }

  get size(): number {
    return this.#stamps.size;
  }

  has(file: string): boolean {
    return this.#stamps.has(file);
  }

  names(): IterableIterator<string> {
    return this.#stamps.keys();
  }

  /** Files that are there and may not be read, in a stable order. */
  closed(): readonly string[] {
    return [...this.#closed].toSorted();
  }

  /** Looks at one file, known or not. */
  lookAt(file: string): void {
    const before = this.#stamps.get(file);
    const lookedAt = Date.now();
    const stats = statsOf(file);
    if (stats === undefined) {
      this.#fresh.delete(file);
      this.#closed.delete(file);
      if (!this.#stamps.delete(file)) return;
      this.#pending.set(file, FileChange.deleted);
      this.#onChanged(file, FileChange.deleted);
      return;
    }
    const now = stampFrom(stats);
    const hash = this.#fresh.get(file);
    if (before === now && hash === undefined) return;
    this.#stamps.set(file, now);
    if (isClosedFile(file, stats)) this.#closed.add(file);
    else this.#closed.delete(file);
    if (isFresh(stats, lookedAt)) this.#fresh.set(file, this.#fresh.size < MAX_READ ? hashOf(file) : "");
    else this.#fresh.delete(file);
    if (before === now && hash !== "" && hash === (this.#fresh.get(file) ?? hashOf(file))) return;
    const isNew = before === undefined || this.#pending.get(file) === FileChange.created;
    const wasDeleted = this.#pending.get(file) === FileChange.deleted;
    this.#pending.set(file, isNew && !wasDeleted ? FileChange.created : FileChange.changed);
    this.#onChanged(file, before === undefined ? FileChange.created : FileChange.changed);
  }

  lookAtAll(): Promise<void> {
    return forEachYielding(this.#stamps.keys(), (file) => this.lookAt(file));
  }

  /** Stops looking at the file, which is no deletion. */
  forget(file: string): void {
    this.#stamps.delete(file);
    this.#fresh.delete(file);
    this.#closed.delete(file);
  }

  clear(): void {
    this.#stamps.clear();
    this.#fresh.clear();
    this.#closed.clear();
  }
}

function hashOf(file: string): string {
  try {
    return createHash("sha1").update(readRegularBytesSync(file)).digest("hex");
  } catch {
    return "";
  }
}
