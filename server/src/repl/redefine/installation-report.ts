/** Joins the image's report on an installation with what the sources say about who sees the new values. */
import type { CopyHolder, Holder, Installation, Installed, InstalledName, NameReport } from "./installation.ts";
import type { InstallSnippet } from "../forms/install/install-types.ts";
import { DEFAULT_NAME } from "../source/instrument.ts";
import { isDecorated } from "./member-merge.ts";
import { moduleOutline } from "../source/module-outline.ts";
import { NAMELESS, type ModuleOutline } from "../source/outline-types.ts";
import type { ModuleService } from "../modules/module-service.ts";
import type { PreparedModule } from "../modules/module-types.ts";
import { viewsOf } from "./viewers.ts";

type Modules = Pick<ModuleService, "loaded" | "meantBy" | "shown" | "changed" | "loadsItself">;

export function reportInstallation(
  modules: Modules,
  module: PreparedModule | undefined,
  snippet: InstallSnippet,
  { names, losses }: Installed,
): Installation {
  const { form, reload } = snippet;
  const now = module === undefined ? undefined : (modules.loaded().find(({ path }) => path === module.path) ?? module);
  const outline = now === undefined ? undefined : moduleOutline(now.path, now.text);
  const types = form.declarations.filter(({ kind }) => kind === "interface" || kind === "type");
  const installed = reload === undefined ? names : reloadedNames(form, module);
  const paths = reload?.paths ?? (module === undefined ? [] : dependentPaths(modules, module.path));
  const shown = module === undefined ? {} : { module: modules.shown(module.path) };
  const reloads =
    losses === undefined
      ? {}
      : {
          reload: {
            isDone: reload !== undefined,
            isFixed: modules.loadsItself,
            paths,
            losses,
            methods: reload?.methods ?? [],
          },
        };
  return {
    ...shown,
    ...reloads,
    isLoadedNow: module?.isLoaded === false,
    isFixed: modules.loadsItself,
    isBehindSource: module !== undefined && modules.changed().includes(modules.shown(module.path)),
    names: installed
      .filter(({ name }) => !form.imports.some(({ local }) => local === name))
      .map((each) => nameReport({ modules, module, outline, snippet }, each)),
    types: [...new Set(types.map(({ name }) => name))],
    newExports: reload === undefined && module !== undefined ? newExports(module, outline, form) : [],
    newImports: reload === undefined ? form.imports.map(({ local }) => local) : [],
  };
}

/** The new exports that an ES module cannot get while it runs. */
export function newExports(
  { format }: Pick<PreparedModule, "format">,
  outline: ModuleOutline | undefined,
  form: ModuleOutline,
): string[] {
  if (format !== "module" || outline === undefined) return [];
  // A type does not exist at run time, so it cannot be exported there.
  const values = form.declarations.filter(({ kind }) => kind !== "interface" && kind !== "type");
  const types = form.declarations.filter((each) => !values.some(({ name }) => name === each.name));
  const isType = (local: string): boolean => types.some(({ name }) => name === local);
  return [...form.exports].flatMap(([exported, local]) => {
    return outline.exports.has(exported) || isType(local) ? [] : [exported];
  });
}

interface Reported {
  readonly modules: Modules;
  readonly module: PreparedModule | undefined;
  /** The outline of the module as it is now. */
  readonly outline: ModuleOutline | undefined;
  readonly snippet: InstallSnippet;
}

function nameReport(reported: Reported, each: InstalledName): NameReport {
  const { modules, module, snippet } = reported;
  const named = exportNames(reported, each);
  const isAll = each.patched?.includes(WHOLE) === true;
  const { sees = [], copies: found = [] } = module === undefined ? {} : viewsOf(modules, module.path, named, isAll);
  const copies = each.isSame === true ? [] : found;
  const plan = snippet.installs.find(({ name }) => name === each.name)?.plan;
  const { newFields = [], newPrivates = [], changedPrivateMethods = [], crossing = [] } = plan ?? {};
  return {
    ...each,
    exportedAs: isAll ? [...new Set([...named, "default"])] : named,
    sees,
    copies,
    newFields,
    newPrivates,
    changedPrivateMethods,
    crossing,
    ...(losesDecorators(reported) ? { problems: [...(each.problems ?? []), UNDECORATED] } : {}),
    holders: withoutCopies(each.holders ?? [], copies),
  };
}

/** The names under which the module exports the installed value. */
function exportNames({ outline }: Reported, { name, kind, patched = [] }: InstalledName): string[] {
  const local = kind === "default" ? nameless(name) : name;
  const exports = [...(outline?.exports ?? [])].filter(([, exported]) => exported === local).map(([as]) => as);
  const assigned = kind === "assigned" ? (/^(?:module\.)?exports\.([^.[]+)$/.exec(name)?.slice(1) ?? []) : [];
  return [...new Set([...exports, ...assigned, ...patched.filter((place) => place !== WHOLE).map(patchedName)])];
}

function losesDecorators({ module, snippet: { member } }: Reported): boolean {
  return member !== undefined && module !== undefined && isDecorated(module.path, module.text, member);
}

const UNDECORATED = "the decorators that it has in the source are not applied: give the whole class to have them";

function reloadedNames(form: ModuleOutline, module: PreparedModule | undefined): InstalledName[] {
  const seen = new Set<string>();
  return form.declarations.flatMap(({ name, kind, isAmbient }): InstalledName[] => {
    if (isAmbient || kind === "interface" || kind === "type" || seen.has(name)) return [];
    seen.add(name);
    return [{ name, kind, isNew: module?.names.has(name) === false && name !== NAMELESS }];
  });
}

function dependentPaths(modules: Modules, path: string): string[] {
  const loaded = new Map(modules.loaded().map((each) => [each.path, each]));
  const paths = new Set([path]);
  for (const each of paths)
    for (const importer of loaded.get(each)?.importers ?? []) if (loaded.has(importer)) paths.add(importer);
  return [...paths].map((each) => modules.shown(each));
}

const WHOLE = "module.exports";

/** The `name` of `module.exports.name`. */
function patchedName(place: string): string {
  return place.slice(`${WHOLE}.`.length);
}

function withoutCopies(holders: readonly Holder[], copies: readonly CopyHolder[]): Holder[] {
  return holders.filter(({ path, what }) => !copies.some((copy) => copy.path === path && copy.name === what));
}

/**
 * The name of a nameless default export: the transpiler of CommonJS calls its binding `_default`, the instrumentation
 * of ES modules `$default`.
 */
function nameless(binding: string): string {
  return binding === DEFAULT_NAME || binding === "_default" ? NAMELESS : binding;
}
