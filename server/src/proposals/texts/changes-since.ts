/**
 * What became of a text since a proposal was made for it. Asked again and again while a person types, so the lines that
 * both texts begin and end with are left out before anything is compared.
 */
import { setImmediate as giveWay } from "node:timers/promises";
import { hashedLines } from "./hashed-lines.ts";
import { changesAlong, changesBetween, type TextChange } from "./hunks.ts";
import { linePathInSteps } from "./line-path.ts";

/** The changes that turn `base` into `now`, in order. Of texts with thousands of other lines they are near the fewest. */
export function changesSince(base: string, now: string): TextChange[] {
  const [from, to, offset] = differing(base, now);
  return placed(changesBetween(from, to), offset);
}

/** The same changes, computed in small steps between which the event loop goes on. */
export async function changesSinceInSteps(base: string, now: string): Promise<TextChange[]> {
  const [from, to, offset] = differing(base, now);
  const [own, other] = [hashedLines(from), hashedLines(to)];
  for (const steps = linePathInSteps(own, other); ;) {
    const { done, value } = steps.next();
    if (done === true) return placed(changesAlong(value, own, other), offset);
    await giveWay();
  }
}

function placed(changes: readonly TextChange[], offset: number): TextChange[] {
  return changes.map(({ start, end, newText }) => ({ start: start + offset, end: end + offset, newText }));
}

/** Both texts without the whole lines that they begin and end with, and where in both the rest begins. */
function differing(base: string, now: string): [base: string, now: string, offset: number] {
  if (base === now) return ["", "", 0];
  const shorter = Math.min(base.length, now.length);
  let same = 0;
  while (same < shorter && base.charCodeAt(same) === now.charCodeAt(same)) same += 1;
  const offset = same === 0 ? 0 : base.lastIndexOf("\n", same - 1) + 1;
  let left = 0;
  while (left < shorter - offset && base.charCodeAt(base.length - 1 - left) === now.charCodeAt(now.length - 1 - left)) {
    left += 1;
  }
  const beginsLine = (text: string): boolean => {
    const at = text.length - left;
    return at === offset || text[at - 1] === "\n";
  };
  const lineEnd = base.indexOf("\n", base.length - left);
  const cut = beginsLine(base) && beginsLine(now) ? left : lineEnd === -1 ? 0 : base.length - lineEnd - 1;
  return [base.slice(offset, base.length - cut), now.slice(offset, now.length - cut), offset];
}
