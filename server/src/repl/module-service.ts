/**
 * Serves the project's modules to the image: resolved, transpiled, instrumented, and always from the newest text. A
 * module whose text changed gets a new URL together with everything that imports it; the old instances stay what
 * they were, for the values that came from them.
 */
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createEmitOptions, type EmitOptions } from "./compiler-options.ts";
import type { BridgeAnswer, BridgeNeed, JsonUse } from "./image/wire.ts";
import { instrument, type Instrumented } from "./instrument.ts";
import { createModuleFormats, type ModuleFormat } from "./module-format.ts";
import { createModuleResolver } from "./module-resolver.ts";
import { createProjectSources, type SourceOptions } from "./project-sources.ts";
import { mapperOf, positionAt, type PositionMapper } from "./source-position.ts";
import { isProblem, transpile, type SyntaxProblem } from "./transpile.ts";

interface BuiltModule {
  readonly text: string;
  readonly variant: string;
  readonly mapper: PositionMapper;
  readonly module: Instrumented;
}

interface ModuleRecord {
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

export interface ModuleService {
  readonly answer: (need: BridgeNeed) => BridgeAnswer;
  /** Loaded modules whose text has changed since, project-relative. */
  readonly changed: () => readonly string[];
  /** From now on imports give the new code of what changed, and of what imports it. */
  readonly refresh: () => void;
  /** Modules that were loaded anew since the last call, project-relative. */
  readonly takeReloaded: () => readonly string[];
  /** The module as the next evaluation in its scope needs it. */
  readonly prepare: (path: string) => { url: string; names: ReadonlySet<string> } | { reason: string };
  /** The text that was compiled last, and the names bound at the top level of what came out. */
  readonly built: (path: string) => { text: string; names: () => ReadonlySet<string> } | undefined;
  /** How the project wants the code of its root folder compiled; snippets follow it. */
  readonly emitOptions: () => EmitOptions;
  readonly mapper: (url: string) => PositionMapper | undefined;
  /** A line (0-based) of a module as it was loaded, or of another readable file. */
  readonly line: (path: string, line: number) => string | undefined;
}

const VERSION = "agentq";
const SOURCE = /\.(?:[cm]?[jt]s|[jt]sx|json)$/;

export function createModuleService(options: SourceOptions): ModuleService {
  const { projectRoot } = options;
  const { isReadable, read, stamp, unsavedFile, shown } = createProjectSources(options);
  const records = new Map<string, ModuleRecord>();
  const resolver = createModuleResolver(projectRoot);
  const formats = createModuleFormats();
  const emitOptions = createEmitOptions(projectRoot);
  let reloaded = new Set<string>();
  let forget: string[] = [];
  const record = (path: string): ModuleRecord => {
    let known = records.get(path);
    if (known === undefined) {
      const fresh = {
        version: 1,
        text: undefined,
        stamp: "",
        built: undefined,
        incomplete: false,
      };
      known = { ...fresh, path, format: "module", importers: new Set(), mappers: new Map() };
      records.set(path, known);
    }
    return known;
  };
  const urlOf = ({ path, version }: ModuleRecord): string => {
    const url = pathToFileURL(path).href;
    return version === 1 ? url : `${url}?${VERSION}=${version}`;
  };

  const resolve = (specifier: string, parentUrl: string, conditions: readonly string[]): BridgeAnswer => {
    if (specifier.startsWith("file:") && new URL(specifier).searchParams.has(VERSION)) return { url: specifier };
    const parent = fileURLToPath(bare(parentUrl));
    const wanted = specifier.startsWith("file:") ? fileURLToPath(bare(specifier)) : specifier;
    const found = resolver.resolve(wanted, parent, conditions);
    const path = found.path ?? unsavedFile(wanted, parent);
    if (path === undefined) {
      const importer = records.get(parent);
      if (importer !== undefined) importer.incomplete = true;
      return notFound(`Cannot find module '${specifier}' imported from ${shown(parent)}`);
    }
    if (path.includes("/node_modules/") || !SOURCE.test(path)) return { url: pathToFileURL(path).href };
    if (!isReadable(path))
      return denied(`${shown(path)} is outside of the project: the confined REPL does not load it`);
    const target = record(path);
    if (records.has(parent)) target.importers.add(parent);
    return { url: urlOf(target), ...(forget.length > 0 ? { forget: forget.splice(0) } : {}) };
  };

  const build = (target: ModuleRecord): Instrumented | SyntaxProblem => {
    const { path } = target;
    target.stamp = stamp(path);
    const text = read(path);
    const emit = emitOptions.for(path);
    target.format = formats.of(path, text, emit);
    target.text = text;
    const variant = `${target.format === "commonjs" ? target.version : ""} ${JSON.stringify(emit)}`;
    if (target.built?.text === text && target.built.variant === variant) {
      target.mappers.set(target.version, target.built.mapper);
      return target.built.module;
    }
    const output = transpile({ path, text, format: target.format, emit });
    if (isProblem(output)) return output;
    const map = output.map === undefined ? {} : { map: { ...output.map, sources: [pathToFileURL(path).href] } };
    const instrumented = instrument({ code: output.code, ...map }, target.format, urlOf(target));
    const mapper = mapperOf(instrumented.map);
    target.built = { text, variant, mapper, module: instrumented };
    target.mappers.set(target.version, mapper);
    return instrumented;
  };

  const load = (url: string, json: JsonUse): BridgeAnswer => {
    const path = fileURLToPath(bare(url));
    if (!isReadable(path))
      return denied(`${shown(path)} is outside of the project: the confined REPL does not load it`);
    const target = record(path);
    try {
      if (path.endsWith(".json")) return loadJson(target, json);
      if (/\.c?js$/.test(path) && formats.of(path, read(path), {}) === "commonjs") {
        target.stamp = stamp(path);
        target.text = read(path);
        target.format = "commonjs";
        return { format: "commonjs", source: target.text };
      }
      if (!SOURCE.test(path)) return { defer: true };
      const built = build(target);
      if (isProblem(built)) return syntaxError(target, built);
      if (target.version > 1) reloaded.add(path);
      return { format: target.format, source: withInlineMap(built) };
    } catch (error) {
      return notFound(error instanceof Error ? error.message : String(error));
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

  const syntaxError = ({ path, text = "" }: ModuleRecord, { message, offset }: SyntaxProblem): BridgeAnswer => {
    const at = offset === undefined ? undefined : positionAt(text, offset);
    const place = at === undefined ? shown(path) : `${shown(path)}:${at.line + 1}:${at.column + 1}`;
    return { error: { name: "SyntaxError", message: `${message} (${place})` } };
  };

  const hasChanged = (target: ModuleRecord): boolean => {
    if (target.text === undefined) return false;
    if (target.incomplete) return true;
    const now = stamp(target.path);
    if (now === "missing" || (now !== "buffer" && now === target.stamp)) return false;
    const same = read(target.path) === target.text;
    if (same) target.stamp = now;
    return !same;
  };

  const refresh = (): void => {
    resolver.forget();
    formats.forget();
    emitOptions.forget();
    const stale = new Set<ModuleRecord>();
    const spread = (target: ModuleRecord): void => {
      if (stale.has(target)) return;
      stale.add(target);
      for (const importer of target.importers) {
        const known = records.get(importer);
        if (known !== undefined) spread(known);
      }
    };
    [...records.values()].filter(hasChanged).forEach(spread);
    for (const target of stale) {
      if (target.format === "commonjs") forget.push(target.path);
      target.version++;
      target.text = undefined;
      target.incomplete = false;
    }
  };

  const prepare: ModuleService["prepare"] = (path) => {
    const real = resolver.resolve(path, `${projectRoot}/__repl__.ts`, ["node", "import"]).path ?? path;
    if (!isReadable(real)) return { reason: `${path} is outside of the project` };
    if (real.includes("/node_modules/"))
      return { reason: `${shown(real)} is a dependency: its own scope is not reachable` };
    const target = record(real);
    if (target.text !== undefined && target.built?.text === target.text) {
      return { url: urlOf(target), names: target.built.module.names() };
    }
    try {
      const built = build(target);
      // Only a look: the image has not loaded it yet.
      target.text = undefined;
      if (isProblem(built)) return { reason: `${shown(real)}: ${built.message}` };
      return { url: urlOf(target), names: built.names() };
    } catch (error) {
      return { reason: error instanceof Error ? error.message : String(error) };
    }
  };

  const isType = (name: string): boolean => {
    const declared = new RegExp(`\\b(?:interface|type|namespace)\\s+${name.replace(/\$/g, "\\$")}\\b`);
    const exported = new RegExp(`\\btype\\b[^;]*\\b${name.replace(/\$/g, "\\$")}\\b`);
    return [...records.values()].some(({ text }) => text !== undefined && (declared.test(text) || exported.test(text)));
  };

  return {
    answer: (need) => {
      try {
        if (need.op === "resolve") return resolve(need.specifier, need.parent, need.conditions);
        if (need.op === "load") return load(need.url, need.json);
        return { yes: isType(need.name) };
      } catch (error) {
        // Evaluated code may ask for anything, for instance for a URL that is none.
        return notFound(error instanceof Error ? error.message : String(error));
      }
    },
    changed: () =>
      [...records.values()].filter((target) => !target.incomplete && hasChanged(target)).map(({ path }) => shown(path)),
    refresh,
    takeReloaded: () => {
      const paths = [...reloaded].map(shown);
      reloaded = new Set();
      return paths;
    },
    prepare,
    built: (path) => {
      const built = records.get(path)?.built;
      return built === undefined ? undefined : { text: built.text, names: built.module.names };
    },
    emitOptions: () => emitOptions.for(join(projectRoot, "__repl__.ts")),
    mapper: (url) => {
      if (!url.startsWith("file:")) return undefined;
      const version = Number(new URL(url).searchParams.get(VERSION) ?? 1);
      return records.get(fileURLToPath(bare(url)))?.mappers.get(version);
    },
    line: (path, line) => {
      const text = records.get(path)?.text;
      if (text !== undefined) return text.split("\n")[line];
      if (!isReadable(path)) return undefined;
      try {
        return read(path).split("\n")[line];
      } catch {
        return undefined;
      }
    },
  };
}

function bare(url: string): string {
  const parsed = new URL(url);
  parsed.search = "";
  parsed.hash = "";
  return parsed.href;
}

function withInlineMap({ code, map }: Instrumented): string {
  if (map === undefined) return code;
  const text = Buffer.from(JSON.stringify({ ...map, sourcesContent: undefined })).toString("base64");
  return `${code}\n//# sourceMappingURL=data:application/json;base64,${text}\n`;
}

function notFound(message: string): BridgeAnswer {
  return { error: { name: "Error", code: "ERR_MODULE_NOT_FOUND", message } };
}

function denied(message: string): BridgeAnswer {
  return { error: { name: "Error", code: "ERR_ACCESS_DENIED", message } };
}
