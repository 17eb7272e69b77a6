/** Which of its own `await`s each form came to last, so that one that is stopped while it waits can tell where. */
import { shieldedMap } from "../../shared/captured.ts";
import { AWAITS_NOTHING } from "../../wire/wire.ts";

export interface Awaited {
  /** The form comes to that one of its awaits, or to none. Passes on what it is going to wait for, or what it got. */
  readonly come: <T>(value: T, id: number, index: number) => T;
  readonly of: (id: number) => number | undefined;
}

/** Nobody tells when a form is over that failed. */
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
