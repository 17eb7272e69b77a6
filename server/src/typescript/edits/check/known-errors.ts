/** Errors under texts that are in no file, remembered by the texts on which they depend. */
import { hash } from "node:crypto";
import { type Reach } from "./edit-check.ts";
import { errorsWith, type ErrorsByFile, type FileError, type TextsByFile } from "./file-errors.ts";
import type { ViewState } from "../../view.ts";

/** A person who goes through the parts of a proposal asks about few texts of each file. */
const MAX_KNOWN = 20_000;

export class KnownErrors {
  readonly #known = new Map<string, readonly FileError[]>();
  readonly #hashes = new Map<string, string>();
  #state: ViewState | undefined;

  /** The errors of the files that the texts reach. Only those are asked for that are not known. */
  async with({ now, sources }: Reach, texts: TextsByFile, signal: AbortSignal): Promise<ErrorsByFile> {
    this.#forgetWhatMoved(now.basis.state, texts);
    const keys = new Map([...sources].map(([file, own]) => [file, this.#keyOf(file, own, texts)]));
    const files = [...sources.keys()].filter((file) => !this.#known.has(keys.get(file) ?? ""));
    const asked = await errorsWith(now, { texts, files }, signal);
    const errors = new Map<string, readonly FileError[]>();
    for (const [file, key] of keys) {
      const found = asked.get(file) ?? this.#known.get(key) ?? [];
      if (this.#known.size < MAX_KNOWN) this.#known.set(key, found);
      errors.set(file, found);
    }
    return errors;
  }

  /** What is known depends on every other file as it was. */
  #forgetWhatMoved(state: ViewState, texts: TextsByFile): void {
    const before = this.#state;
    this.#state = state;
    if (before === undefined) return;
    const changed = before.native.exited === state.native.exited ? state.changedSince(before.age) : undefined;
    if (changed === undefined || changed.some(({ file }) => !texts.has(file))) this.#known.clear();
  }

  #keyOf(file: string, sources: readonly string[], texts: TextsByFile): string {
    const parts = sources.toSorted().map((source) => `${source}\0${this.#hashOf(texts.get(source) ?? null)}`);
    return [file, ...parts].join("\0");
  }

  #hashOf(text: string | null): string {
    if (text === null) return "";
    const known = this.#hashes.get(text) ?? hash("sha256", text);
    this.#hashes.set(text, known);
    return known;
  }
}
