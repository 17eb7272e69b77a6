/** Remembers the last `await` that each form reached: a form that is stopped while it waits can tell where. */
import { shieldedMap } from "../../shared/captured.ts";
import { AWAITS_NOTHING } from "../../wire/wire.ts";

export interface Awaited {
  /**
   * The form reaches one of its awaits, or leaves it. Returns the value that the form is going to await, or that it
   * got.
   */
  readonly come: <T>(value: T, id: number, index: number) => T;
  readonly of: (id: number) => number | undefined;
}

/** A limit, because a form that failed does not report its end. */
const MAX_KEPT = 100;

export function createAwaited(): Awaited {
  const latest = shieldedMap<number, number>();
  const forgetOldest = (): void => {
    let oldest: number | undefined;
    latest.forEach((_, id) => {
      oldest ??= id;
    });
    if (oldest !== undefined) latest.delete(oldest);
  };
  return {
    come: (value, id, index) => {
      latest.set(id, index);
      if (latest.size > MAX_KEPT) forgetOldest();
      return value;
    },
    of: (id) => {
      const index = latest.get(id);
      return index === AWAITS_NOTHING ? undefined : index;
    },
  };
}
