/** The texts of a proposal's documents as they would be with some of its hunks. Nothing is decided, nothing is written. */
import { composeDecision } from "../apply/compose-decision.ts";
import type { CurrentText } from "../apply/compose-edit.ts";
import { partsBy, type Decided } from "../apply/part-hunks.ts";
import { step } from "../hunk-state.ts";
import type { HunkDecision } from "../../protocol/proposal-shapes.ts";
import type { TrackedDocument, TrackedHunk } from "../proposal.ts";

export interface SubsetTexts {
  /** By URI, every document of the proposal; null for a document that would not exist. */
  readonly texts: ReadonlyMap<string, string | null>;
  /** Chosen hunks whose place the documents no longer have: the texts are without them. */
  readonly conflicts: readonly string[];
}

/** The hunks that decisions would let in, with the person's own text where they wrote one. */
export function chosenHunks(decided: readonly Decided[]): TrackedHunk[] {
  return decided.flatMap(({ hunk, decision }) => {
    if (decision.decision === "reject") return [];
    if (decision.lines !== undefined) return takenLines(hunk, decision.lines);
    return { ...hunk, now: step(hunk.now, { is: "decided", decision }) };
  });
}

/** The pieces with these lines, under the name of the hunk that the person sees. */
function takenLines(hunk: TrackedHunk, lines: NonNullable<HunkDecision["lines"]>): TrackedHunk[] {
  return partsBy(hunk, lines).flatMap((part) => (part.isTaken ? { ...part.hunk, id: hunk.id } : []));
}

/**
 * Exactly the chosen hunks go into the documents as they are now; hunks that were applied earlier are in them
 * already. `currentOf` answers null for a document that does not exist.
 */
export function composeSubset(
  documents: readonly TrackedDocument[],
  chosen: readonly TrackedHunk[],
  currentOf: (uri: string) => CurrentText | null,
): SubsetTexts {
  const texts = new Map<string, string | null>();
  for (const { at, movedTo, bytes } of documents) {
    if (bytes !== undefined) continue;
    for (const { uri } of movedTo === undefined ? [at] : [at, movedTo]) texts.set(uri, currentOf(uri)?.text ?? null);
  }
  const { composed, conflicts } = composeDecision(
    chosen.filter(({ document }) => document.bytes === undefined),
    {
      textOf: (uri) => {
        const current = currentOf(uri);
        return current === null ? undefined : { ...current, sha256: "" };
      },
      isThere: (uri) => currentOf(uri) !== null,
      whyMoved: () => undefined,
    },
  );
  // One file may come to the place that another one leaves.
  for (const { document, whole } of composed) if (whole !== undefined) texts.set(document.at.uri, null);
  for (const { at, expected } of composed) if (expected !== null) texts.set(at.uri, expected);
  return { texts, conflicts: [...new Set(conflicts.map(({ hunk }) => hunk.id))] };
}
