/**
 * Serves the project's modules to the image: resolved, transpiled, instrumented, and always from the newest text. A
 * module whose text changed gets a new URL together with everything that imports it; the old instances stay what
 * they were, for the values that came from them.
 */
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createEmitOptions, withPragmas, type EmitOptions } from "../source/compiler-options.ts";
import { REPL_FILE, type BridgeAnswer, type JsonUse } from "../child/wire/wire.ts";
import { createDependencyModules } from "./dependency-modules.ts";
import { instrument, type Instrumented } from "../source/instrument.ts";
import { createModuleFormats } from "./module-format.ts";
import { withLiveDefault } from "../source/live-default.ts";
import { bare, denied, notFound, syntaxError, troubleNote, withInlineMap, answersAhead } from "./module-answers.ts";
import { needsToLoad, recordOf, withImporters, type ModuleRecord } from "./module-record.ts";
import { createModuleResolver } from "./module-resolver.ts";
import type { LoadedModule, ModuleService, PreparedModule } from "./module-types.ts";
import { requiredFiles } from "./required-files.ts";
import { createReplacedTexts } from "./replaced-texts.ts";
import { createProjectSources, isProjectSource, type SourceOptions } from "./project-sources.ts";
import { chain, mapperOf } from "../source/source-position.ts";
import { declaresType } from "../source/declares-type.ts";
import { createSourceLines, lineOf } from "../source/source-lines.ts";
import { loadSwcAhead } from "../source/swc.ts";
import { isProblem, transpile, type SyntaxProblem } from "../source/transpile.ts";
import { whyNoModule, whyNotParsed } from "./unreachable.ts";
import { errorText } from "../../protocol/errors.ts";

export type { LoadedModule, ModuleService, PreparedModule };

const VERSION = "agentq";

