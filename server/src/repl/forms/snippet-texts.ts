/** The latest snippets as errors need them: the evaluation, the form's text, and how to find a position in the text. */
import type { Position, PositionMapper } from "../source/source-position.ts";

export interface SnippetText {
  readonly mapper: PositionMapper;
  readonly text: string;
  readonly evalId: string;
  /** Where the form's own `await`s begin. */
  readonly awaits?: () => readonly (Position | undefined)[];
}

export interface SnippetTexts {
  readonly get: (number: number) => SnippetText | undefined;
  /** The number of the latest snippet of that evaluation. */
  readonly numberOf: (evalId: string) => number | undefined;
  readonly add: (number: number, snippet: SnippetText) => void;
}

const REMEMBERED = 500;

export function createSnippetTexts(): SnippetTexts {
  const snippets = new Map<number, SnippetText>();
  return {
    get: (number) => snippets.get(number),
    numberOf: (evalId) => [...snippets].findLast(([, snippet]) => snippet.evalId === evalId)?.[0],
    add: (number, snippet) => {
      snippets.set(number, snippet);
      for (const oldest of snippets.keys()) {
        if (snippets.size <= REMEMBERED) break;
        snippets.delete(oldest);
      }
    },
  };
}
