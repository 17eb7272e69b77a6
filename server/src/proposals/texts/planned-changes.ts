/** The changes of proposed documents, which a caller with many of them has worked out a few at a time before anybody needs them. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ProposedDocument } from "../proposal.ts";
import { hashedLines } from "./hashed-lines.ts";
import { changesAlong, changesBetween, type TextChange } from "./hunks.ts";
import { linePathInSteps } from "./line-path.ts";

const SLICE_MS = 8;
const known = new WeakMap<ProposedDocument, readonly TextChange[]>();

/** None for a document that is created or deleted. */
export function plannedChanges(document: ProposedDocument): readonly TextChange[] {
  const { base, target } = document;
  if (base === null || target === null) return [];
  const changes = document.changes ?? known.get(document) ?? changesBetween(base.text, target);
  known.set(document, changes);
  return changes;
}

/** Gives the event loop its turn between documents, and in the middle of a large one. */
export async function planChanges(documents: readonly ProposedDocument[]): Promise<void> {
  const turns = new Turns();
  for (const document of documents) {
    const { base, target } = document;
    if (base === null || target === null || base.text === target || known.has(document)) continue;
    const own = hashedLines(base.text);
    await turns.next();
    const other = hashedLines(target);
    await turns.next();
    const steps = linePathInSteps(own, other);
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) await turns.next();
    known.set(document, changesAlong(step.value, own, other));
    await turns.next();
  }
}

class Turns {
  #sliceEnd = performance.now() + SLICE_MS;

  async next(): Promise<void> {
    if (performance.now() < this.#sliceEnd) return;
    await nextTurn();
    this.#sliceEnd = performance.now() + SLICE_MS;
  }
}
