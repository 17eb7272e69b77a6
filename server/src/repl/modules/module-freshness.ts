/** Finds loaded modules whose text has changed, and makes them due to be reloaded. */
import type { ModuleRecord } from "./module-record.ts";
import type { ModuleTable } from "./module-table.ts";
import type { ProjectSources } from "./project-sources.ts";
import type { ReplacedTexts } from "./replaced-texts.ts";

export class ModuleFreshness {
  readonly #table: ModuleTable;
  readonly #stamp: ProjectSources["stamp"];
  readonly #texts: ReplacedTexts;

  constructor(table: ModuleTable, { stamp }: Pick<ProjectSources, "stamp">, texts: ReplacedTexts) {
    this.#table = table;
    this.#stamp = stamp;
    this.#texts = texts;
  }

  /** Loaded modules whose text has changed since. */
  changed(): readonly ModuleRecord[] {
    return this.#table.all().filter((target) => !target.incomplete && this.#hasChanged(target));
  }

  /** From now on imports reload changed modules and their importers, and also modules that did not run to their end. */
  outdateChanged(): void {
    const all = this.#table.all();
    const edited = all.filter((target) => this.#hasChanged(target));
    for (const target of edited) target.edited ||= !target.incomplete;
    const changed = this.#table.withImporters(edited);
    const unfinished = all.filter((target) => target.unfinished);
    for (const target of unfinished) if (!changed.has(target)) target.asked = true;
    this.#table.outdate(new Set([...changed, ...unfinished]));
  }

  /**
   * Modules that threw while they ran are unfinished, and so are modules that did not begin because of them. A module
   * that ran to its end keeps its state, even if it imported a module that threw.
   */
  noteThrown(urls: readonly string[], unbegun: readonly string[]): void {
    const current = (all: readonly string[]): readonly ModuleRecord[] =>
      this.#table.all().filter((each) => all.includes(this.#table.urlOf(each)));
    const waiting = current(unbegun);
    for (const each of this.#table.withImporters(current(urls), (one) => waiting.includes(one))) each.unfinished = true;
  }

  #hasChanged(target: ModuleRecord): boolean {
    if (target.text === undefined) return false;
    if (target.incomplete) return true;
    const now = this.#stamp(target.path);
    if (now === "missing" || (now !== "buffer" && now === target.stamp)) return false;
    const same = this.#texts.textOf(target.path) === target.text;
    if (same) target.stamp = now;
    return !same;
  }
}
