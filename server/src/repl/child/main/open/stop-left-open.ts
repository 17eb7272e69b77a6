/** Ends everything that an interrupted evaluation has running and open, and reports what was ended. */
import { soon } from "../../shared/immediates.ts";
import { countOf, type OpenHandles } from "./open-handles.ts";
import type { OwnedTimers } from "./owned-timers.ts";

export interface LeftOpen {
  /**
   * Clears the evaluation's timers at once. The rest is ended later, when nothing else runs: code of Node's may be half
   * done further down the stack.
   */
  readonly begin: (id: number) => void;
  /** Everything that the evaluation has open and running now, as text. */
  readonly left: (id: number) => string;
  /** The evaluation whose code may still run: this evaluation if it can, else the newest that can; 0 for none. */
  readonly suspect: (id: number) => number;
}

/** `told` is called after every `begin`, even with an empty text. */
export function createLeftOpen(
  timers: OwnedTimers,
  open: OpenHandles,
  told: (id: number, text: string) => void,
): LeftOpen {
  return {
    begin: (id) => {
      const cleared = timersOf(timers.cancel(id));
      soon(() => told(id, joined(cleared, open.end(id))));
    },
    left: (id) => joined(timersOf(timers.lasting(id)), open.open(id)),
    suspect: (id) => {
      if (timers.isOwner(id) || open.isOwner(id)) return id;
      const [timed, opened] = [timers.newestOwner(), open.newestOwner()];
      return timed > opened ? timed : opened;
    },
  };
}

function timersOf(count: number): string {
  return count === 0 ? "" : countOf(count, "timer");
}

function joined(first: string, second: string): string {
  return first === "" || second === "" ? first + second : `${first}, ${second}`;
}
