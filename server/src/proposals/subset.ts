/** The texts of a proposal's documents as they would be with some of its hunks. Nothing is decided, nothing is written. */
import { composeDocument, type CurrentText } from "./compose-edit.ts";
import type { Decided } from "./decisions.ts";
import type { TrackedDocument, TrackedHunk } from "./proposal.ts";

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
    if (decision.decision === "accept") return { ...hunk };
    return { ...hunk, editedText: (decision.newText ?? hunk.newText).toWellFormed() };
  });
}

/**
 * Exactly the chosen hunks go into the documents as they are now; what was applied earlier stands in them already.
 * `currentOf` answers null for a document that does not exist.
 */
export function composeSubset(
  documents: readonly TrackedDocument[],
  chosen: readonly TrackedHunk[],
  currentOf: (uri: string) => CurrentText | null,
): SubsetTexts {
  const texts = new Map<string, string | null>();
  const conflicts: string[] = [];
  for (const document of documents) {
    const current = currentOf(document.uri);
    const own = chosen.filter(({ uri }) => uri === document.uri);
    const composition = own.length === 0 ? undefined : composeDocument(document, own, current);
    texts.set(document.uri, composition?.document?.expected ?? current?.text ?? null);
    conflicts.push(...(composition?.conflicts ?? []));
  }
  return { texts, conflicts };
}
