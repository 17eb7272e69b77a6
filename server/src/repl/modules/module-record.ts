/** The facts about one module of the project, over all the versions that the image loaded. */
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
  /** The last build, which is used again when an importer is reloaded and its text did not change. */
  built: BuiltModule | undefined;
  /** An import that the module needs in order to load was not found; the next attempt may find it. */
  incomplete: boolean;
  /** The module, or a module that it needs, threw before the module had run to its end: the next import tries again. */
  unfinished: boolean;
  /** A form asked for the module to be reloaded, so the form needs no note about it. */
  asked: boolean;
  /**
   * The module's own text changed, which no note has told yet; false when the module is reloaded because of its
   * imports.
   */
  edited: boolean;
  format: ModuleFormat;
  /** The version that was last reported as reloaded: both `require` and an import may ask for a CommonJS module. */
  told: number;
  readonly importers: Set<string>;
  /** The modules that this module asked for, in this order. */
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
 * Whether the module's own code imports or requires the specifier while it loads. A later call of `import()` and a form
 * in the module's scope ask again each time, so their failure is no reason to lose the module's state.
 */
export function needsToLoad({ built }: ModuleRecord, specifier: string): boolean {
  const name = specifier.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
  const load = new RegExp(`\\b(?:from|import|require\\s*\\()\\s*(["'])${name}\\1`);
  return built === undefined || load.test(built.module.code);
}
