/** Rewrites a form to code that installs its declarations, and remembers what was installed in which module. */
import type { HolderModule, Installation, Installed } from "../../redefine/installation.ts";
import { newExports, reportInstallation } from "../../redefine/installation-report.ts";
import type { FormPlace, FormRequest } from "../form-place.ts";
import { reloadSnippet, rewriteInstall } from "./install-snippet.ts";
import type { InstallSnippet, InstallTarget } from "./install-types.ts";
import { lossSpec } from "../../redefine/loss-spec.ts";
import { mergeForms } from "../../redefine/module-merge.ts";
import { moduleOutline } from "../../source/module-outline.ts";
import type { ModuleOutline } from "../../source/outline-types.ts";
import type { ModuleService } from "../../modules/module-service.ts";
import type { PreparedModule } from "../../modules/module-types.ts";
import { RunningTexts, type RunningModule } from "../../redefine/running-texts.ts";
import type { ScopeMemory } from "../scope-memory.ts";
import type { WrittenForm } from "../scope-types.ts";
import type { SnippetProblem } from "../snippet/snippet.ts";
import { given } from "../../../base/given.ts";

interface InstalledForm {
  /** The source of the module at the installation. */
  readonly base: string;
  readonly names: readonly string[];
  readonly source: string | undefined;
}

export class FormInstaller {
  readonly #modules: ModuleService;
  readonly #memory: ScopeMemory;
  readonly #running: RunningTexts;
  /** The key is the module's path. */
  readonly #installed = new Map<string, readonly InstalledForm[]>();

  constructor(modules: ModuleService, memory: ScopeMemory) {
    this.#modules = modules;
    this.#memory = memory;
    this.#running = new RunningTexts(modules);
  }

  rewrite(
    written: WrittenForm,
    install: NonNullable<FormRequest["install"]>,
    { module }: FormPlace,
  ): InstallSnippet | SnippetProblem {
    const { text, number } = written;
    const form = moduleOutline("form.tsx", text) ?? moduleOutline("form.ts", text);
    if (install.reload !== true) return rewriteInstall(written, this.#targetOf(module, form));
    if (module?.isDependency === true)
      return { message: "A dependency cannot be loaded anew: restart the REPL for that." };
    if (module === undefined) return { message: "Only a module can be loaded anew: name it with `path`." };
    if (form === undefined) return rewriteInstall(written, this.#targetOf(module, form));
    return this.#reload(text, number, form, module);
  }

  /** Remembers what the image installed. Answers who sees the installed values and who does not. */
  settle(
    module: PreparedModule | undefined,
    snippet: InstallSnippet,
    installed: Installed,
    evalId: string,
  ): Installation {
    if (module !== undefined) this.#keep(module, snippet, evalId);
    return reportInstallation(this.#modules, module, snippet, installed);
  }

  running(): readonly RunningModule[] {
    return this.#running.now();
  }

  #targetOf(module: PreparedModule | undefined, form: ModuleOutline | undefined): InstallTarget {
    const modules = this.#modules;
    if (module === undefined) return { isCommonJs: false, holders: this.#holders() };
    const outline = moduleOutline(module.path, module.text);
    const needsReload = form !== undefined && (newExports(module, outline, form).length > 0 || form.imports.length > 0);
    const losses = needsReload
      ? lossSpec(modules, modules.dependents(module.path), this.#memory.of(undefined).names)
      : undefined;
    return {
      ...given({ losses, outline }),
      path: modules.shown(module.path),
      isCommonJs: module.format === "commonjs",
      holders: this.#holders(),
    };
  }

  #holders(): HolderModule[] {
    const forms: HolderModule = { url: "", path: "the REPL", names: [...this.#memory.of(undefined).names] };
    const loaded = this.#modules.loaded().map(({ path, url, names }): HolderModule => {
      return { url, path: this.#modules.shown(path), names: [...names(), ...this.#memory.of(url).names] };
    });
    return [...loaded, forms];
  }

  /** A reload also gets the earlier installations, as long as the source is the one for which they were made. */
  #reload(
    text: string,
    number: number,
    form: ModuleOutline,
    { path, text: source }: PreparedModule,
  ): InstallSnippet | SnippetProblem {
    const modules = this.#modules;
    const stale = modules.dependents(path);
    const earlier = (this.#installed.get(path) ?? []).filter(({ base }) => base === source);
    const sources = [...earlier.flatMap((each) => each.source ?? []), text];
    const reload = modules.replaceText(path, (base) => mergeForms(path, base, sources));
    if ("reason" in reload) return { message: reload.reason };
    const paths = [modules.shown(path), ...stale.map((each) => modules.shown(each.path))];
    const methods = earlier.flatMap((each) => (each.source === undefined ? each.names : []));
    const losses = lossSpec(modules, stale, this.#memory.of(undefined).names);
    return reloadSnippet(number, form, losses, { ...reload, methods, paths: [...new Set(paths)] });
  }

  #keep(module: PreparedModule, snippet: InstallSnippet, evalId: string): void {
    const { source, member, installs, reload, form } = snippet;
    const { path, text } = module;
    const names = installs.map(({ name }) => name);
    this.#modules.installed(path, reload === undefined ? names : form.declarations.map(({ name }) => name), evalId);
    if (reload !== undefined) {
      this.#installed.delete(path);
      return this.#running.reloaded(path);
    }
    this.#installed.set(path, [...(this.#installed.get(path) ?? []), { base: text, names, source }]);
    this.#running.installed(module, { names, ...given({ member, source }) });
  }
}
