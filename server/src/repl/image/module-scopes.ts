/**
 * The inside of each loaded project module. The module registers an evaluator of its own scope on its first line;
 * names that a later evaluation adds there live in a grown evaluator that takes the first one's place.
 */
import { captured, shieldedMap } from "./captured.ts";

export type Evaluator = (code: string) => unknown;

export interface ModuleScopes {
  readonly reg: (url: string, meta: unknown, evaluator: Evaluator) => void;
  readonly grow: (url: string, evaluator: Evaluator) => void;
  /** Runs code in the scope of the module. Throws when the module has not begun to run. */
  readonly within: (url: string, code: string) => unknown;
  readonly meta: (url: string) => unknown;
}

export function createModuleScopes(): ModuleScopes {
  const scopes = shieldedMap<string, { readonly meta: unknown; evaluator: Evaluator }>();
  return {
    reg: (url, meta, evaluator) => void scopes.set(url, { meta, evaluator }),
    grow: (url, evaluator) => {
      const scope = scopes.get(url);
      if (scope !== undefined) scope.evaluator = evaluator;
    },
    within: (url, code) => {
      const scope = scopes.get(url);
      if (scope === undefined) throw new captured.Error(`The module ${url} is not loaded, or has not begun to run.`);
      return scope.evaluator(code);
    },
    meta: (url) => scopes.get(url)?.meta,
  };
}
