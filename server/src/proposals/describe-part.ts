/** Which lines a piece of a hunk is about, in words for the model: it proposed the hunk and never saw the pieces. */
import type { HunkOutcome } from "./proposal.ts";

const QUOTED_LINES = 40;

/**
 * The pieces of hunks that did not go in as a whole. The pieces of other hunks need no quoting: their lines are those
 * that were proposed.
 */
export function piecesToQuote(hunks: readonly HunkOutcome[]): ReadonlySet<HunkOutcome> {
  const families = Map.groupBy(
    hunks.filter(({ partOf }) => partOf !== undefined),
    ({ document, partOf }) => `${document} ${partOf}`,
  );
  const mixed = [...families.values()].filter((pieces) => !pieces.every(isSimplyApplied));
  return new Set(mixed.flat());
}

/** The lines of a piece as a diff has them; what the person wrote instead is quoted elsewhere. */
export function quotePiece({ oldText, newText, state }: HunkOutcome): string[] {
  const lines = [...signed("-", oldText), ...(state === "edited" ? [] : signed("+", newText))];
  const shown = lines.slice(0, QUOTED_LINES).map((line) => `    ${line}`);
  return lines.length > QUOTED_LINES ? [...shown, `    … ${lines.length - QUOTED_LINES} more lines`] : shown;
}

/** Accepted as it was proposed, applied, and still there. */
export function isSimplyApplied({ state, applied, later }: HunkOutcome): boolean {
  return state === "accepted" && applied && later === undefined;
}

function signed(sign: string, text: string): string[] {
  const lines = text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
  return lines.map((line) => `${sign}${line}`);
}
