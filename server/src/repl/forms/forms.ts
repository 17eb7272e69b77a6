/** Makes of each form what the image runs: finds its scope, rewrites it, and remembers what it leaves there. */
import { compiledImports } from "../source/compiled-imports.ts";
import { droppedImports } from "./dropped-imports.ts";
import type { EvaluateRequest } from "../image.ts";
import type { HolderModule, Installation, Installed } from "../redefine/installation.ts";
import { newExports, reportInstallation } from "../redefine/installation-report.ts";
import { jsxImports } from "./jsx-imports.ts";
import { reloadSnippet, rewriteInstall, type InstallSnippet, type InstallTarget } from "./install-snippet.ts";
import { DEFAULT_NAME } from "../source/instrument.ts";
import type { EmitOptions } from "../source/compiler-options.ts";
import { lossSpec } from "../redefine/loss-spec.ts";
import type { LossSpec } from "../redefine/lost-state.ts";
import { mergeForms } from "../redefine/module-merge.ts";
import { moduleOutline, NAMELESS, type ModuleOutline } from "../source/module-outline.ts";
import type { ModuleService } from "../modules/module-service.ts";
import type { PreparedModule } from "../modules/module-types.ts";
import { createRunningTexts, type RunningModule } from "../redefine/running-texts.ts";
import { createScopeMemory, type ScopeMemory } from "./scope-memory.ts";
import { rewriteSnippet, type ImportedName, type Snippet, type SnippetProblem, type SnippetScope } from "./snippet.ts";
import { given } from "../../given.ts";

export interface FormScope {
  readonly scope: SnippetScope;
  readonly module?: PreparedModule;
}

export interface Forms {
  /** Where the form runs, or why it cannot. */
  readonly scopeOf: (request: FormRequest) => FormScope | string;
  readonly rewrite: (request: FormRequest, number: number, at: FormScope) => Snippet | InstallSnippet | SnippetProblem;
  /** To be called before a form is evaluated: what it declares stays, even when it fails half way. */
  readonly learn: (at: FormScope, snippet: Snippet) => void;
  /**
   * To be called when a form has ended, with what the image says that it installed. Answers who sees that and who does
   * not; undefined when nothing was installed.
   */
  readonly settle: (
    at: FormScope,
    snippet: Snippet,
    installed: Installed | undefined,
    evalId: string,
  ) => Installation | undefined;
  readonly memory: ScopeMemory;
  /** Modules that run something else than their source: with what was installed in them. */
  readonly running: () => readonly RunningModule[];
}

type FormRequest = Pick<EvaluateRequest, "code" | "module" | "install">;

interface InstalledForm {
  /** The source of the module with which it was installed. */
  readonly base: string;
  readonly names: readonly string[];
  readonly source: string | undefined;
}

/** By their local names. */
function importedNames(module: PreparedModule, emit: EmitOptions): Map<string, ImportedName> {
  const imports = moduleOutline(module.path, module.text)?.imports ?? [];
  const written = imports.flatMap((each): [string, ImportedName][] =>
    each.how === "import" ? [[each.local, each]] : [],
  );
  return new Map([...written, ...(module.format === "module" ? jsxImports(module, emit) : [])]);
}

