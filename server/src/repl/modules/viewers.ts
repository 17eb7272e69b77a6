/** Who sees a binding of a module through its imports, and who has only a copy of what it held. */
import type { LoadedModule, ModuleService } from "./module-service.ts";
import { moduleOutline, type ModuleOutline, type OutlineImport } from "./module-outline.ts";

export interface Viewer {
  /** Project-relative. */
  readonly path: string;
  readonly how: "import" | "reexport";
  /** The name there, where it is another one. */
  readonly as?: string;
}

export interface CopyHolder {
  readonly path: string;
  readonly name: string;
  readonly why: "importsCommonJs" | "destructuredRequire";
}

export interface Views {
  readonly sees: readonly Viewer[];
  readonly copies: readonly CopyHolder[];
}

/** A name under which a module exports the binding; `inside` says where in it, when the name is that of a namespace. */
interface Passed {
  readonly path: string;
  readonly name: string;
  readonly inside: string;
}

type Modules = Pick<ModuleService, "loaded" | "meantBy" | "shown">;

export function viewsOf(modules: Modules, owner: string, exportedNames: readonly string[]): Views {
  const loaded = new Map(modules.loaded().map((each) => [each.path, each]));
  const outlines = new Map<string, ModuleOutline | undefined>();
  const outlineOf = ({ path, text }: LoadedModule): ModuleOutline | undefined => {
    if (!outlines.has(path)) outlines.set(path, moduleOutline(path, text));
    return outlines.get(path);
  };
  const sees = new Map<string, Viewer>();
  const copies = new Map<string, CopyHolder>();
  const queue = exportedNames.map((name): Passed => ({ path: owner, name, inside: "" }));
  const done = new Set<string>();
  for (const { path, name, inside } of queue) {
    const source = loaded.get(path);
    const key = `${path} ${name}${inside}`;
    if (source === undefined || done.has(key)) continue;
    done.add(key);
    for (const importer of [...source.importers].toSorted()) {
      const module = loaded.get(importer);
      const outline = module === undefined ? undefined : outlineOf(module);
      if (module === undefined || outline === undefined) continue;
      const shown = modules.shown(importer);
      const isMeant = ({ specifier }: { readonly specifier: string }): boolean =>
        modules.meantBy(specifier, importer) === path;
      for (const item of outline.imports.filter(isMeant)) {
        if (item.imported !== name && !holdsAll(item, source, module)) continue;
        const why = copyReason(item, source, module, name);
        if (why !== undefined) copies.set(`${shown} ${item.local}`, { path: shown, name: item.local, why });
        else if (!sees.has(shown)) {
          const as = item.imported === name && inside !== "" ? `${item.local}${inside}` : item.local;
          sees.set(shown, { path: shown, how: "import", ...(renamed(item, name) || as !== item.local ? { as } : {}) });
        }
        for (const [exported, local] of outline.exports) {
          if (local !== item.local) continue;
          if (item.imported === name) queue.push({ path: importer, name: exported, inside });
          else if (item.imported === "*") queue.push({ path: importer, name: exported, inside: `.${name}${inside}` });
        }
      }
      for (const item of outline.reexports.filter(isMeant)) {
        const isNamespace = item.imported === "*" && item.exported !== undefined;
        const passes = item.imported === name || isNamespace || (item.imported === "*" && name !== "default");
        if (!passes) continue;
        const as = item.imported === "*" ? item.exported : item.exported === name ? undefined : item.exported;
        sees.set(shown, { path: shown, how: "reexport", ...(as === undefined ? {} : { as }) });
        queue.push({
          path: importer,
          name: item.exported ?? name,
          inside: isNamespace ? `.${name}${inside}` : inside,
        });
      }
    }
  }
  const byPath = (a: { readonly path: string }, b: { readonly path: string }): number => (a.path < b.path ? -1 : 1);
  return { sees: [...sees.values()].toSorted(byPath), copies: [...copies.values()].toSorted(byPath) };
}

/** A namespace, what `require` gives, or the default of a CommonJS module: the name is looked up in it at each use. */
function holdsAll(item: OutlineImport, source: LoadedModule, importer: LoadedModule): boolean {
  if (item.imported === "*") return true;
  return item.imported === "default" && source.format === "commonjs" && importer.format === "module";
}

function copyReason(
  item: OutlineImport,
  source: LoadedModule,
  importer: LoadedModule,
  name: string,
): CopyHolder["why"] | undefined {
  if (source.format !== "commonjs") return undefined;
  if (item.how === "require" && item.imported !== "*") return "destructuredRequire";
  const isCopy = importer.format === "module" && item.how === "import" && item.imported === name && name !== "default";
  // A namespace of a CommonJS module holds copies as well.
  return isCopy || (importer.format === "module" && item.imported === "*") ? "importsCommonJs" : undefined;
}

function renamed(item: OutlineImport, name: string): boolean {
  return item.imported === name && name !== "default" && item.local !== name;
}
