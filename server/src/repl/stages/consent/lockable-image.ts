/**
 * The image with the person's lock: while it is on, the agent looks and runs nothing. What they had begun goes on, and the
 * lock outlives the process. The tools that run code ask `whyLocked` before anybody is asked for approval.
 */
import type { ReplStatus, RestartAnswer } from "../../../protocol/repl-shapes.ts";
import type { Remembering } from "../history/remembering-image.ts";
import type { Image } from "../../image.ts";
import type { Consenting } from "./consenting-image.ts";

export interface Locking {
  /** The status with it. */
  readonly lock: (locked: boolean) => ReplStatus;
  /** The sentence for an agent that wants to run something now; undefined when it may. */
  readonly whyLocked: () => string | undefined;
}

export type Lockable<Given extends Remembering<Image>> = Consenting<Given> & Locking;

const WHY =
  "the person has locked the REPL and works in it alone. Only they can unlock it. Until then nothing of yours runs there; " +
  "looking does: inspect_object, describe_symbol, get_last_error and get_repl_history answer as before.";

export interface ReplLock {
  readonly isOn: () => boolean;
  readonly set: (locked: boolean) => void;
  /** A status as the person shall see it. */
  readonly seen: <Status extends ReplStatus>(status: Status) => Status;
}

export function createReplLock(): ReplLock {
  let isLocked = false;
  return {
    isOn: () => isLocked,
    set: (locked) => {
      isLocked = locked;
    },
    seen: (status) => (isLocked ? { ...status, locked: true } : status),
  };
}

export function lockable<Given extends Remembering<Image>>(
  image: Consenting<Given>,
  lock: ReplLock,
  onState: (status: ReplStatus) => void,
): Lockable<Given> {
  return {
    ...image,
    status: () => lock.seen(image.status()),
    restart: async (request, signal): Promise<RestartAnswer> => lock.seen(await image.restart(request, signal)),
    whyLocked: () => (lock.isOn() ? WHY : undefined),
    lock: (locked) => {
      const isNew = lock.isOn() !== locked;
      lock.set(locked);
      const status = lock.seen(image.status());
      if (isNew) onState(status);
      return status;
    },
  };
}
