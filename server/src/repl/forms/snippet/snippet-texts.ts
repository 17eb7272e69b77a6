/** The latest snippets as errors need them: the evaluation, the form's text, and how to find a position in the text. */
import type { Position, PositionMapper } from "../../source/source-position.ts";

export interface SnippetText {
  readonly mapper: PositionMapper;
  readonly text: string;
  readonly evalId: string;
  /** Where the form's own `await`s begin. */
  readonly awaits?: () => readonly (Position | undefined)[];
}

const REMEMBERED = 500;

export class SnippetTexts {
  readonly #snippets = new Map<number, SnippetText>();

  get(number: number): SnippetText | undefined {
    return this.#snippets.get(number);
  }

  /** The number of the latest snippet of that evaluation. */
  numberOf(evalId: string): number | undefined {
    return [...this.#snippets].findLast(([, snippet]) => snippet.evalId === evalId)?.[0];
  }

  add(number: number, snippet: SnippetText): void {
    this.#snippets.set(number, snippet);
    for (const oldest of this.#snippets.keys()) {
      if (this.#snippets.size <= REMEMBERED) break;
      this.#snippets.delete(oldest);
    }
  }
}
