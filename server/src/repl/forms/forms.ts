/** Finds each form's scope, rewrites the form for the image, and remembers what the form leaves in the scope. */
import type { Installation, Installed } from "../redefine/installation.ts";
import { FormInstaller } from "./install/form-installer.ts";
import { placeOf, type FormPlace, type FormRequest } from "./form-place.ts";
import type { InstallSnippet } from "./install/install-types.ts";
import type { ModuleService } from "../modules/module-service.ts";
import type { RunningModule } from "../redefine/running-texts.ts";
import { ScopeMemory } from "./scope-memory.ts";
import { rewriteSnippet, type Snippet, type SnippetProblem } from "./snippet/snippet.ts";

export class Forms {
  readonly memory = new ScopeMemory();
  readonly #modules: ModuleService;
  readonly #installer: FormInstaller;

  constructor(modules: ModuleService) {
    this.#modules = modules;
    this.#installer = new FormInstaller(modules, this.memory);
  }

  /** The form's place, or the reason why the form cannot run. */
  placeOf(request: FormRequest): FormPlace | string {
    return placeOf(request, this.#modules, this.memory);
  }

  rewrite(request: FormRequest, number: number, place: FormPlace): Snippet | InstallSnippet | SnippetProblem {
    const { code, install } = request;
    const written = { text: code, number, scope: place.scope, emit: this.#modules.emitOptions(place.module) };
    return install === undefined ? rewriteSnippet(written) : this.#installer.rewrite(written, install, place);
  }

  /** To be called before a form is evaluated: its declarations stay, even when it fails half way. */
  learn({ scope }: FormPlace, snippet: Snippet): void {
    this.memory.learn(scope.kind === "module" ? scope.url : undefined, snippet);
  }

  /**
   * To be called when a form has ended, with the image's report of what was installed. Answers who sees the installed
   * values and who does not; undefined when nothing was installed.
   */
  settle(
    place: FormPlace,
    snippet: Snippet,
    installed: Installed | undefined,
    evalId: string,
  ): Installation | undefined {
    if (!isInstallSnippet(snippet)) return undefined;
    if (installed === undefined) {
      snippet.reload?.undo();
      return undefined;
    }
    this.learn(place, snippet);
    return this.#installer.settle(place.module, snippet, installed, evalId);
  }

  /** The modules that run another text than their source, as texts with the installed definitions. */
  running(): readonly RunningModule[] {
    return this.#installer.running();
  }
}

export function isInstallSnippet(snippet: Snippet): snippet is InstallSnippet {
  return "installs" in snippet;
}
