/**
 * Serves the project's modules to the image: resolved, transpiled, instrumented, and always from the newest text. A
 * module whose text changed gets a new URL, and so does every module that imports it. The old instances stay unchanged,
 * for the values that came from them.
 */
import { CompiledOutputs } from "./compiled-output.ts";
import { join } from "node:path";
import { EmitOptionsReader, withPragmas, type EmitOptions } from "../source/compiler-options.ts";
import type { RunningModule } from "../child/wire/app-frames.ts";
import { REPL_FILE, type BridgeAnswer, type BridgeNeed } from "../child/wire/wire.ts";
import { DependencyModules } from "./dependency-modules.ts";
import { LoadOrder } from "./load-order.ts";
import { ModuleFormats } from "./module-format.ts";
import { notFound, troubleNote } from "./module-answers.ts";
import { ModuleLoader } from "./module-loader.ts";
import { ModuleFreshness } from "./module-freshness.ts";
import { replaceModule, type Merge, type Replacement } from "./module-replacement.ts";
import { ModuleResolver } from "./module-resolver.ts";
import { ModuleTable } from "./module-table.ts";
import { asPrepared, type LoadedModule, type PreparedModule, type Reloaded } from "./module-types.ts";
import { linkRunning, takeRunning } from "./running-modules.ts";
import { ThreadModules } from "./thread-modules.ts";
import { ReplacedTexts, type Redefinition } from "./replaced-texts.ts";
import { bundlerConfig } from "./bundled-files.ts";
import { createProjectSources, isProjectSource, type ProjectSources, type SourceOptions } from "./project-sources.ts";
import type { PositionMapper } from "../source/source-position.ts";
import { declaresType } from "../source/declares-type.ts";
import { lineOf, SourceLines } from "../source/source-lines.ts";
import { loadSwcAhead } from "../source/swc.ts";
import { isProblem } from "../source/transpile.ts";
import { whyNoModule, whyNotParsed } from "./unreachable.ts";
import { errorText } from "../../base/errors.ts";

export interface ModuleInstance {
  readonly name: string;
  /** The URL is different each time that the module is reloaded. */
  readonly url: string;
  /** The next import reloads the module. */
  readonly isOutdated: boolean;
}

const NOT_LOADED = "is not loaded in the program: it has no scope there. Import it in a form to load it";
const NOT_RELOADED =
  "New imports and exports need the module to be loaded again, which a running program cannot do. Define what exists already, or restart the program";

export class ModuleService {
  readonly #replPath: string;
  readonly #sources: ProjectSources;
  readonly #readOpen: SourceOptions["readSource"];
  readonly #mayQuote: (path: string) => boolean;
  readonly #table = new ModuleTable();
  readonly #order = new LoadOrder(this.#table);
  readonly #texts: ReplacedTexts;
  readonly #freshness: ModuleFreshness;
  readonly #resolver: ModuleResolver;
  readonly #formats = new ModuleFormats();
  readonly #emitOptions: EmitOptionsReader;
  readonly #dependencies: DependencyModules;
  readonly #loader: ModuleLoader;
  readonly #threads: ThreadModules;
  readonly #lines = new SourceLines();

  /** A program of the person's loads its modules by itself, once: the server only hears of them. */
  readonly loadsItself: boolean;
  readonly #compiled: CompiledOutputs;
  /** Modules that were taken, and whose imports were not looked through. */
  readonly #unlinked: string[] = [];

  constructor(options: SourceOptions & { readonly emit?: EmitOptions; readonly loadsItself?: boolean }) {
    const { projectRoot, readSource, emit, mayQuote = () => true, loadsItself = false } = options;
    this.loadsItself = loadsItself;
    this.#replPath = join(projectRoot, REPL_FILE);
    this.#sources = createProjectSources(options);
    this.#compiled = new CompiledOutputs(this.#table, this.#sources);
    this.#readOpen = readSource;
    this.#mayQuote = mayQuote;
    this.#texts = new ReplacedTexts((path) => this.#sources.read(path));
    this.#freshness = new ModuleFreshness(this.#table, this.#sources, this.#texts);
    this.#resolver = new ModuleResolver(projectRoot);
    this.#emitOptions = new EmitOptionsReader(projectRoot, emit);
    this.#dependencies = new DependencyModules(this.#sources, this.#formats);
    const compiling = { resolver: this.#resolver, formats: this.#formats, emitOptions: this.#emitOptions };
    this.#threads = new ThreadModules({ sources: this.#sources, ...compiling });
    this.#loader = new ModuleLoader({
      table: this.#table,
      sources: { ...this.#sources, shown: (path) => this.shown(path) },
      texts: this.#texts,
      ...compiling,
      dependencies: this.#dependencies,
      order: this.#order,
    });
    // The first module of a CommonJS project needs swc: it is loaded now, while the image's process starts.
    const format = this.#formats.of(this.#replPath, "export {};", this.#emitOptions.for(this.#replPath));
    if (format === "commonjs") setImmediate(loadSwcAhead);
  }