export function createModuleService(options: SourceOptions & { readonly emit?: EmitOptions }): ModuleService {
  const { projectRoot } = options;
  const replPath = join(projectRoot, REPL_FILE);
  const sources = createProjectSources(options);
  const { isReadable, read, stamp, unsavedFile } = sources;
  const shown = (path: string): string => (path === replPath ? "the REPL" : sources.shown(path));
  const texts = createReplacedTexts(read);
  const records = new Map<string, ModuleRecord>();
  const resolver = createModuleResolver(projectRoot);
  const lines = createSourceLines();
  const formats = createModuleFormats();
  const dependencies = createDependencyModules(sources, formats);
  const emitOptions = createEmitOptions(projectRoot, options.emit);
  // The first module of a CommonJS project would wait for it; now the image's process starts meanwhile.
  if (formats.of(replPath, "export {};", emitOptions.for(replPath)) === "commonjs") setImmediate(loadSwcAhead);
  let reloaded = new Set<string>();
  /** Modules that are loaded anew because a form asked for it. */
  const wanted = new Set<string>();
  let forget: string[] = [];
  /** The last version of a module that was tried and taken back. */
  const failed = new Map<string, number>();
  const record = (path: string): ModuleRecord => recordOf(records, path);
  const urlOf = ({ path, version }: ModuleRecord): string => {
    const url = pathToFileURL(path).href;
    return version === 1 ? url : `${url}?${VERSION}=${version}`;
  };

  const forgotten = (): Pick<BridgeAnswer, "forget"> => (forget.length > 0 ? { forget: forget.splice(0) } : {});

  const resolve = (specifier: string, parentUrl: string, conditions: readonly string[]): BridgeAnswer => {
    if (specifier.startsWith("file:") && new URL(specifier).searchParams.has(VERSION)) {
      return { url: specifier, ...forgotten() };
    }
    const parent = fileURLToPath(bare(parentUrl));
    const wanted = specifier.startsWith("file:") ? fileURLToPath(bare(specifier)) : specifier;
    const found = resolver.resolve(wanted, parent, conditions);
    const path = found.path ?? unsavedFile(wanted, parent);
    if (path === undefined) {
      const importer = records.get(parent);
      if (importer !== undefined && needsToLoad(importer, specifier)) importer.incomplete = true;
      return notFound(`Cannot find module '${specifier}' imported from ${shown(parent)}`);
    }
    if (!isProjectSource(path)) {
      if (records.has(parent)) dependencies.importedBy(path, parent);
      return { url: pathToFileURL(path).href };
    }
    if (!isReadable(path))
      return denied(`${shown(path)} is outside of the project: the confined REPL does not load it`);
    const target = record(path);
    if (records.has(parent)) target.importers.add(parent);
    return { url: urlOf(target), ...forgotten() };
  };

  const build = (target: ModuleRecord): Instrumented | SyntaxProblem => {
    const { path } = target;
    target.stamp = stamp(path);
    const text = texts.textOf(path);
    const emit = emitOptions.for(path);
    target.format = formats.of(path, text, emit);
    target.text = text;
    const variant = `${target.format === "commonjs" ? target.version : ""} ${JSON.stringify(emit)}`;
    if (target.built?.text === text && target.built.variant === variant) {
      target.mappers.set(target.version, target.built.mapper);
      return target.built.module;
    }
    // CommonJS that was written as JavaScript runs as it was written.
    const isPlain = /\.c?js$/.test(path) && target.format === "commonjs";
    const { format } = target;
    const output = isPlain ? { code: text } : transpile({ path, text: withLiveDefault(path, text), format, emit });
    if (isProblem(output)) return output;
    const map = output.map === undefined ? {} : { map: { ...output.map, sources: [pathToFileURL(path).href] } };
    const instrumented = instrument({ ...output, ...map }, target.format, urlOf(target));
    const toSource = texts.replacementOf(path)?.merged.mapper;
    const generated = mapperOf(instrumented.map);
    const mapper = toSource === undefined ? generated : chain(generated, toSource);
    target.built = { text, variant, mapper, module: instrumented };
    target.mappers.set(target.version, mapper);
    return instrumented;
  };

  const load = (url: string, json: JsonUse, conditions?: readonly string[]): BridgeAnswer => {
    const path = fileURLToPath(bare(url));
    if (!isReadable(path))
      return denied(`${shown(path)} is outside of the project: the confined REPL does not load it`);
    const target = record(path);
    try {
      if (path.endsWith(".json")) return loadJson(target, json);
      if (!isProjectSource(path)) return { defer: true };
      const built = build(target);
      if (isProblem(built)) return syntaxError(shown(path), target.text ?? "", built);
      if (target.version !== target.told && !wanted.delete(path)) reloaded.add(path);
      target.told = target.version;
      for (const required of target.format === "commonjs" ? requiredFiles(built.code, path, resolver) : []) {
        if (isProjectSource(required) && isReadable(required)) record(required).importers.add(path);
      }
      // The next resolution may have to tell the image what it must forget.
      const isSettled = conditions !== undefined && forget.length === 0;
      const ahead = isSettled ? answersAhead(built.imports(), (name) => resolve(name, url, conditions)) : {};
      return { format: target.format, source: withInlineMap(built), ...ahead };
    } catch (error) {
      return notFound(errorText(error));
    }
  };

  const loadJson = (target: ModuleRecord, json: JsonUse): BridgeAnswer => {
    target.stamp = stamp(target.path);
    target.text = read(target.path);
    if (target.version > 1) reloaded.add(target.path);
    // What was required is in the cache of `require`, by its path.
    if (json === "require") target.format = "commonjs";
    if (json !== "plain") return { format: "json", source: target.text };
    return { format: "module", source: `export default ${target.text}` };
  };

  const hasChanged = (target: ModuleRecord): boolean => {
    if (target.text === undefined) return false;
    if (target.incomplete) return true;
    const now = stamp(target.path);
    if (now === "missing" || (now !== "buffer" && now === target.stamp)) return false;
    const same = texts.textOf(target.path) === target.text;
    if (same) target.stamp = now;
    return !same;
  };

  const refresh = (): void => {
    resolver.forget();
    formats.forget();
    emitOptions.forget();
    const changed = withImporters(records, [...records.values()].filter(hasChanged));
    const unfinished = [...records.values()].filter((target) => target.unfinished);
    for (const target of unfinished) if (!changed.has(target)) wanted.add(target.path);
    outdate(new Set([...changed, ...unfinished]));
  };

  const isUnfinished: ModuleService["isUnfinished"] = (path) => records.get(path)?.unfinished === true;

  /** A module that ran to its end keeps its state, though it imported one of them while it ran. */
  const noteThrown = (urls: readonly string[], unbegun: readonly string[]): BridgeAnswer => {
    const current = (all: readonly string[]) => [...records.values()].filter((each) => all.includes(urlOf(each)));
    const waiting = current(unbegun);
    for (const each of withImporters(records, current(urls), (one) => waiting.includes(one))) each.unfinished = true;
    return {};
  };

  const outdate = (stale: Iterable<ModuleRecord>): void => {
    for (const target of stale) {
      if (target.format === "commonjs") forget.push(target.path);
      target.version = Math.max(target.version, failed.get(target.path) ?? 0) + 1;
      target.text = undefined;
      target.incomplete = false;
      target.unfinished = false;
    }
  };

  const loadedOf = (target: ModuleRecord): LoadedModule[] => {
    const { path, format, text, importers, built } = target;
    if (text === undefined || built?.text !== text) return [];
    return [{ path, url: urlOf(target), format, text, importers, names: built.module.names }];
  };

  const dependents: ModuleService["dependents"] = (path) => {
    const target = records.get(path);
    return target === undefined ? [] : [...withImporters(records, [target])].flatMap(loadedOf);
  };

  const replaceText: ModuleService["replaceText"] = (path, merge) => {
    const merged = merge(texts.textOf(path));
    if ("reason" in merged) return merged;
    const target = record(path);
    const stale = [...withImporters(records, [target])].filter((each) => each === target || each.text !== undefined);
    const before = stale.map((each) => ({ each, ...each }));
    const restore = texts.replace(path, merged);
    outdate(stale);
    for (const each of stale) wanted.add(each.path);
    return {
      urls: stale.map((each) => urlOf(each)),
      undo: () => {
        restore();
        // The next attempt needs URLs that were never tried: only what runs goes back to its version.
        for (const { each, version, text, built, stamp: seen, unfinished } of before) {
          failed.set(each.path, each.version);
          Object.assign(each, { version, text, built, stamp: seen, unfinished });
        }
      },
    };
  };

  const meantBy: ModuleService["meantBy"] = (specifier, from) =>
    resolver.resolve(specifier, from, ["node", "import"]).path;

  const prepare: ModuleService["prepare"] = (path) => {
    // What is no file may be a package, or one of the names in `imports`.
    const real = meantBy(path, replPath) ?? meantBy(shown(path), replPath) ?? path;
    if (!isReadable(real)) return { reason: `${path} is outside of the project` };
    if (real.endsWith(".json")) return { reason: `${shown(real)} is JSON: it has no scope` };
    if (real.includes("/node_modules/")) return dependencies.prepare(real);
    const target = record(real);
    const prepared = (built: Instrumented, text: string, isLoaded: boolean): PreparedModule => ({
      path: real,
      url: urlOf(target),
      format: target.format,
      text,
      isLoaded,
      code: built.code,
      names: built.names(),
      classes: built.classes(),
    });
    if (target.text !== undefined && target.built?.text === target.text) {
      return prepared(target.built.module, target.text, true);
    }
    try {
      const built = build(target);
      const text = target.text ?? "";
      // Only a look: the image has not loaded it yet.
      target.text = undefined;
      if (isProblem(built)) return { reason: whyNotParsed(shown(real), text, built) };
      return prepared(built, text, false);
    } catch (error) {
      return { reason: whyNoModule(real, error, sources) };
    }
  };

  return {
    answer: (need) => {
      try {
        if (need.op === "resolve") return resolve(need.specifier, need.parent, need.conditions);
        if (need.op === "load") return load(need.url, need.json, need.conditions);
        if (need.op === "threw") return noteThrown(need.urls, need.unbegun);
        return { yes: [...records.values()].some(({ text }) => text !== undefined && declaresType(text, need.name)) };
      } catch (error) {
        // Evaluated code may ask for anything, for instance for a URL that is none.
        return notFound(errorText(error));
      }
    },
    changed: () =>
      [...records.values()].filter((target) => !target.incomplete && hasChanged(target)).map(({ path }) => shown(path)),
    refresh,
    isUnfinished,
    installed: texts.installed,
    redefinitionsOf: texts.redefinitionsOf,
    takeReloaded: () => {
      const paths = [...reloaded].map((path) => {
        const gone = texts.takeInstalled(path).join(", ");
        return gone === "" ? shown(path) : `${shown(path)} (without what was installed there: ${gone})`;
      });
      reloaded = new Set();
      return paths;
    },
    takeTroubles: () => resolver.takeTroubles().map(({ file, reason }) => troubleNote(shown(file), reason)),
    prepare,
    meantBy,
    shown,
    dependents,
    replaceText,
    loaded: () => [...[...records.values()].flatMap(loadedOf), ...dependencies.entered()],
    built: (path) => {
      const built = records.get(path)?.built;
      return built === undefined
        ? undefined
        : { text: texts.replacementOf(path)?.base ?? built.text, names: built.module.names };
    },
    emitOptions: (module) => {
      if (module === undefined || module.isDependency === true) return emitOptions.for(replPath);
      return withPragmas(emitOptions.for(module.path), module.text);
    },
    mapper: (url) => {
      if (!url.startsWith("file:")) return undefined;
      const version = Number(new URL(url).searchParams.get(VERSION) ?? 1);
      return records.get(fileURLToPath(bare(url)))?.mappers.get(version);
    },
    line: (path, line) => {
      const text = texts.replacementOf(path)?.base ?? records.get(path)?.text;
      if (text !== undefined) return lineOf(text, line);
      if (!isReadable(path)) return undefined;
      const open = options.readSource(path);
      return open === undefined ? lines.line(path, line, stamp(path)) : lineOf(open, line);
    },
  };
}
