/** Answers the image's questions while it loads modules: where an import leads, and the code of the module. */
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { NODE_TESTS_URL } from "../child-folder.ts";
import type { EmitOptionsReader } from "../source/compiler-options.ts";
import { REPL_FILE, type BridgeAnswer, type BridgeNeed } from "../child/wire/wire.ts";
import { bundledValue, bundlerConfig } from "./bundled-files.ts";
import type { DependencyModules } from "./dependency-modules.ts";
import { instrument, type Instrumented } from "../source/instrument.ts";
import { withLiveDefault } from "../source/live-default.ts";
import { answersAhead, bare, denied, notFound, syntaxError, withInlineMap } from "./module-answers.ts";
import type { LoadOrder } from "./load-order.ts";
import type { ModuleFormats } from "./module-format.ts";
import { meantModule } from "./meant-module.ts";
import { needsToLoad, type ModuleRecord } from "./module-record.ts";
import type { ModuleResolver } from "./module-resolver.ts";
import type { ModuleTable } from "./module-table.ts";
import { isProjectSource, type ProjectSources } from "./project-sources.ts";
import type { ReplacedTexts } from "./replaced-texts.ts";
import { requiredFiles } from "./required-files.ts";
import { chain, mapperOf } from "../source/source-position.ts";
import { isProblem, transpile, type SyntaxProblem } from "../source/transpile.ts";
import { errorText } from "../../base/errors.ts";

interface ModuleLoaderParts {
  readonly table: ModuleTable;
  readonly sources: ProjectSources;
  readonly texts: ReplacedTexts;
  readonly resolver: ModuleResolver;
  readonly formats: ModuleFormats;
  readonly emitOptions: EmitOptionsReader;
  readonly dependencies: DependencyModules;
  readonly order: LoadOrder;
}

type Asked<Op extends BridgeNeed["op"]> = Omit<Extract<BridgeNeed, { readonly op: Op }>, "op">;

export class ModuleLoader {
  readonly #parts: ModuleLoaderParts;
  /** The last importer of each file that the server does not load. */
  readonly #lastImporter = new Map<string, string>();
  #reloaded = new Set<string>();

  constructor(parts: ModuleLoaderParts) {
    this.#parts = parts;
  }

  resolve({ specifier, parent: parentUrl, conditions }: Asked<"resolve">): BridgeAnswer {
    const { table, sources, resolver, dependencies } = this.#parts;
    if (specifier === NODE_TESTS_URL) return { url: specifier };
    if (specifier.startsWith("file:") && table.isVersioned(specifier)) {
      const target = table.record(fileURLToPath(bare(specifier)));
      return { url: specifier, ...table.takeForgotten(), ...this.#before(target) };
    }
    const parent = fileURLToPath(bare(parentUrl));
    const named = specifier.startsWith("file:") ? fileURLToPath(bare(specifier)) : specifier;
    const found = resolver.resolve(named, parent, conditions).path;
    const isThere = found !== undefined && !sources.isAbsent(found);
    const path = isThere ? found : sources.unsavedFile(named, parent);
    if (path === undefined) {
      const importer = table.find(parent);
      if (importer !== undefined && needsToLoad(importer, specifier)) importer.incomplete = true;
      // The hint is for forms only: a module of the project has its imports written in its source.
      const hint = importer === undefined ? this.#hint(specifier, conditions) : "";
      return notFound(`Cannot find module '${specifier}' imported from ${sources.shown(parent)}${hint}`);
    }
    // Node would load the other files of a package, but refuses a style or a picture.
    const bundled = path.includes("/node_modules/") && !conditions.includes("require") ? bundledValue(path) : undefined;
    if (bundled !== undefined) {
      return { url: `data:text/javascript,${encodeURIComponent(`export default ${JSON.stringify(bundled)};`)}` };
    }
    if (!isProjectSource(path)) {
      if (table.find(parent) !== undefined) dependencies.importedBy(path, parent);
      this.#lastImporter.set(path, parent);
      return { url: pathToFileURL(path).href };
    }
    if (!sources.isReadable(path)) return this.#refused(path);
    const target = table.record(path);
    const importer = table.find(parent);
    if (importer === undefined) {
      if (named === specifier) this.#parts.order.noteAsked(target);
      return { url: table.urlOf(target), ...table.takeForgotten(), ...this.#before(target) };
    }
    target.importers.add(parent);
    importer.imports.add(path);
    return { url: table.urlOf(target), ...table.takeForgotten() };
  }

  #hint(specifier: string, conditions: readonly string[]): string {
    const { sources, resolver } = this.#parts;
    const meant = meantModule(specifier, sources.root, (relative) => {
      const file = resolver.resolve(relative, join(sources.root, REPL_FILE), conditions).path;
      return file !== undefined && !sources.isAbsent(file) && sources.isReadable(file);
    });
    return meant === undefined ? "" : `. Did you mean '${meant}'?`;
  }

  load({ url, json, conditions }: Asked<"load">): BridgeAnswer {
    const { table, sources } = this.#parts;
    if (url === NODE_TESTS_URL) return { defer: true };
    const path = fileURLToPath(bare(url));
    if (!sources.isReadable(path)) return this.#refused(path);
    const target = table.record(path);
    try {
      if (path.endsWith(".json")) return this.#loadJson(target, json);
      if (!isProjectSource(path)) return this.#loadOther(path, conditions === undefined);
      const built = this.build(target);
      if (isProblem(built)) return syntaxError(sources.shown(path), target.text ?? "", built);
      this.#noteLoaded(target);
      if (target.format === "commonjs") this.#noteRequired(built.code, path);
      // While modules have to be forgotten, the next answer to a resolution tells the image so: it must not be answered
      // ahead.
      const isSettled = conditions !== undefined && !table.hasToForget();
      const ahead = isSettled
        ? answersAhead(built.imports(), (specifier) => this.resolve({ specifier, parent: url, conditions }))
        : {};
      return { format: target.format, source: withInlineMap(built), ...ahead };
    } catch (error) {
      return notFound(errorText(error));
    }
  }

  /** Compiles the module's present text and records the text as the one that runs. */
  build(target: ModuleRecord): Instrumented | SyntaxProblem {
    const { table, sources, texts, formats, emitOptions } = this.#parts;
    const { path } = target;
    target.stamp = sources.stamp(path);
    const text = texts.textOf(path);
    const emit = emitOptions.for(path);
    target.format = formats.of(path, text, emit);
    target.text = text;
    const variant = `${target.format === "commonjs" ? target.version : ""} ${JSON.stringify(emit)}`;
    if (target.built?.text === text && target.built.variant === variant) {
      target.mappers.set(target.version, target.built.mapper);
      return target.built.module;
    }
    // CommonJS that is written as JavaScript runs unchanged.
    const isPlain = /\.c?js$/.test(path) && target.format === "commonjs";
    const { format } = target;
    const output = isPlain ? { code: text } : transpile({ path, text: withLiveDefault(path, text), format, emit });
    if (isProblem(output)) return output;
    const map = output.map === undefined ? {} : { map: { ...output.map, sources: [pathToFileURL(path).href] } };
    const instrumented = instrument({ ...output, ...map }, format, table.urlOf(target));
    const toSource = texts.replacementOf(path)?.merged.mapper;
    const generated = mapperOf(instrumented.map);
    const mapper = toSource === undefined ? generated : chain(generated, toSource);
    target.built = { text, variant, mapper, module: instrumented };
    target.mappers.set(target.version, mapper);
    return instrumented;
  }

  /** Paths of the modules that were reloaded since the last call, without those that a form asked to be reloaded. */
  takeReloaded(): readonly string[] {
    const paths = [...this.#reloaded];
    this.#reloaded = new Set();
    return paths;
  }

  #before(target: ModuleRecord): Pick<BridgeAnswer, "first"> {
    const { table, order } = this.#parts;
    const first = order.before(target);
    return first.length === 0 ? {} : { first: first.map((each) => table.urlOf(each)) };
  }

  #refused(path: string): BridgeAnswer {
    return denied(`${this.#parts.sources.shown(path)} is outside of the project: the confined REPL does not load it`);
  }

