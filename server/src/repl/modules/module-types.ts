/** What the rest of the engine knows of the project's modules and asks of the service that hands them to the image. */
import type { ClassSpec } from "../source/class-spec.ts";
import type { EmitOptions } from "../source/compiler-options.ts";
import type { BridgeAnswer, BridgeNeed } from "../child/wire/wire.ts";
import type { ModuleFormat } from "./module-format.ts";
import type { ReplacedTexts } from "./replaced-texts.ts";
import type { Merged } from "../redefine/module-merge.ts";
import type { PositionMapper } from "../source/source-position.ts";

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
  /** Whether the image has it already. */
  readonly isLoaded: boolean;
  /** It belongs to a package, and was loaded as it is. */
  readonly isDependency?: true;
  /** As the image runs it. */
  readonly code: string;
  readonly names: ReadonlySet<string>;
  readonly classes: ReadonlyMap<string, ClassSpec>;
}

export interface ModuleService {
  readonly answer: (need: BridgeNeed) => BridgeAnswer;
  /** Loaded modules whose text has changed since, project-relative. */
  readonly changed: () => readonly string[];
  /** From now on imports give the new code of what changed, and of what imports it. */
  readonly refresh: () => void;
  /** It threw, or what it needs did, before it had run: there is no code of it that runs. By its path. */
  readonly isUnfinished: (path: string) => boolean;
  /** Modules that were loaded anew since the last call, project-relative. */
  readonly takeReloaded: () => readonly string[];
  /** What kept modules from being found as the project means them, as sentences; each is told once. */
  readonly takeTroubles: () => readonly string[];
  /** The module as the next evaluation in its scope needs it. */
  readonly prepare: (path: string) => PreparedModule | { reason: string };
  /** Every module that was handed to the image, in the version that is current. */
  readonly loaded: () => readonly LoadedModule[];
  /** A module and the loaded modules that import it, directly or not; undefined when it is not loaded. */
  readonly dependents: (path: string) => readonly LoadedModule[];
  /**
   * Gives a module another text than its source and makes it and its importers due to be loaded anew, until the source
   * changes. `undo` takes that back, for when the text does not run.
   */
  readonly replaceText: (
    path: string,
    merge: (text: string) => Merged | { readonly reason: string },
  ) => { readonly urls: readonly string[]; readonly undo: () => void } | { readonly reason: string };
  /** The real path of what an import in a module means. */
  readonly meantBy: (specifier: string, fromPath: string) => string | undefined;
  readonly shown: (path: string) => string;
  /** Remembers that a module runs definitions that its source does not have. */
  readonly installed: ReplacedTexts["installed"];
  readonly redefinitionsOf: ReplacedTexts["redefinitionsOf"];
  /** The source of what was compiled last, without what forms merged into it, and the names bound at the top level of what came out. */
  readonly built: (path: string) => { text: string; names: () => ReadonlySet<string> } | undefined;
  /** How the code of a module is compiled, or that of the project's root folder; forms follow it. */
  readonly emitOptions: (module?: Pick<PreparedModule, "path" | "text" | "isDependency">) => EmitOptions;
  readonly mapper: (url: string) => PositionMapper | undefined;
  /** A line (0-based) of a module as it was loaded, or of another readable file. */
  readonly line: (path: string, line: number) => string | undefined;
}
