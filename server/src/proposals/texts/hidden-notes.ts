/** Names what a person cannot see in the text they are asked to accept. */
import { linesAt } from "../../base/line-breaks.ts";
import { hiddenCharacters, type HiddenCharacter } from "../../workspace/hidden-characters.ts";
import type { TextChange } from "./hunks.ts";

export interface DocumentChanges {
  readonly path: string;
  readonly base: string;
  readonly target: string;
  /** In the order of the text. */
  readonly changes: readonly TextChange[];
}

export interface HiddenNotes {
  /** `U+202E, U+200B` */
  readonly names: string;
  /** A sentence with the lines. */
  readonly sentence: string;
}

const SHOWN = 8;

/** What the changes bring in that was not in the lines they replace; undefined for nothing. */
export function hiddenNotes(documents: readonly DocumentChanges[]): HiddenNotes | undefined {
  const places = documents.flatMap(placesIn);
  if (places.length === 0) return undefined;
  const shown = places.slice(0, SHOWN).map(({ path, line, name }) => `${name} in ${path}:${line}`);
  const more = places.length > SHOWN ? `, and ${places.length - SHOWN} more` : "";
  return {
    names: [...new Set(places.map(({ name }) => name))].slice(0, SHOWN).join(", "),
    sentence: `CAUTION: the new text has characters that cannot be seen or that turn its order: ${shown.join(", ")}${more}.`,
  };
}

interface Place {
  readonly path: string;
  /** In the new text, counted from 1. */
  readonly line: number;
  readonly name: string;
}

function placesIn({ path, base, target, changes }: DocumentChanges): Place[] {
  const found: HiddenCharacter[] = [];
  let shift = 0;
  for (const { start, end, newText } of changes) {
    const before = hiddenCharacters(base.slice(start, end)).map(({ name }) => name);
    for (const { offset, name } of hiddenCharacters(newText)) {
      const known = before.indexOf(name);
      if (known !== -1) before.splice(known, 1);
      else found.push({ offset: start + shift + offset, name });
    }
    shift += newText.length - (end - start);
  }
  if (found.length === 0) return [];
  const lines = linesAt(
    target,
    found.map(({ offset }) => offset),
  );
  return found.map(({ name }, index) => ({ path, line: lines[index] ?? 1, name }));
}
