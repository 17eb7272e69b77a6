/** Tells of the image's states: a form that ends at once is not worth two messages and a flicker in the editor. */
import type { ReplStatus } from "../../protocol/repl-shapes.ts";

/** A form that takes longer than that makes the image busy for those who look on. */
const BUSY_AFTER_MS = 40;

/** Contract: every other state is told at once, and after the last call what was told last is what the image is. */
export function toldStates(tell: (status: ReplStatus) => void): (status: ReplStatus) => void {
  let told: ReplStatus["state"] | undefined;
  let later: NodeJS.Timeout | undefined;
  const say = (status: ReplStatus): void => {
    told = status.state;
    tell(status);
  };
  return (status) => {
    clearTimeout(later);
    if (status.state === "idle" && told === "idle") return;
    if (status.state === "busy" && told === "idle") later = setTimeout(say, BUSY_AFTER_MS, status).unref();
    else say(status);
  };
}
