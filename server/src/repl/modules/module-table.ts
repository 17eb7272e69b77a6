/** The project's modules that the image asked for, each with its version, its URL and its importers. */
import { fileURLToPath, pathToFileURL } from "node:url";
import type { BridgeAnswer } from "../child/wire/wire.ts";
import { bare } from "./module-answers.ts";
import { newRecord, type ModuleRecord } from "./module-record.ts";
import type { LoadedModule } from "./module-types.ts";
import type { PositionMapper } from "../source/source-position.ts";

const VERSION = "agentq";

export class ModuleTable {
  readonly #records = new Map<string, ModuleRecord>();
  /** Paths of CommonJS modules whose instances the image must forget before the next load. */
  readonly #forget: string[] = [];

  find(path: string): ModuleRecord | undefined {
    return this.#records.get(path);
  }

  /** The module's record; a new one where there is none. */
  record(path: string): ModuleRecord {
    const known = this.#records.get(path) ?? newRecord(path);
    this.#records.set(path, known);
    return known;
  }

  all(): readonly ModuleRecord[] {
    return [...this.#records.values()];
  }

  urlOf({ path, version }: ModuleRecord): string {
    const url = pathToFileURL(path).href;
    return version === 1 ? url : `${url}?${VERSION}=${version}`;
  }

  isVersioned(url: string): boolean {
    return new URL(url).searchParams.has(VERSION);
  }

  /** Maps positions in the code that the image runs under the URL to positions in the module's source. */
  mapper(url: string): PositionMapper | undefined {
    const version = Number(new URL(url).searchParams.get(VERSION) ?? 1);
    return this.find(fileURLToPath(bare(url)))?.mappers.get(version);
  }

  /** The modules and all their importers, directly or not, as long as `isMeant` holds for an importer. */
  withImporters(
    targets: Iterable<ModuleRecord>,
    isMeant: (importer: ModuleRecord) => boolean = () => true,
  ): ReadonlySet<ModuleRecord> {
    const found = new Set<ModuleRecord>();
    const spread = (target: ModuleRecord): void => {
      if (found.has(target)) return;
      found.add(target);
      for (const importer of target.importers) {
        const known = this.find(importer);
        if (known !== undefined && isMeant(known)) spread(known);
      }
    };
    for (const target of targets) spread(target);
    return found;
  }

  /** Gives each module a version that was never tried: the next import reloads it. */
  outdate(stale: Iterable<ModuleRecord>): void {
    for (const target of stale) {
      if (target.format === "commonjs") this.#forget.push(target.path);
      target.version = Math.max(target.version, target.failed) + 1;
      target.text = undefined;
      target.incomplete = false;
      target.unfinished = false;
    }
  }

  hasToForget(): boolean {
    return this.#forget.length > 0;
  }

  takeForgotten(): Pick<BridgeAnswer, "forget"> {
    return this.hasToForget() ? { forget: this.#forget.splice(0) } : {};
  }

  /** Every module that was handed to the image, in its current version. */
  loaded(): readonly LoadedModule[] {
    return this.all().flatMap((target) => this.#loadedOf(target));
  }

  /** The module and the loaded modules that import it, directly or not; empty when the module is not known. */
  dependents(path: string): readonly LoadedModule[] {
    const target = this.find(path);
    return target === undefined ? [] : [...this.withImporters([target])].flatMap((each) => this.#loadedOf(each));
  }

  #loadedOf(target: ModuleRecord): LoadedModule[] {
    const { path, format, text, importers, built } = target;
    if (text === undefined || built?.text !== text) return [];
    return [{ path, url: this.urlOf(target), format, text, importers, names: built.module.names }];
  }
}
