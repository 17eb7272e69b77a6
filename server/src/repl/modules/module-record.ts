/** What is known of one module of the project, over all the versions in which the image had it. */
import type { Instrumented } from "./instrument.ts";
import type { ModuleFormat } from "./module-format.ts";
import type { PositionMapper } from "../forms/source-position.ts";

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
  /** An import of it was not found: it may be found the next time. */
  incomplete: boolean;
  format: ModuleFormat;
  readonly importers: Set<string>;
  readonly mappers: Map<number, PositionMapper>;
}

export function recordOf(records: Map<string, ModuleRecord>, path: string): ModuleRecord {
  let known = records.get(path);
  if (known === undefined) {
    const fresh = { version: 1, text: undefined, stamp: "", built: undefined, incomplete: false };
    known = { ...fresh, path, format: "module", importers: new Set(), mappers: new Map() };
    records.set(path, known);
  }
  return known;
}
