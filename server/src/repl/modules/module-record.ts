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
  /** The last version that was tried and taken back; 0 for none. */
  failed: number;
  /** The text that the image runs; undefined while the present version is not loaded. */
  text: string | undefined;
  stamp: string;
  /** The last build, for importers that are loaded anew with a text that did not change. */
  built: BuiltModule | undefined;
  /** An import that the module needs as it loads was not found: the import may be found the next time. */
  incomplete: boolean;
  /** The module, or one that it needs, threw before the module had run: the next import tries again. */
  unfinished: boolean;
  /** The module is loaded anew because a form asked for that, which is no news for the form. */
  asked: boolean;
  /** The module is loaded anew because its own text changed, which was not told yet; else because of what it imports. */
  edited: boolean;
  format: ModuleFormat;
  /** The version that was reported as loaded anew: CommonJS may be asked for by `require` and by an import. */
  told: number;
  readonly importers: Set<string>;
  /** What the module asked for, in this order. */
  readonly imports: Set<string>;
  readonly mappers: Map<number, PositionMapper>;
}

export function newRecord(path: string): ModuleRecord {
  return {
    path,
    version: 1,
    failed: 0,
    text: undefined,
    stamp: "",
    built: undefined,
    incomplete: false,
    unfinished: false,
    asked: false,
    edited: false,
    format: "module",
    told: 1,
    importers: new Set(),
    imports: new Set(),
    mappers: new Map(),
  };
}

/**
 * Whether the module's code itself imports or requires the specifier, and not a call of `import()` later on or a form
 * in the module's scope: such a call asks anew each time, and its failure is no reason to lose the module's state.
 */
export function needsToLoad({ built }: ModuleRecord, specifier: string): boolean {
  const name = specifier.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
  const load = new RegExp(`\\b(?:from|import|require\\s*\\()\\s*(["'])${name}\\1`);
  return built === undefined || load.test(built.module.code);
}