  /**
   * Loads the file as a bundler or as Node would. Node's own refusal of a file does not name the importer, so the
   * answer does.
   */
  #loadOther(path: string, isRequired: boolean): BridgeAnswer {
    const { sources } = this.#parts;
    const bundled = bundledValue(path);
    if (bundled !== undefined) {
      const source = `${isRequired ? "module.exports =" : "export default"} ${JSON.stringify(bundled)};`;
      return { format: isRequired ? "commonjs" : "module", source };
    }
    if (isRequired) return { defer: true };
    const [ending] = /\.(?!node$|wasm$)[^./]+$/.exec(path) ?? [];
    if (ending === undefined) return { defer: true };
    const importer = sources.shown(this.#lastImporter.get(path) ?? "");
    const config = bundlerConfig(path, sources.root);
    const bundler =
      config === undefined
        ? "A bundler would load such a file; the REPL has none."
        : `What ${sources.shown(config)} does with such files the REPL does not do; run_tests and the project's own scripts may.`;
    const message = `Unknown file extension "${ending}" for ${sources.shown(path)}, imported from ${importer}. ${bundler}`;
    return { error: { name: "TypeError", code: "ERR_UNKNOWN_FILE_EXTENSION", message } };
  }

  #loadJson(target: ModuleRecord, json: Asked<"load">["json"]): BridgeAnswer {
    const { sources } = this.#parts;
    target.stamp = sources.stamp(target.path);
    target.text = sources.read(target.path);
    if (target.version > 1) this.#reloaded.add(target.path);
    // The cache of `require` keeps a required file by its path, so the file is treated like CommonJS.
    if (json === "require") target.format = "commonjs";
    if (json !== "plain") return { format: "json", source: target.text };
    // In an object literal, `__proto__` would set the prototype.
    return { format: "module", source: `export default JSON.parse(${JSON.stringify(target.text)})` };
  }

  #noteLoaded(target: ModuleRecord): void {
    if (target.version !== target.told) {
      if (!target.asked) this.#reloaded.add(target.path);
      target.asked = false;
    }
    target.told = target.version;
  }

  #noteRequired(code: string, path: string): void {
    const { table, sources, resolver } = this.#parts;
    for (const required of requiredFiles(code, path, resolver)) {
      if (!isProjectSource(required) || !sources.isReadable(required)) continue;
      table.record(required).importers.add(path);
      table.record(path).imports.add(required);
    }
  }
}
