/**
 * Modules that import each other in a circle may work only when the circle is entered where it was entered the first time.
 * Whoever asks for another of them after an edit gets them in the old order.
 */
import type { ModuleRecord } from "./module-record.ts";
import type { ModuleTable } from "./module-table.ts";

export class LoadOrder {
  readonly #table: ModuleTable;
  /** What forms imported, in this order. */
  readonly #roots = new Set<ModuleRecord>();
  #lastRoot: ModuleRecord | undefined;

  constructor(table: ModuleTable) {
    this.#table = table;
  }

  /** A form names the module in an import. */
  noteAsked(target: ModuleRecord): void {
    this.#lastRoot = this.#roots.has(target) ? undefined : target;
    this.#roots.add(target);
  }

  /** Which modules are loaded before the one that a form needs: with it they would be loaded anyway. */
  before(target: ModuleRecord): readonly ModuleRecord[] {
    if (!isDue(target)) return [];
    const wanted = this.#preorder([target], isDue);
    const known = this.#preorder(this.#roots, () => true);
    const placed = new Set<ModuleRecord>();
    return [...wanted].flatMap((first) => {
      if (placed.has(first)) return [];
      const circle = this.#circleOf(first).filter((each) => wanted.has(each));
      for (const each of circle) placed.add(each);
      const entry = [...known].find((each) => circle.includes(each));
      return entry === undefined || entry === first ? [] : [entry];
    });
  }

  /** What was asked for last threw: that is no order to keep. */
  noteThrown(): void {
    if (this.#lastRoot !== undefined) this.#roots.delete(this.#lastRoot);
  }

  #preorder(roots: Iterable<ModuleRecord>, isMeant: (each: ModuleRecord) => boolean): Set<ModuleRecord> {
    const found = new Set<ModuleRecord>();
    const visit = (each: ModuleRecord): void => {
      if (found.has(each) || !isMeant(each)) return;
      found.add(each);
      for (const path of each.imports) {
        const next = this.#table.find(path);
        if (next !== undefined) visit(next);
      }
    };
    for (const root of roots) visit(root);
    return found;
  }

  #circleOf(target: ModuleRecord): ModuleRecord[] {
    const importers = this.#table.withImporters([target]);
    return [...this.#preorder([target], (each) => importers.has(each))];
  }
}

/** Loaded before, and to be loaded anew. */
function isDue({ version, text }: ModuleRecord): boolean {
  return version > 1 && text === undefined;
}
