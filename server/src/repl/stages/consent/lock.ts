/**
 * The person's lock. While it is on, the agent can look and cannot run anything. Evaluations that the agent had begun
 * go on, and the lock stays on when the process ends. Tools that run code ask `whyLocked` before anybody is asked for
 * approval.
 */
import type { ReplStatus } from "../../../protocol/repl-shapes.ts";
import type { Stage } from "../stage.ts";

const WHY =
  "the person has locked the REPL and works in it alone. Only they can unlock it. Until then you cannot run anything there; " +
  "you can still look: inspect_object, describe_symbol and get_repl_history answer as before.";

export class PersonsLock implements Stage {
  #isOn = false;

  /** False when the lock already was in this state. */
  set(locked: boolean): boolean {
    const isNew = this.#isOn !== locked;
    this.#isOn = locked;
    return isNew;
  }

  /** The sentence for an agent that wants to run something now; undefined when the agent may. */
  whyLocked(): string | undefined {
    return this.#isOn ? WHY : undefined;
  }

  seen(status: ReplStatus): ReplStatus {
    return this.#isOn ? { ...status, locked: true } : status;
  }
}
