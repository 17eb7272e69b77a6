/**
 * Knows what may have changed something, and when. Its clock moves on with the beginning and the end of each call
 * that may change something, with what the person evaluates and types, and with changes that are found on disk.
 */
import { basename } from "node:path";
import type { ToolResult } from "../../protocol/tool-shapes.ts";

/** A call that is not safe, a decision about a proposal, a form of the person's, or another text of a document. */
export interface Change {
  /** The call; models make these ids. */
  readonly callId: string | undefined;
  /** As a reader knows it: "eval_form", "tax.ts". */
  readonly what: string;
  /** The document of a change that is no call's. */
  readonly uri?: string;
}

/** The documents that an answer depends on, and nothing else, with the hashes of their texts. */
export type Reads = ReadonlyMap<string, string>;

/**
 * How a result came about: by looking, from one moment to another, or by a change. Anything else does not grow old.
 * A look without `reads` may depend on any document.
 */
export type Origin =
  | {
      readonly kind: "look";
      readonly from: number;
      readonly to: number;
      readonly reads?: Reads | undefined;
      /** Notes of the answer that say what ran meanwhile. */
      readonly notes?: readonly string[];
    }
  | { readonly kind: "change"; readonly change: Change }
  | { readonly kind: "none" };

interface Running {
  readonly change: Change;
  readonly begunAt: number;
  /** Waits for the person, and changes nothing before they have decided. */
  waits: boolean;
}

interface Over {
  readonly change: Change;
  /** The document whose text changed. */
  readonly uri?: string;
  readonly begunAt: number;
  readonly endedAt: number;
}

/** Contract: neither rejects. */
export interface DiskPorts {
  /** Looks at the disk; what has changed there is told by `documentChanged` before the promise resolves. */
  readonly look?: () => Promise<void>;
  /** The same where that costs next to nothing, else nothing. */
  readonly glance?: () => Promise<void>;
  /** The hash of the document's text as it is now; undefined where no text can be read. */
  readonly sha256Of?: (uri: string) => Promise<string | undefined>;
}

const KEPT = 500;
const EARLIER: Change = { callId: undefined, what: "earlier changes" };

export class Changes {
  readonly #disk: DiskPorts;
  #now = 0;
  #over: Over[] = [];
  /** The last change of each document: typing moves the clock on, and fills no list. The oldest is first. */
  readonly #documents = new Map<string, Over>();
  /**
   * When an editor opened each document, and the hash of its text then: what had changed on disk before, nobody
   * tells.
   */
  readonly #opened = new Map<string, { readonly sha256: string; readonly at: number }>();
  /** Whatever ended up to here is no longer known one by one. */
  #forgotten = 0;
  readonly #running = new Set<Running>();
  readonly #origins = new WeakMap<ToolResult, Origin>();

  constructor(disk: DiskPorts = {}) {
    this.#disk = disk;
  }

  now(): number {
    return this.#now;
  }

