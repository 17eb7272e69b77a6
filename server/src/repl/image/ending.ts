/** Ends what an interrupted evaluation has running and open, once, and remembers to tell what that was. */
import { captured, shieldedMap } from "./captured.ts";
import { countOf, type OpenHandles } from "./open-handles.ts";
import type { Timers } from "./timers.ts";

export interface Ending {
  /** Clears its timers at once; the rest follows when nothing else runs: Node's own code may stand half done below. */
  readonly begin: (id: number) => void;
  /** What was ended since it was told last. */
  readonly told: (id: number) => string;
  /** What it has open and running now. */
  readonly left: (id: number) => string;
}

export function createEnding(timers: Timers, open: OpenHandles): Ending {
  const cleared = shieldedMap<number, number>();
  const texts = shieldedMap<number, string>();
  const end = (id: number): void => {
    const more = open.end(id);
    if (more !== "") texts.set(id, joined(texts.get(id) ?? "", more));
  };
  return {
    begin: (id) => {
      cleared.set(id, (cleared.get(id) ?? 0) + timers.cancel(id));
      captured.setImmediate(() => end(id));
    },
    told: (id) => {
      end(id);
      const text = joined(timersOf(cleared.get(id) ?? 0), texts.get(id) ?? "");
      cleared.delete(id);
      texts.delete(id);
      return text;
    },
    left: (id) => joined(timersOf(timers.lasting(id)), open.open(id)),
  };
}

function timersOf(count: number): string {
  return count === 0 ? "" : countOf(count, "timer");
}

function joined(first: string, second: string): string {
  return first === "" || second === "" ? first + second : `${first}, ${second}`;
}
