/** Follows the documents of one proposal: what anybody types, saves, applies or writes to disk. */
import { normalizeUri } from "../../workspace/documents.ts";
import type { TrackedDocument } from "../proposal.ts";
import { isPending } from "../proposal-state.ts";
import type { Tracked } from "../tracked-proposal.ts";
import type { Look } from "./files-now.ts";
import { followBase } from "./follow-base.ts";
import { prepareSinceBase } from "./place-now.ts";

/**
 * Contract: `look` answers the documents as they are at each use, and never rejects; `onMoved` is called when the hunks
 * of the proposal are not what they were, and must not throw. `lookBack` looks whether hunks that went in were taken back,
 * also once the review is over, and never rejects.
 */
export interface MovingBasePorts {
  readonly look: (documents: Iterable<TrackedDocument>) => Promise<Look>;
  readonly onMoved: () => void;
  readonly lookBack: (documents: Iterable<TrackedDocument>) => Promise<void>;
}

/** Nobody sees more than this, and no key waits for it. */
const QUIET_MS = 100;
const LIMIT_MS = 400;
/** Documents between which other work gets its turn. */
const AT_ONCE = 20;

export class MovingBase {
  readonly #tracked: Tracked;
  readonly #ports: MovingBasePorts;
  readonly #places = new Map<string, TrackedDocument[]>();
  readonly #changed = new Set<TrackedDocument>();
  #timer: NodeJS.Timeout | undefined;
  #since: number | undefined;
  #isBusy = false;
  #following: Promise<void> = Promise.resolve();

  constructor(tracked: Tracked, ports: MovingBasePorts) {
    this.#tracked = tracked;
    this.#ports = ports;
    for (const document of tracked.documents) {
      const { from, movedTo = from } = document;
      for (const uri of new Set([normalizeUri(from.uri), normalizeUri(movedTo.uri)])) {
        this.#places.set(uri, [...(this.#places.get(uri) ?? []), document]);
      }
    }
  }

  /** Something happened to the file or the buffer. Cheap: called for every key. */
  touch(uri: string): void {
    for (const document of this.#places.get(uri) ?? []) this.#changed.add(document);
    this.#schedule();
  }

  /** Resolves when the hunks have their places in the documents of this moment. */
  async followed(): Promise<void> {
    while (this.#isBusy || this.#changed.size > 0) {
      clearTimeout(this.#timer);
      if (!this.#isBusy) this.#following = this.#follow();
      await this.#following;
    }
  }

  end(): void {
    this.#changed.clear();
    clearTimeout(this.#timer);
    for (const document of this.#tracked.documents) delete document.since;
  }

  #schedule(): void {
    if (this.#changed.size === 0 || this.#isBusy) return;
    const now = performance.now();
    this.#since ??= now;
    clearTimeout(this.#timer);
    const pause = Math.max(Math.min(QUIET_MS, this.#since + LIMIT_MS - now), 0);
    this.#timer = setTimeout(() => {
      this.#following = this.#follow();
    }, pause).unref();
  }

  async #follow(): Promise<void> {
    const documents = [...this.#changed];
    this.#changed.clear();
    this.#since = undefined;
    this.#isBusy = true;
    try {
      if (isPending(this.#tracked)) await this.#move(documents);
      await this.#ports.lookBack(documents);
    } finally {
      this.#isBusy = false;
      this.#schedule();
    }
  }

  async #move(documents: readonly TrackedDocument[]): Promise<void> {
    const look = await this.#ports.look(documents);
    let isMoved = false;
    for (let from = 0; from < documents.length; from += AT_ONCE) {
      const some = documents.slice(from, from + AT_ONCE);
      for (const document of some) {
        const now = look.textOf(document.at.uri)?.text;
        if (now !== undefined) await prepareSinceBase(document, now);
      }
      if (this.#tracked.now.is !== "open") return;
      if (followBase(this.#tracked, some, look)) isMoved = true;
    }
    if (isMoved) this.#ports.onMoved();
  }
}
