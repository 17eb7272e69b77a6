/** Finds the modules that see a binding through their imports, and those that hold only a copy of its former value. */
import type { CopyHolder, Viewer } from "./installation.ts";
import type { ModuleService } from "../modules/module-service.ts";
import type { LoadedModule } from "../modules/module-types.ts";
import { moduleOutline } from "../source/module-outline.ts";
import type { ModuleOutline, OutlineImport } from "../source/outline-types.ts";

export interface Views {
  readonly sees: readonly Viewer[];
  readonly copies: readonly CopyHolder[];
}

/**
 * A name under which a module exports the binding. `inside` is the path to the binding in the value, when the name is a
 * namespace.
 */
interface Passed {
  readonly path: string;
  readonly name: string;
  readonly inside: string;
  /** The name holds only a copy. */
  readonly isCopy: boolean;
  /** The CommonJS module exports the binding itself: the binding is `module.exports`. */
  readonly isAll: boolean;
}

/** A loaded module that imports from the module that exports `passed`. */
interface Link {
  readonly source: LoadedModule;
  readonly importer: LoadedModule;
  /** The importer's path, relative to the project. */
  readonly shown: string;
  readonly outline: Pick<ModuleOutline, "imports" | "reexports" | "exports">;
  readonly passed: Passed;
}

/**
 * The result of one import or re-export of a passed name: a viewer or a copy, and the names under which the binding is
 * passed on.
 */
interface Arrival {
  readonly viewer?: Viewer;
  readonly copy?: CopyHolder;
  readonly passes: readonly Passed[];
}

type Modules = Pick<ModuleService, "loaded" | "meantBy" | "shown">;

/** `isAll`: `module.exports` itself also holds the binding. */
export function viewsOf(modules: Modules, owner: string, exportedNames: readonly string[], isAll = false): Views {
  const sees = new Map<string, Viewer>();
  const copies = new Map<string, CopyHolder>();
  const start = { path: owner, inside: "", isCopy: false } as const;
  const queue: Passed[] = exportedNames.map((name) => ({ ...start, name, isAll: false }));
  if (isAll) queue.push({ ...start, name: "default", isAll });
  const linksOf = linker(modules);
  const done = new Set<string>();
  for (const passed of queue) {
    const key = `${passed.path} ${passed.name}${passed.inside} ${passed.isCopy}`;
    if (done.has(key)) continue;
    done.add(key);
    for (const link of linksOf(passed)) {
      for (const { viewer, copy, passes } of [...throughImports(link), ...throughReexports(link)]) {
        if (copy !== undefined) copies.set(`${copy.path} ${copy.name}`, copy);
        if (viewer?.how === "reexport" || (viewer !== undefined && !sees.has(viewer.path))) {
          sees.set(viewer.path, viewer);
        }
        queue.push(...passes);
      }
    }
  }
  return { sees: inOrder(sees), copies: inOrder(copies) };
}

/** Finds the importers of a passed name's module, ordered by path. */
function linker(modules: Modules): (passed: Passed) => Generator<Link> {
  const loaded = new Map(modules.loaded().map((each) => [each.path, each]));
  const outlines = new Map<string, ModuleOutline | undefined>();
  const outlineOf = ({ path, text }: LoadedModule): ModuleOutline | undefined => {
    if (!outlines.has(path)) outlines.set(path, moduleOutline(path, text));
    return outlines.get(path);
  };
  return function* linksOf(passed) {
    const source = loaded.get(passed.path);
    for (const path of [...(source?.importers ?? [])].toSorted()) {
      const importer = loaded.get(path);
      const outline = importer === undefined ? undefined : outlineOf(importer);
      if (source === undefined || importer === undefined || outline === undefined) continue;
      const isMeant = ({ specifier }: { readonly specifier: string }): boolean =>
        modules.meantBy(specifier, path) === passed.path;
      const { imports, reexports, exports } = outline;
      const meant = { imports: imports.filter(isMeant), reexports: reexports.filter(isMeant), exports };
      yield { source, importer, shown: modules.shown(path), outline: meant, passed };
    }
  };
}

function* throughImports({ source, importer, shown, outline, passed }: Link): Generator<Arrival> {
  const { name, inside } = passed;
  for (const item of outline.imports) {
    const { local, imported } = item;
    const isWhole = imported !== name;
    if (isWhole && !holdsAll(item, source, importer)) continue;
    const why = copyReason(item, source, importer, passed);
    const named = [...outline.exports].filter(([, exportedLocal]) => exportedLocal === local);
    const within = isWhole ? `.${name}${inside}` : inside;
    const onward = { path: importer.path, inside: within, isCopy: why !== undefined, isAll: false };
    const passes = named.map(([exported]) => ({ ...onward, name: exported }));
    if (why !== undefined) yield { copy: { path: shown, name: local, why }, passes };
    else {
      const as = !isWhole && inside !== "" ? `${local}${inside}` : local;
      const isNamed = renamed(item, name) || as !== local;
      yield { viewer: { path: shown, how: "import", ...(isNamed ? { as } : {}) }, passes };
    }
  }
}

function* throughReexports({ source, importer, shown, outline, passed }: Link): Generator<Arrival> {
  const { name, inside } = passed;
  for (const item of outline.reexports) {
    const isSame = item.imported === name;
    const isWhole = holdsAll(item, source, importer) && item.exported !== undefined && !isSame;
    if (!isSame && !isWhole && (item.imported !== "*" || name === "default")) continue;
    const exported = item.exported ?? name;
    const within = isWhole ? `.${name}${inside}` : inside;
    // The default import of a CommonJS module is `module.exports`; all other names were copied when the module was
    // loaded.
    const isFacade = source.format === "commonjs" && importer.format === "module" && item.imported !== "default";
    const isCopy = passed.isCopy || isFacade || passed.isAll;
    const passes = [{ path: importer.path, name: exported, inside: within, isCopy, isAll: false }];
    if (isCopy) {
      const copied = isWhole ? `${exported}${within}` : exported;
      yield { copy: { path: shown, name: copied, why: "importsCommonJs" }, passes };
    } else {
      const as = exported === name ? {} : { as: exported };
      yield { viewer: { path: shown, how: "reexport", ...as }, passes };
    }
  }
}

function inOrder<Told>(told: ReadonlyMap<string, Told>): Told[] {
  return [...told].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

/**
 * The import is a namespace, the result of `require`, or the default of a CommonJS module: each use looks the name up
 * in it.
 */
function holdsAll(item: Pick<OutlineImport, "imported">, source: LoadedModule, importer: LoadedModule): boolean {
  if (item.imported === "*") return true;
  return item.imported === "default" && source.format === "commonjs" && importer.format === "module";
}

function copyReason(
  item: OutlineImport,
  source: LoadedModule,
  importer: LoadedModule,
  { name, isCopy: isOld, isAll }: Passed,
): CopyHolder["why"] | undefined {
  if (isAll) return item.how === "require" ? "required" : "importsCommonJs";
  if (isOld) return "importsCommonJs";
  if (source.format !== "commonjs") return undefined;
  if (item.how === "require" && item.imported !== "*") return "destructuredRequire";
  const isCopy = importer.format === "module" && item.how === "import" && item.imported === name && name !== "default";
  // A namespace of a CommonJS module holds copies too.
  return isCopy || (importer.format === "module" && item.imported === "*") ? "importsCommonJs" : undefined;
}

function renamed(item: OutlineImport, name: string): boolean {
  return item.imported === name && name !== "default" && item.local !== name;
}
