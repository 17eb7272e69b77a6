/**
 * The scopes of all loaded modules of the project. The first line of a module registers an evaluator of the module's
 * scope. When a later evaluation adds names to the scope, a new evaluator with these names takes the place of the
 * first. A class with private names registers an evaluator of its own body.
 */
import { captured, shieldedMap } from "../../shared/captured.ts";
import type { MODULE_CALL } from "../../wire/kernel-name.ts";

export type Evaluator = (code: string) => unknown;

export interface Brand {
  readonly evaluator: Evaluator;
  readonly names: { readonly instance: readonly string[]; readonly static: readonly string[] };
}

export interface ModuleScopes {
  /** `mayWait`: the module has an `await`, perhaps at its top level, and reports when it has run to its end. */
  readonly reg: (url: string, meta: unknown, evaluator: Evaluator, mayWait?: boolean) => void;
  readonly grow: (url: string, evaluator: Evaluator) => void;
  /** Runs code in the scope of the module. Throws when the module has not begun to run. */
  readonly within: (url: string, code: string) => unknown;
  readonly meta: (url: string) => unknown;
  readonly brand: (owner: object, evaluator: Evaluator, names: Brand["names"]) => void;
  readonly brandOf: (owner: object) => Brand | undefined;
  /** A getter of an export that answers undefined while the export's binding is not initialised. */
  readonly early: (get: () => unknown) => () => unknown;
  /** Gives a nameless default export the name `default`, in place of the name of its binding. */
  readonly unname: (value: unknown) => void;
}

const { agentqRunsInModule } = {
  agentqRunsInModule: (evaluator: Evaluator, code: string): unknown => evaluator(code),
} satisfies Readonly<Record<typeof MODULE_CALL, unknown>>;
/** The binding of a nameless default export. */
export const HIDDEN_NAME = "$default";
const RealReferenceError = ReferenceError;
const applyTo = Reflect.apply;

export function createModuleScopes(onMayWait: (url: string) => void): ModuleScopes {
  const scopes = shieldedMap<string, { readonly meta: unknown; evaluator: Evaluator }>();
  const brands = new WeakMap<object, Brand>();
  const getBrand = brands.get.bind(brands);
  const setBrand = brands.set.bind(brands);
  return {
    reg: (url, meta, evaluator, mayWait) => {
      scopes.set(url, { meta, evaluator });
      if (mayWait === true) onMayWait(url);
    },
    grow: (url, evaluator) => {
      const scope = scopes.get(url);
      if (scope !== undefined) scope.evaluator = evaluator;
    },
    within: (url, code) => {
      const scope = scopes.get(url);
      if (scope === undefined) throw new captured.Error(`The module ${url} is not loaded, or has not begun to run.`);
      return agentqRunsInModule(scope.evaluator, code);
    },
    meta: (url) => scopes.get(url)?.meta,
    brand: (owner, evaluator, names) => void setBrand(owner, { evaluator, names }),
    brandOf: (owner) => getBrand(owner),
    early: (get) =>
      function (this: unknown) {
        try {
          return applyTo(get, this, []);
        } catch (error) {
          if (error instanceof RealReferenceError) return undefined;
          throw error;
        }
      },
    unname: (value) => {
      if (typeof value !== "function") return;
      const name = captured.getOwnPropertyDescriptor(value, "name");
      if (name?.value === HIDDEN_NAME && name.configurable === true) {
        captured.defineProperty(value, "name", { value: "default", configurable: true });
      }
    },
  };
}
