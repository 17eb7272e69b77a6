/**
 * Serves the project's modules to the image: resolved, transpiled, instrumented, and always from the newest text. A
 * module whose text changed gets a new URL together with everything that imports it; the old instances stay what
 * they were, for the values that came from them.
 */
import { readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve as resolvePath } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createEmitOptions } from "./compiler-options.ts";
import { isInside } from "./confinement.ts";
import type { BridgeAnswer, BridgeNeed } from "./image/wire.ts";
import { instrument, type Instrumented } from "./instrument.ts";
import { createModuleFormats, type ModuleFormat } from "./module-format.ts";
import { createModuleResolver } from "./module-resolver.ts";
import { mapperOf, positionAt, type PositionMapper } from "./source-position.ts";
import { isProblem, transpile, type SyntaxProblem } from "./transpile.ts";

export interface ModuleServiceOptions {
  readonly projectRoot: string;
  readonly readSource: (absolutePath: string) => string | undefined;
  /** The folders whose text the image may have; undefined means any. */
  readonly readable: readonly string[] | undefined;
}

interface ModuleRecord {
  readonly path: string;
  version: number;
  /** The text that the image runs; undefined while the present version is not loaded. */
  text: string | undefined;
  stamp: string;
  names: ReadonlySet<string>;
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
  readonly mapper: (url: string) => PositionMapper | undefined;
  /** A line (0-based) of a module as it was loaded, or of another readable file. */
  readonly line: (path: string, line: number) => string | undefined;
}

const VERSION = "agentq";
const SOURCE = /\.(?:[cm]?[jt]s|[jt]sx|json)$/;

export function createModuleService(options: ModuleServiceOptions): ModuleService {
  const { projectRoot } = options;
  const records = new Map<string, ModuleRecord>();
  const resolver = createModuleResolver();
  const formats = createModuleFormats();
  const emitOptions = createEmitOptions(projectRoot);
  let reloaded = new Set<string>();
  let forget: string[] = [];
  const shown = (path: string): string => relative(projectRoot, path) || path;

  const isReadable = (path: string): boolean => {
    if (options.readable === undefined) return true;
    const real = realPathOf(path);
    return options.readable.some((folder) => isInside(real, folder));
  };
  const stampOf = (path: string): string => {
    const text = options.readSource(path);
    if (text !== undefined) return "buffer";
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? "missing" : `${stat.mtimeMs} ${stat.size} ${stat.ino}`;
  };
  const read = (path: string): string => options.readSource(path) ?? readFileSync(path, "utf8");

  /** A new file that so far exists in the editor only. */
  const unsavedFile = (specifier: string, parent: string): string | undefined => {
    if (!/^\.{0,2}\//.test(specifier)) return undefined;
    const named = resolvePath(dirname(parent), specifier);
    const candidates = [named, named.replace(/\.([cm]?)js$/, ".$1ts"), `${named}.ts`, `${named}.tsx`];
    return candidates.find((path) => options.readSource(path) !== undefined);
  };

  const record = (path: string): ModuleRecord => {
    let known = records.get(path);
    if (known === undefined) {
      const fresh = { version: 1, text: undefined, stamp: "", names: new Set<string>(), incomplete: false };
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
    target.stamp = stampOf(path);
    const text = read(path);
    const emit = emitOptions.for(path);
    target.format = formats.of(path, text, emit);
    target.text = text;
    const output = transpile({ path, text, format: target.format, emit });
    if (isProblem(output)) return output;
    const map = output.map === undefined ? {} : { map: { ...output.map, sources: [pathToFileURL(path).href] } };
    const instrumented = instrument({ code: output.code, ...map }, target.format, urlOf(target));
    target.names = instrumented.names;
    target.mappers.set(target.version, mapperOf(instrumented.map));
    return instrumented;
  };

  const load = (url: string, json: boolean): BridgeAnswer => {
    const path = fileURLToPath(bare(url));
    if (!isReadable(path))
      return denied(`${shown(path)} is outside of the project: the confined REPL does not load it`);
    const target = record(path);
    try {
      if (path.endsWith(".json")) return loadJson(target, json);
      if (/\.c?js$/.test(path) && formats.of(path, read(path), {}) === "commonjs") {
        target.stamp = stampOf(path);
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

  const loadJson = (target: ModuleRecord, json: boolean): BridgeAnswer => {
    target.stamp = stampOf(target.path);
    target.text = read(target.path);
    if (target.version > 1) reloaded.add(target.path);
    if (json) return { format: "json", source: target.text };
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
    const stamp = stampOf(target.path);
    if (stamp === "missing" || (stamp !== "buffer" && stamp === target.stamp)) return false;
    const same = read(target.path) === target.text;
    if (same) target.stamp = stamp;
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
    if (target.text !== undefined && target.names.size > 0) return { url: urlOf(target), names: target.names };
    try {
      const built = build(target);
      // Only a look: the image has not loaded it yet.
      target.text = undefined;
      if (isProblem(built)) return { reason: `${shown(real)}: ${built.message}` };
      return { url: urlOf(target), names: target.names };
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
      if (need.op === "resolve") return resolve(need.specifier, need.parent, need.conditions);
      if (need.op === "load") return load(need.url, need.json);
      return { yes: isType(need.name) };
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

/** The real path; of a file that does not exist, below the real path of the deepest folder that does. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realPathOf(folder), basename(path));
  }
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
