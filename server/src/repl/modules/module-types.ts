/** The facts about a module that the rest of the engine uses. */
import type { ClassSpec } from "../source/classes/class-spec.ts";
import type { Instrumented } from "../source/instrument.ts";
import type { ModuleFormat } from "./module-format.ts";

export interface LoadedModule {
  readonly path: string;
  readonly url: string;
  readonly format: ModuleFormat;
  readonly text: string;
  readonly importers: ReadonlySet<string>;
  readonly names: () => ReadonlySet<string>;
}

export interface PreparedModule {
  readonly path: string;
  readonly url: string;
  readonly format: ModuleFormat;
  readonly text: string;
  /** Whether the image has the module already. */
  readonly isLoaded: boolean;
  /** The module belongs to a package and runs unchanged. */
  readonly isDependency?: true;
  /** The path of the source that was asked for, where the module was compiled from it. */
  readonly compiledFrom?: string;
  /** The code that the image runs. */
  readonly code: string;
  readonly names: ReadonlySet<string>;
  readonly classes: ReadonlyMap<string, ClassSpec>;
}

type ModuleFacts = Omit<PreparedModule, "code" | "names" | "classes">;

export function asPrepared(facts: ModuleFacts, { code, names, classes }: Instrumented): PreparedModule {
  return { ...facts, code, names: names(), classes: classes() };
}

/** A module that was reloaded. */
export interface Reloaded {
  /** The path as a person reads it. */
  readonly name: string;
  /** The names of definitions that were installed in the module and are lost. */
  readonly gone: readonly string[];
  /** The module's own text changed; false when only its imports changed. */
  readonly isEdited: boolean;
}