  answer(need: BridgeNeed): BridgeAnswer {
    try {
      switch (need.op) {
        case "resolve":
          return this.#loader.resolve(need);
        case "load":
          return this.#loader.load(need);
        case "threadResolve":
          return this.#threads.resolve(need);
        case "threadLoad":
          return this.#threads.load(need);
        case "threw":
          this.#freshness.noteThrown(need.urls, need.unbegun);
          this.#order.noteThrown();
          return {};
        case "isType":
          return { yes: this.#table.all().some(({ text }) => text !== undefined && declaresType(text, need.name)) };
        default:
          return need satisfies never;
      }
    } catch (error) {
      // Evaluated code may ask for anything, for instance for text that is no URL.
      return notFound(errorText(error));
    }
  }

  /** Loaded modules whose text has changed since, as paths relative to the project. */
  changed(): readonly string[] {
    return this.#freshness.changed().map(({ path }) => this.shown(path));
  }

  /**
   * The current instance of the project's module that the specifier means in that file, or in a form; undefined for
   * other modules.
   */
  instanceOf(specifier: string, from: string = this.#replPath): ModuleInstance | undefined {
    const found = this.#resolver.resolve(specifier, from, ["node", "import"]).path;
    const target = this.#table.find(found ?? this.#sources.unsavedFile(specifier, from) ?? "");
    if (target === undefined) return undefined;
    const isOutdated = !this.loadsItself && this.#table.withImporters(this.#freshness.changed()).has(target);
    return { name: this.shown(target.path), url: this.#table.urlOf(target), isOutdated };
  }

  /** From now on imports load the new code of changed modules and of their importers. */
  refresh(): void {
    this.#resolver.forget();
    this.#formats.forget();
    this.#emitOptions.forget();
    if (!this.loadsItself) this.#freshness.outdateChanged();
  }

  /**
   * Whether the module, or a module that it needs, threw before the module had run to its end: none of its code runs.
   */
  isUnfinished(path: string): boolean {
    return this.#table.find(path)?.unfinished === true;
  }

  /** Modules that were reloaded since the last call. */
  takeReloaded(): readonly Reloaded[] {
    return this.#loader.takeReloaded().map((path) => {
      const target = this.#table.record(path);
      const { edited } = target;
      target.edited = false;
      return { name: this.shown(path), gone: this.#texts.takeInstalled(path), isEdited: edited };
    });
  }

  /** Sentences on why modules are not found as the project means them; each is reported once. */
  takeTroubles(): readonly string[] {
    return this.#resolver.takeTroubles().map(({ file, reason }) => troubleNote(this.shown(file), reason));
  }

  /**
   * The configuration of the bundler that may define the name for a module of the project; undefined where its text
   * lacks the name.
   */
  definedByBuild(name: string, file: string): string | undefined {
    if (!isProjectSource(file) || !this.#sources.isReadable(file)) return undefined;
    const config = bundlerConfig(file, this.#sources.root);
    if (config === undefined || !this.#sources.isReadable(config)) return undefined;
    const isNamed = this.#sources
      .read(config)
      .split(/[^\p{ID_Continue}$]+/u)
      .includes(name);
    return isNamed ? this.shown(config) : undefined;
  }

  /** The module in the form that the next evaluation in its scope needs. */
  prepare(path: string): PreparedModule | { reason: string } {
    // A path that leads to no file may name a package, or an entry of `imports` in package.json.
    const real = this.meantBy(path, this.#replPath) ?? this.meantBy(this.shown(path), this.#replPath) ?? path;
    if (!this.#sources.isReadable(real)) return { reason: `${path} is outside of the project` };
    if (real.endsWith(".json")) return { reason: `${this.shown(real)} is JSON: it has no scope` };
    if (real.includes("/node_modules/")) return this.#dependencies.prepare(real);
    const target = this.#table.record(real);
    const url = this.#table.urlOf(target);
    if (target.text !== undefined && target.built?.text === target.text) {
      const { format, text } = target;
      return asPrepared({ path: real, url, format, text, isLoaded: true }, target.built.module);
    }
    if (this.loadsItself) {
      const compiled = this.#compiled.of(real);
      if (compiled === undefined) return { reason: `${this.shown(real)} ${NOT_LOADED}` };
      const prepared = this.prepare(compiled);
      return "reason" in prepared ? prepared : { ...prepared, compiledFrom: real };
    }
    try {
      const built = this.#loader.build(target);
      const { format, text = "" } = target;
      // This build was only made to look at the code: the image has not loaded the module yet.
      target.text = undefined;
      if (isProblem(built)) return { reason: whyNotParsed(this.shown(real), text, built) };
      return asPrepared({ path: real, url, format, text, isLoaded: false }, built);
    } catch (error) {
      return { reason: whyNoModule(real, error, this.#sources) };
    }
  }

  /** Every module that was handed to the image, in its current version. */
  loaded(): readonly LoadedModule[] {
    linkRunning(this.#unlinked.splice(0), { table: this.#table, resolver: this.#resolver });
    return [...this.#table.loaded(), ...this.#dependencies.entered()];
  }

  /** The module and the loaded modules that import it, directly or not; empty when the module is not known. */
  dependents(path: string): readonly LoadedModule[] {
    linkRunning(this.#unlinked.splice(0), { table: this.#table, resolver: this.#resolver });
    return this.#table.dependents(path);
  }

  /** The program has loaded the module by itself. */
  took(module: RunningModule): string | undefined {
    const path = takeRunning({ table: this.#table, sources: this.#sources, emitOptions: this.#emitOptions }, module);
    if (path !== undefined) this.#unlinked.push(path);
    return path;
  }

  /** Gives a module another text than its source, until the source changes. */
  replaceText(path: string, merge: Merge): Replacement | { readonly reason: string } {
    if (this.loadsItself) return { reason: NOT_RELOADED };
    return replaceModule(this.#table, this.#texts, path, merge);
  }

  /** The real path of the file that an import in a module means. */
  meantBy(specifier: string, fromPath: string): string | undefined {
    return this.#resolver.resolve(specifier, fromPath, ["node", "import"]).path;
  }

  /** The path as a person reads it. */
  shown(path: string): string {
    return path === this.#replPath ? "the REPL" : this.#sources.shown(path);
  }

  /** Remembers that a form installed definitions in a module that its source does not have. `evalId` is the form's. */
  installed(path: string, names: readonly string[], evalId: string): void {
    this.#texts.installed(path, names, evalId);
  }

  /** The forms that redefined the name in the module: see `ReplacedTexts`. */
  redefinitionsOf(path: string, name: string): readonly Redefinition[] {
    return this.#texts.redefinitionsOf(path, name);
  }

  /**
   * The source that was last compiled, without the texts that forms merged into it, and the names bound at its compiled
   * top level.
   */
  built(path: string): { text: string; names: () => ReadonlySet<string> } | undefined {
    const built = this.#table.find(path)?.built;
    if (built === undefined) return undefined;
    return { text: this.#texts.replacementOf(path)?.base ?? built.text, names: built.module.names };
  }

  /**
   * The compiler options of a module. Without a module, the options of a file in the project's root folder, which forms
   * use too.
   */
  emitOptions(module?: Pick<PreparedModule, "path" | "text" | "isDependency">): EmitOptions {
    if (module === undefined || module.isDependency === true) return this.#emitOptions.for(this.#replPath);
    return withPragmas(this.#emitOptions.for(module.path), module.text);
  }

  mapper(url: string): PositionMapper | undefined {
    return url.startsWith("file:") ? this.#table.mapper(url) : undefined;
  }

  /** A line (0-based) of a module as it was loaded, or of another readable file. */
  line(path: string, line: number): string | undefined {
    const text = this.#texts.replacementOf(path)?.base ?? this.#table.find(path)?.text;
    if (text !== undefined) return lineOf(text, line);
    // An error's stack is a text that can name any file.
    if (!this.#sources.isReadable(path) || !this.#mayQuote(path)) return undefined;
    const open = this.#readOpen(path);
    return typeof open === "string" ? lineOf(open, line) : this.#lines.line(path, line, this.#sources.stamp(path));
  }
}
