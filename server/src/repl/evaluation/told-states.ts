/** Tells of the image's states: a form that ends at once is not worth two messages and a flicker in the editor. */
import type { ReplStatus } from "../../protocol/repl-shapes.ts";

/** A form that takes longer than that makes the image busy for those who look on. */
const BUSY_AFTER_MS = 40;

/** Contract: every other state is told at once, and after the last call what was told last is what the image is. */
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
