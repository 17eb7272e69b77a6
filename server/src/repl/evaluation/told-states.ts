/** Reports the states of the REPL. A form that ends at once would cost two messages and make the editor flicker. */
import type { ReplStatus } from "../../protocol/repl-shapes.ts";

/** A form that takes longer than this makes the REPL busy for an observer. */
const BUSY_AFTER_MS = 40;

/** Contract: every other state is reported at once, and the last report is the present state. */
export function toldStates(tell: (status: ReplStatus) => void): (status: ReplStatus) => void {
  let told: ReplStatus | undefined;
  let later: NodeJS.Timeout | undefined;
  const say = (status: ReplStatus): void => {
    told = status;
    tell(status);
  };
  return (status) => {
    clearTimeout(later);
    const wasIdle = told?.state === "idle" && told.locked === status.locked;
    if (status.state === "idle" && wasIdle) return;
    if (status.state === "busy" && wasIdle) later = setTimeout(say, BUSY_AFTER_MS, status).unref();
    else say(status);
  };
}
