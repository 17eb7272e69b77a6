/**
 * What became of a text since a proposal was made for it. Asked again and again while a person types, so the lines that
 * both texts begin and end with are left out before anything is compared.
 */
import { changesOf, loadDiff, type TextChange } from "./hunks.ts";

const SYNC_TIMEOUT_MS = 500;
const ASYNC_TIMEOUT_MS = 5_000;
/** In characters: what is compared within a millisecond is not worth a step. */
const SHORT = 4_000;

/** The changes that turn `base` into `now`, in order. A difference that is too large to compute in time is one change. */
export function changesSince(base: string, now: string): TextChange[] {
  const [from, to, offset] = differing(base, now);
  if (from === to) return [];
  const parts = loadDiff().diffLines(from, to, { timeout: SYNC_TIMEOUT_MS });
  return placed(parts === undefined ? undefined : changesOf(parts), from, to, offset);
}

/** The same changes, computed in small steps between which the event loop goes on. */
export async function changesSinceInSteps(base: string, now: string): Promise<TextChange[]> {
  const [from, to, offset] = differing(base, now);
  if (from.length + to.length < SHORT) return changesSince(base, now);
  const changes = await new Promise<TextChange[] | undefined>((resolve) => {
    loadDiff().diffLines(from, to, {
      timeout: ASYNC_TIMEOUT_MS,
      // Called without parts when the time is over.
      callback: (parts: Parameters<typeof changesOf>[0] | undefined) =>
        resolve(parts === undefined ? undefined : changesOf(parts)),
    });
  });
  return placed(changes, from, to, offset);
}

function placed(changes: TextChange[] | undefined, from: string, to: string, offset: number): TextChange[] {
  if (changes === undefined) return [{ start: offset, end: offset + from.length, newText: to }];
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
