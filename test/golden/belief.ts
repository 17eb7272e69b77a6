/** What a reader believes of one document. */

/** A line that is known to have changed, without its text. */
export const CHANGED = "changed since it was read";
export const UNKNOWN = "never read";

export class Belief {
  readonly lines = new Map<number, string>();
  isUnsaved: boolean | undefined;
  exists: boolean | undefined;

  line(number: number): string {
    return this.lines.get(number) ?? UNKNOWN;
  }

  /** Something changed in lines like these. */
  forget(like = /^/): void {
    for (const [number, text] of this.lines) if (like.test(text)) this.lines.set(number, CHANGED);
  }
}
