/** Tells when a name that a form imported belongs to an earlier instance of its module. */
import type { DiagnosticLine } from "../../protocol/shapes.ts";
import type { FormPlace } from "../forms/form-place.ts";
import type { Snippet } from "../forms/snippet/snippet.ts";
import type { ModuleService } from "../modules/module-service.ts";

export class StaleImports {
  readonly #modules: Pick<ModuleService, "instanceOf">;
  /** The imported names of each scope; the key of the REPL's own scope is "". */
  readonly #scopes = new Map<string, Map<string, { readonly specifier: string; readonly url: string }>>();

  constructor(modules: Pick<ModuleService, "instanceOf">) {
    this.#modules = modules;
  }

  /** To be called when a form has ended. */
  learn(at: FormPlace, { origins, redeclared }: Snippet): void {
    const known = this.#of(at);
    for (const name of redeclared) known.delete(name);
    for (const [name, specifier] of origins ?? []) {
      const instance = this.#modules.instanceOf(specifier, at.module?.path);
      if (instance !== undefined) known.set(name, { specifier, url: instance.url });
    }
  }

  /** To be called before a form runs. */
  note(at: FormPlace, { origins, uses }: Snippet): DiagnosticLine[] {
    const known = this.#of(at);
    if (known.size === 0 || uses === undefined) return [];
    const stale = new Map<string, string>();
    for (const name of uses((each) => known.has(each) && origins?.has(each) !== true)) {
      const { specifier = "", url } = known.get(name) ?? {};
      const now = this.#modules.instanceOf(specifier, at.module?.path);
      if (now !== undefined && (now.url !== url || now.isOutdated)) stale.set(name, now.name);
    }
    return stale.size === 0 ? [] : [staleNote(stale)];
  }

  #of({ scope }: FormPlace): Map<string, { readonly specifier: string; readonly url: string }> {
    const key = scope.kind === "module" ? scope.url : "";
    const known = this.#scopes.get(key) ?? new Map<string, { readonly specifier: string; readonly url: string }>();
    this.#scopes.set(key, known);
    return known;
  }
}

function staleNote(stale: ReadonlyMap<string, string>): DiagnosticLine {
  const modules = [...new Set(stale.values())].join(", ");
  const names = [...stale.keys()].join(", ");
  const [are, them] = stale.size === 1 ? ["is", "it"] : ["are", "them"];
  const message = `${names} ${are} still what ${modules} gave before a change: import ${them} again to get the new code.`;
  return { severity: "warning", message };
}
