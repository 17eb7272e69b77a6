/**
 * Modules that import each other in a circle may work only when the module that was loaded first the first time is
 * loaded first again. After an edit, a form that asks for another module of the circle gets them in the old order.
 */
import type { ModuleRecord } from "./module-record.ts";
import type { ModuleTable } from "./module-table.ts";

export class LoadOrder {
  readonly #table: ModuleTable;
  /** The modules that forms imported, in this order. */
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

  /** The modules that are loaded before `target`. All of them would be loaded with `target` anyway. */
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

  /** The module that a form asked for last threw, so its order is not kept. */
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

/** The module was loaded before and will be reloaded. */
function isDue({ version, text }: ModuleRecord): boolean {
  return version > 1 && text === undefined;
}
