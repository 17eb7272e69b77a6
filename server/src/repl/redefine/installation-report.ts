/** Puts together what the image says of an installation and what the sources say of who sees it. */
import type { CopyHolder, Holder, Installation, Installed, InstalledName, NameReport } from "./installation.ts";
import type { InstallSnippet } from "../forms/install-snippet.ts";
import { DEFAULT_NAME } from "../source/instrument.ts";
import { isDecorated } from "./member-merge.ts";
import { moduleOutline, NAMELESS, type ModuleOutline } from "../source/module-outline.ts";
import type { ModuleService } from "../modules/module-service.ts";
import type { PreparedModule } from "../modules/module-types.ts";
import { viewsOf } from "./viewers.ts";

type Modules = Pick<ModuleService, "loaded" | "meantBy" | "shown" | "changed">;

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
      : { reload: { isDone: reload !== undefined, paths, losses, methods: reload?.methods ?? [] } };
  return {
    ...shown,
    ...reloads,
    isLoadedNow: module?.isLoaded === false,
    isBehindSource: module !== undefined && modules.changed().includes(modules.shown(module.path)),
    names: installed
      .filter(({ name }) => !form.imports.some(({ local }) => local === name))
      .map((each) => nameReport(modules, module, outline, snippet, each)),
    types: [...new Set(types.map(({ name }) => name))],
    newExports: reload === undefined && module !== undefined ? newExports(module, outline, form) : [],
    newImports: reload === undefined ? form.imports.map(({ local }) => local) : [],
  };
}

/** What an ES module cannot be given while it runs. */
export function newExports(
  { format }: Pick<PreparedModule, "format">,
  outline: ModuleOutline | undefined,
  form: ModuleOutline,
): string[] {
  if (format !== "module" || outline === undefined) return [];
  return [...form.exports.keys()].filter((exported) => !outline.exports.has(exported));
}

function nameReport(
  modules: Modules,
  module: PreparedModule | undefined,
  outline: ModuleOutline | undefined,
  { installs, member }: InstallSnippet,
  each: InstalledName,
): NameReport {
  const plan = installs.find(({ name }) => name === each.name)?.plan;
  const local = each.kind === "default" ? nameless(each.name) : each.name;
  const exports = [...(outline?.exports ?? [])].filter(([, name]) => name === local).map(([exported]) => exported);
  const assigned = each.kind === "assigned" ? (/^(?:module\.)?exports\.([^.[]+)$/.exec(each.name)?.slice(1) ?? []) : [];
  const { patched = [] } = each;
  const named = [...new Set([...exports, ...assigned, ...patched.filter((place) => place !== WHOLE).map(patchedName)])];
  const isAll = patched.includes(WHOLE);
  const views = module === undefined ? undefined : viewsOf(modules, module.path, named, isAll);
  const exportedAs = isAll ? [...new Set([...named, "default"])] : named;
  const { newFields = [], newPrivates = [], changedPrivateMethods = [], crossing = [] } = plan ?? {};
  const { sees = [] } = views ?? {};
  const copies = each.isSame === true ? [] : (views?.copies ?? []);
  const told = { exportedAs, sees, copies, newFields, newPrivates, changedPrivateMethods, crossing };
  const losesDecorators = member !== undefined && module !== undefined && isDecorated(module.path, module.text, member);
  const problems = losesDecorators ? { problems: [...(each.problems ?? []), UNDECORATED] } : {};
  return { ...each, ...told, ...problems, holders: withoutCopies(each.holders ?? [], copies) };
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

/** Of `module.exports.name`. */
function patchedName(place: string): string {
  return place.slice(`${WHOLE}.`.length);
}

function withoutCopies(holders: readonly Holder[], copies: readonly CopyHolder[]): Holder[] {
  return holders.filter(({ path, what }) => !copies.some((copy) => copy.path === path && copy.name === what));
}

/** The transpiler of CommonJS calls the nameless default `_default`, the instrumentation of ES modules `$default`. */
function nameless(binding: string): string {
  return binding === DEFAULT_NAME || binding === "_default" ? NAMELESS : binding;
}
