/** Bounds of what strangers send: JSON that is too deep or too large to be carried on. */

const MAX_DEPTH = 200;
const MAX_SIZE = 1_000_000;

/** Why a JSON value is not taken, as the end of a sentence; undefined when it may be. Never recursive, never long. */
export function whyTooLarge(value: unknown): string | undefined {
  let size = 0;
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return `nested deeper than ${MAX_DEPTH} levels`;
    const next: unknown[] = [];
    for (const each of level) {
      size += 1;
      if (typeof each === "string") size += each.length;
      else if (Array.isArray(each)) for (const item of each as unknown[]) next.push(item);
      else if (typeof each === "object" && each !== null) {
        for (const [key, item] of Object.entries(each)) {
          size += key.length;
          next.push(item);
        }
      }
      if (size + next.length > MAX_SIZE) return `larger than ${MAX_SIZE} characters`;
    }
    level = next;
  }
  return undefined;
}