  /** Contract: the returned function is called when nothing more can come of the change. */
  begin(change: Change, waits = false): () => void {
    this.#now += 1;
    const running = { change, begunAt: this.#now, waits };
    this.#running.add(running);
    return () => {
      if (this.#running.delete(running)) this.#end(running);
    };
  }

  /** Something that is over at once. As a part of a call that still runs it ends with the call. */
  happened(change: Change): void {
    const { callId } = change;
    const call = [...this.#running].find((each) => callId !== undefined && each.change.callId === callId);
    if (call === undefined) this.begin(change)();
    else call.waits = false;
  }

  /** Something that is no call, from its beginning to its end. */
  async during<Value>(what: string, work: () => Promise<Value>): Promise<Value> {
    const end = this.begin({ callId: undefined, what });
    try {
      return await work();
    } finally {
      end();
    }
  }

  /**
   * A document has another text. With `callId` an edit of the call brings the text, which is the call's own change
   * while the call runs.
   */
  documentChanged(uri: string, callId?: string): void {
    this.#now += 1;
    const running =
      callId === undefined ? undefined : [...this.#running].find(({ change }) => change.callId === callId);
    const at = { begunAt: this.#now, endedAt: this.#now };
    if (running !== undefined) return this.#keep({ ...at, uri, begunAt: running.begunAt, change: running.change });
    this.#documents.delete(uri);
    this.#documents.set(uri, { ...at, change: { callId: undefined, what: fileName(uri), uri } });
    const [oldest] = this.#documents;
    if (oldest === undefined || this.#documents.size <= KEPT) return;
    this.#documents.delete(oldest[0]);
    this.#forgotten = Math.max(this.#forgotten, oldest[1].endedAt);
  }

  documentOpened(uri: string, sha256: string): void {
    this.#now += 1;
    this.#opened.set(uri, { sha256, at: this.#now });
  }

  /** Where looking costs nothing: what changed on disk before a look is not taken for a change behind it. */
  async glanceAtDisk(): Promise<void> {
    await this.#disk.glance?.();
  }

  /** Finds out what has changed on disk since these looks. */
  async lookAtDisk(origins: readonly (Origin | undefined)[]): Promise<void> {
    const looks = origins.filter((origin) => origin?.kind === "look");
    if (looks.length === 0) return;
    await this.#disk.look?.();
    for (const { from, reads = new Map<string, string>() } of looks) {
      for (const [uri, sha256] of reads) {
        const opened = this.#opened.get(uri);
        const wasOther = opened !== undefined && opened.at > from && opened.sha256 !== sha256;
        if (wasOther && (this.#documents.get(uri)?.endedAt ?? -1) <= from) this.documentChanged(uri);
        if (this.#isKnown(uri, from)) continue;
        const now = this.#disk.sha256Of === undefined ? sha256 : await this.#disk.sha256Of(uri);
        if (now !== sha256) this.documentChanged(uri);
      }
    }
  }

  /** What ended after that moment and may matter to somebody who depends on these documents, or on all. */
  endedSince(moment: number, reads?: Reads): readonly Change[] {
    const matters = ({ endedAt, change: { uri } }: Over): boolean =>
      endedAt > moment && (uri === undefined || reads === undefined || reads.has(uri));
    const known = [...this.#over, ...this.#documents.values()].filter(matters).map(({ change }) => change);
    return moment < this.#forgotten ? [EARLIER, ...known] : known;
  }

  /** What may be changing something right now. */
  running(): readonly Change[] {
    return [...this.#running].filter(({ waits }) => !waits).map(({ change }) => change);
  }

  hasBegunBefore(change: Change, moment: number): boolean {
    const known = [...this.#over, ...this.#running].find((each) => each.change === change);
    return known === undefined || known.begunAt <= moment;
  }

  note(result: ToolResult, origin: Origin): ToolResult {
    this.#origins.set(result, origin);
    return result;
  }

  /** Undefined for a result of which nobody knows: it may be older than every change. */
  originOf(result: ToolResult): Origin | undefined {
    return this.#origins.get(result);
  }

  #isKnown(uri: string, since: number): boolean {
    if ((this.#documents.get(uri)?.endedAt ?? -1) > since) return true;
    return this.#over.some((over) => over.uri === uri && over.endedAt > since);
  }

  #end({ change, begunAt }: Running): void {
    this.#now += 1;
    this.#keep({ change, begunAt, endedAt: this.#now });
  }

  #keep(over: Over): void {
    this.#over.push(over);
    const lost = this.#over.splice(0, Math.max(0, this.#over.length - KEPT));
    this.#forgotten = Math.max(this.#forgotten, lost.at(-1)?.endedAt ?? 0);
  }
}

/** As the URI spells it where it could be taken for words of ours. */
function fileName(uri: string): string {
  const name = basename(uri);
  try {
    const decoded = decodeURIComponent(name);
    return /^[\p{L}\p{N}@_.+~-]+$/u.test(decoded) ? decoded : name;
  } catch {
    return name;
  }
}
