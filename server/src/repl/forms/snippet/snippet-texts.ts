/** The latest snippets, for errors: the evaluation, the form's text, and the mapper of positions in it. */
import type { Position, PositionMapper } from "../../source/source-position.ts";

export interface SnippetText {
  readonly mapper: PositionMapper;
  readonly text: string;
  readonly evalId: string;
  /** The beginnings of the form's own `await`s. */
  readonly awaits?: () => readonly (Position | undefined)[];
}

const REMEMBERED = 500;

export class SnippetTexts {
  readonly #snippets = new Map<number, SnippetText>();

  get(number: number): SnippetText | undefined {
    return this.#snippets.get(number);
  }

  /** The number of the evaluation's latest snippet. */
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
