/** What the compiler was told, in order, for whoever knows an earlier state of it. */
import type { FileChangeType } from "../files/tracked-files.ts";
import type { ToldChange } from "../view.ts";

const MAX_KEPT = 5_000;

export class ToldChanges {
  #changes: (ToldChange & { readonly telling: number })[] = [];
  /** Not everything about tellings up to this one is kept. */
  #forgotten = 0;

  note(telling: number, documents: readonly string[], disk: ReadonlyMap<string, FileChangeType>): void {
    this.#changes.push(
      ...documents.map((file) => ({ telling, file })),
      ...[...disk].map(([file, type]) => ({ telling, file, type })),
    );
    const tooMany = this.#changes.length - MAX_KEPT;
    if (tooMany <= 0) return;
    this.#forgotten = this.#changes[tooMany - 1]?.telling ?? telling;
    this.#changes = this.#changes.filter((change) => change.telling > this.#forgotten);
  }

  /** Undefined when something of it is forgotten. */
  since(age: number): readonly ToldChange[] | undefined {
    return age < this.#forgotten ? undefined : this.#changes.filter(({ telling }) => telling > age);
  }
}
