/** Who sees a binding of a module through its imports, and who has only a copy of what it held. */
import type { CopyHolder, Viewer } from "./installation.ts";
import type { ModuleService } from "../modules/module-service.ts";
import type { LoadedModule } from "../modules/module-types.ts";
import { moduleOutline, type ModuleOutline, type OutlineImport } from "../source/module-outline.ts";

export interface Views {
  readonly sees: readonly Viewer[];
  readonly copies: readonly CopyHolder[];
}

/** A name under which a module exports the binding; `inside` says where in it, when the name is that of a namespace. */
interface Passed {
  readonly path: string;
  readonly name: string;
  readonly inside: string;
  /** What that name holds is a copy already. */
  readonly isCopy: boolean;
  /** It is all that the CommonJS module exports: `module.exports` itself. */
  readonly isAll: boolean;
}

type Modules = Pick<ModuleService, "loaded" | "meantBy" | "shown">;

/** `isAll`: it is what `module.exports` itself holds, too. */
export function viewsOf(modules: Modules, owner: string, exportedNames: readonly string[], isAll = false): Views {
  const loaded = new Map(modules.loaded().map((each) => [each.path, each]));
  const outlines = new Map<string, ModuleOutline | undefined>();
  const outlineOf = ({ path, text }: LoadedModule): ModuleOutline | undefined => {
    if (!outlines.has(path)) outlines.set(path, moduleOutline(path, text));
    return outlines.get(path);
  };
  const sees = new Map<string, Viewer>();
  const copies = new Map<string, CopyHolder>();
  const start = { path: owner, inside: "", isCopy: false } as const;
  const queue: Passed[] = exportedNames.map((name) => ({ ...start, name, isAll: false }));
  if (isAll) queue.push({ ...start, name: "default", isAll });
  const done = new Set<string>();
  for (const passed of queue) {
    const { path, name, inside, isCopy } = passed;
    const source = loaded.get(path);
    const key = `${path} ${name}${inside} ${isCopy}`;
    if (source === undefined || done.has(key)) continue;
    done.add(key);
    for (const importer of [...source.importers].toSorted()) {
      const module = loaded.get(importer);
      const outline = module === undefined ? undefined : outlineOf(module);
      if (module === undefined || outline === undefined) continue;
      const shown = modules.shown(importer);
      const isMeant = ({ specifier }: { readonly specifier: string }): boolean =>
        modules.meantBy(specifier, importer) === path;
      const copied = (local: string, why: CopyHolder["why"]): void =>
        void copies.set(`${shown} ${local}`, { path: shown, name: local, why });
      for (const item of outline.imports.filter(isMeant)) {
        if (item.imported !== name && !holdsAll(item, source, module)) continue;
        const why = copyReason(item, source, module, passed);
        if (why !== undefined) copied(item.local, why);
        else if (!sees.has(shown)) {
          const as = item.imported === name && inside !== "" ? `${item.local}${inside}` : item.local;
          sees.set(shown, { path: shown, how: "import", ...(renamed(item, name) || as !== item.local ? { as } : {}) });
        }
        for (const [exported, local] of outline.exports) {
          if (local !== item.local) continue;
          const isWhole = item.imported !== name;
          const within = isWhole ? `.${name}${inside}` : inside;
          queue.push({ path: importer, name: exported, inside: within, isCopy: why !== undefined, isAll: false });
        }
      }
      for (const item of outline.reexports.filter(isMeant)) {
        const isWhole = holdsAll(item, source, module) && item.exported !== undefined && item.imported !== name;
        const passes = item.imported === name || isWhole || (item.imported === "*" && name !== "default");
        if (!passes) continue;
        const exported = item.exported ?? name;
        // The default of a CommonJS module is what `module.exports` holds; everything else was copied when it was loaded.
        const isFacade = source.format === "commonjs" && module.format === "module" && item.imported !== "default";
        const isOld = isCopy || isFacade || passed.isAll;
        if (isOld) copied(isWhole ? `${exported}.${name}${inside}` : exported, "importsCommonJs");
        else sees.set(shown, { path: shown, how: "reexport", ...(exported === name ? {} : { as: exported }) });
        queue.push({
          path: importer,
          name: exported,
          inside: isWhole ? `.${name}${inside}` : inside,
          isCopy: isOld,
          isAll: false,
        });
      }
    }
  }
  const inOrder = <Told>(told: ReadonlyMap<string, Told>): Told[] =>
    [...told].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
  return { sees: inOrder(sees), copies: inOrder(copies) };
}

/** A namespace, what `require` gives, or the default of a CommonJS module: the name is looked up in it at each use. */
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
  // A namespace of a CommonJS module holds copies as well.
  return isCopy || (importer.format === "module" && item.imported === "*") ? "importsCommonJs" : undefined;
}

function renamed(item: OutlineImport, name: string): boolean {
  return item.imported === name && name !== "default" && item.local !== name;
}
