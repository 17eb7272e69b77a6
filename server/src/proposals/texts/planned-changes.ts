/** The changes of proposed documents, which a caller with many of them has worked out a few at a time before anybody needs them. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ProposedDocument } from "../proposal.ts";
import { changesBetween, type TextChange } from "./hunks.ts";

const SLICE_MS = 8;
const known = new WeakMap<ProposedDocument, readonly TextChange[]>();

/** None for a document that is created or deleted. */
export function plannedChanges(document: ProposedDocument): readonly TextChange[] {
  const { base, target } = document;
  if (base === null || target === null) return [];
  const changes = known.get(document) ?? changesBetween(base.text, target);
  known.set(document, changes);
  return changes;
}

/** Gives the event loop its turn between documents. */
export async function planChanges(documents: readonly ProposedDocument[]): Promise<void> {
  let sliceEnd = performance.now() + SLICE_MS;
  for (const document of documents) {
    plannedChanges(document);
    if (performance.now() < sliceEnd) continue;
    await nextTurn();
    sliceEnd = performance.now() + SLICE_MS;
  }
}