export function createForms(modules: ModuleService): Forms {
  const memory = createScopeMemory();
  const installed = new Map<string, readonly InstalledForm[]>();
  const running = createRunningTexts(modules);

  const scopeOf: Forms["scopeOf"] = ({ module, install }) => {
    if (module === undefined) {
      const { names, constants, classes, unset } = memory.of(undefined);
      return { scope: { kind: "global", declared: names, constants, classes, unset } };
    }
    // What is installed goes into the code that runs, even where the source has gone on since.
    if (install === undefined || modules.isUnfinished(module)) modules.refresh();
    const prepared = modules.prepare(module);
    if ("reason" in prepared) return prepared.reason;
    const { url } = prepared;
    const grown = memory.of(url);
    const defaultName = defaultNameOf(prepared);
    const bound = new Set([...prepared.names, ...grown.names]);
    const imports = prepared.format === "commonjs" ? compiledImports(prepared) : undefined;
    const imported = importedNames(prepared, modules.emitOptions(prepared));
    for (const name of grown.names) {
      imports?.delete(name);
      imported.delete(name);
    }
    const declared = moduleOutline(prepared.path, prepared.text)?.declarations ?? [];
    const scope: SnippetScope = {
      kind: "module",
      url,
      enums: new Set(declared.flatMap(({ name, kind }) => (kind === "enum" ? [name] : []))),
      constants: grown.constants,
      unset: grown.unset,
      bound,
      classes: new Map([...prepared.classes, ...grown.classes]),
      ...given({ defaultName, imports }),
      imported,
      dropped: droppedImports(prepared.path, prepared.text, (name) => bound.has(name) || imports?.has(name) === true),
    };
    return { scope, module: prepared };
  };

  const holders = (): HolderModule[] => {
    const forms: HolderModule = { url: "", path: "the REPL", names: [...memory.of(undefined).names] };
    const loaded = modules.loaded().map(({ path, url, names }): HolderModule => {
      return { url, path: modules.shown(path), names: [...names(), ...memory.of(url).names] };
    });
    return [...loaded, forms];
  };

  const targetOf = ({ module }: FormScope, form: ModuleOutline | undefined): InstallTarget => {
    if (module === undefined) return { isCommonJs: false, holders: holders() };
    const outline = moduleOutline(module.path, module.text);
    const needsReload = form !== undefined && (newExports(module, outline, form).length > 0 || form.imports.length > 0);
    const losses = (): LossSpec => lossSpec(modules, modules.dependents(module.path), memory.of(undefined).names);
    return {
      ...(needsReload ? { losses: losses() } : {}),
      path: modules.shown(module.path),
      isCommonJs: module.format === "commonjs",
      ...given({ outline }),
      holders: holders(),
    };
  };

  const learn: Forms["learn"] = ({ scope }, snippet) =>
    memory.learn(scope.kind === "module" ? scope.url : undefined, snippet);

  /** What was installed before goes into the text of a reload too, as long as the source is the one it went with. */
  const keepInstalled = (module: PreparedModule, snippet: InstallSnippet, evalId: string): void => {
    const { source, member, installs, reload, form } = snippet;
    const { path, text } = module;
    const names = installs.map(({ name }) => name);
    modules.installed(path, reload === undefined ? names : form.declarations.map(({ name }) => name), evalId);
    if (reload !== undefined) {
      installed.delete(path);
      return running.reloaded(path);
    }
    installed.set(path, [...(installed.get(path) ?? []), { base: text, names, source }]);
    const what = member === undefined ? {} : { member };
    running.installed(module, { names, ...what, ...given({ source }) });
  };

  const rewrite: Forms["rewrite"] = ({ code, install }, number, at) => {
    const emit = modules.emitOptions(at.module);
    if (install === undefined) return rewriteSnippet(code, number, at.scope, emit);
    const { module } = at;
    const form = moduleOutline("form.tsx", code) ?? moduleOutline("form.ts", code);
    if (install.reload !== true) return rewriteInstall(code, number, at.scope, targetOf(at, form), emit);
    if (module?.isDependency === true)
      return { message: "A dependency cannot be loaded anew: restart the REPL for that." };
    if (module === undefined) return { message: "Only a module can be loaded anew: name it with `package`." };
    if (form === undefined) return rewriteInstall(code, number, at.scope, targetOf(at, form), emit);
    const stale = modules.dependents(module.path);
    const earlier = (installed.get(module.path) ?? []).filter(({ base }) => base === module.text);
    const sources = [...earlier.flatMap(({ source }) => source ?? []), code];
    const reload = modules.replaceText(module.path, (text) => mergeForms(module.path, text, sources));
    if ("reason" in reload) return { message: reload.reason };
    const paths = [modules.shown(module.path), ...stale.map(({ path }) => modules.shown(path))];
    const methods = earlier.flatMap(({ source, names }) => (source === undefined ? names : []));
    const losses = lossSpec(modules, stale, memory.of(undefined).names);
    return reloadSnippet(number, form, losses, { ...reload, methods, paths: [...new Set(paths)] });
  };

  return {
    memory,
    running: running.now,
    scopeOf,
    rewrite,
    learn,
    settle: (at, snippet, installed, evalId) => {
      if (!isInstallSnippet(snippet)) return undefined;
      if (installed === undefined) {
        snippet.reload?.undo();
        return undefined;
      }
      learn(at, snippet);
      if (at.module !== undefined) keepInstalled(at.module, snippet, evalId);
      return reportInstallation(modules, at.module, snippet, installed);
    },
  };
}

function defaultNameOf({ path, text, format, names }: PreparedModule): string | undefined {
  const local = moduleOutline(path, text)?.exports.get("default");
  if (local !== NAMELESS) return local;
  const binding = format === "module" ? DEFAULT_NAME : "_default";
  return names.has(binding) ? binding : undefined;
}

export function isInstallSnippet(snippet: Snippet): snippet is InstallSnippet {
  return "installs" in snippet;
}
