/** What may have changed something, and when: a clock that moves on with the beginning and the end of each such call. */
import type { ToolResult } from "../protocol/shapes.ts";

/** A call that is not safe, or a decision about a proposal. */
export interface Change {
  /** The call; models make these ids. */
  readonly callId: string | undefined;
  /** As a reader knows it: "eval_form". */
  readonly what: string;
}

/** How a result came about: by looking, from one moment to another, or by a change. Anything else does not grow old. */
export type Origin =
  | { readonly kind: "look"; readonly from: number; readonly to: number }
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
  readonly begunAt: number;
  readonly endedAt: number;
}

const KEPT = 500;
const EARLIER: Change = { callId: undefined, what: "earlier calls" };

export class Changes {
  #now = 0;
  #over: Over[] = [];
  /** Whatever ended up to here is no longer known one by one. */
  #forgotten = 0;
  readonly #running = new Set<Running>();
  readonly #origins = new WeakMap<ToolResult, Origin>();

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

  /** What ended after that moment. */
  endedSince(moment: number): readonly Change[] {
    const known = this.#over.filter(({ endedAt }) => endedAt > moment).map(({ change }) => change);
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

  #end({ change, begunAt }: Running): void {
    this.#now += 1;
    this.#over.push({ change, begunAt, endedAt: this.#now });
    const lost = this.#over.splice(0, Math.max(0, this.#over.length - KEPT));
    this.#forgotten = lost.at(-1)?.endedAt ?? this.#forgotten;
  }
}
