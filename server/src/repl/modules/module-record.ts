/** What is known of one module of the project, over all the versions in which the image had it. */
import type { Instrumented } from "../source/instrument.ts";
import type { ModuleFormat } from "./module-format.ts";
import type { PositionMapper } from "../source/source-position.ts";

export interface BuiltModule {
  readonly text: string;
  readonly variant: string;
  readonly mapper: PositionMapper;
  readonly module: Instrumented;
}

export interface ModuleRecord {
  readonly path: string;
  version: number;
  /** The text that the image runs; undefined while the present version is not loaded. */
  text: string | undefined;
  stamp: string;
  /** What was made of which text, for importers that are loaded anew with a text that did not change. */
  built: BuiltModule | undefined;
  /** What it imports as it loads was not found: it may be found the next time. */
  incomplete: boolean;
  /** It threw, or what it needs did, before it had run: the next import tries again. */
  unfinished: boolean;
  format: ModuleFormat;
  /** The version of which was said that it is loaded anew: CommonJS may be asked for by `require` and by an import. */
  told: number;
  readonly importers: Set<string>;
  readonly mappers: Map<number, PositionMapper>;
}

export function recordOf(records: Map<string, ModuleRecord>, path: string): ModuleRecord {
  let known = records.get(path);
  if (known === undefined) {
    const fresh = {
      version: 1,
      text: undefined,
      stamp: "",
      built: undefined,
      incomplete: false,
      unfinished: false,
      told: 1,
    };
    known = { ...fresh, path, format: "module", importers: new Set(), mappers: new Map() };
    records.set(path, known);
  }
  return known;
}

/**
 * Whether its code itself imports or requires that, and not a call of `import()` later on or a form in its scope: such a
 * call asks anew each time, and what failed of it is no reason to lose the module's state.
 */
export function needsToLoad({ built }: ModuleRecord, specifier: string): boolean {
  const name = specifier.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
  const load = new RegExp(`\\b(?:from|import|require\\s*\\()\\s*(["'])${name}\\1`);
  return built === undefined || load.test(built.module.code);
}

/** The modules and all that import them, directly or not, as far as `isMeant` of them. */
export function withImporters(
  records: ReadonlyMap<string, ModuleRecord>,
  targets: Iterable<ModuleRecord>,
  isMeant: (importer: ModuleRecord) => boolean = () => true,
): ReadonlySet<ModuleRecord> {
  const found = new Set<ModuleRecord>();
  const spread = (target: ModuleRecord): void => {
    if (found.has(target)) return;
    found.add(target);
    for (const importer of target.importers) {
      const known = records.get(importer);
      if (known !== undefined && isMeant(known)) spread(known);
    }
  };
  for (const target of targets) spread(target);
  return found;
}
