/**
 * The global through which modules of a running program make their scopes known. While a server works with the program,
 * the same global is the whole kernel. When the program is detached the global stays, because loaded modules call it.
 */
import type { RunningModule } from "../child/wire/app-frames.ts";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { KERNEL_NAME } from "../child/wire/kernel-name.ts";
import { createPrivateFamilies, type PrivateFamilies } from "../child/main/redefine/private-families.ts";
import { createModuleScopes, type ModuleScopes } from "../child/main/modules/module-scopes.ts";
import { formNames } from "../child/main/kernel/form-names.ts";
import type { ModuleCalls } from "../child/main/kernel/module-calls.ts";

export interface Stub {
  readonly scopes: ModuleScopes;
  readonly families: PrivateFamilies;
  readonly calls: Pick<ModuleCalls, "reg" | "brand" | "unname" | "early">;
  /** The modules whose scopes are known, by their URLs. */
  readonly modules: Map<string, RunningModule>;
  /** Puts another object in the place of the global; without one, what it was before. */
  readonly stand: (kernel?: object) => void;
  /** The program is detached: the global holds this stub for a later attachment. */
  readonly rest: () => void;
}

/** Another copy of Agent-Q, which may be another version, cannot work with this one's stub. */
const HERE = dirname(fileURLToPath(import.meta.url));

export function createStub(): Stub {
  const scopes = createModuleScopes(() => undefined);
  const families = createPrivateFamilies();
  const calls: Stub["calls"] = {
    reg: (url, meta, evaluator) => scopes.reg(url, meta, evaluator),
    brand: (owner, evaluator, names, family) => {
      scopes.brand(owner, evaluator, names);
      if (family !== undefined) families.join(family, [scopes.brandOf(owner)]);
    },
    unname: scopes.unname,
    early: scopes.early,
  };
  const plain = Object.freeze({ __proto__: null, ...calls, fixed: formNames.fixed });
  const stand: Stub["stand"] = (kernel = plain) => {
    Object.defineProperty(globalThis, KERNEL_NAME, { value: kernel, configurable: true, enumerable: false });
  };
  stand();
  const stub: Stub = {
    scopes,
    families,
    calls,
    modules: new Map(),
    stand,
    rest: () =>
      stand(
        Object.freeze(Object.assign(Object.create(null), plain, { resting: { by: HERE, stub } satisfies Resting })),
      ),
  };
  return stub;
}

interface Resting {
  readonly by: string;
  readonly stub: Stub;
}

/** The stub of this process where it was detached; `taken` where another Agent-Q works, or worked, with the process. */
export function restingStub(): Stub | "taken" | undefined {
  const global: unknown = Reflect.get(globalThis, KERNEL_NAME);
  if (global === undefined) return undefined;
  const { resting } = global as { readonly resting?: Resting };
  return resting?.by === HERE ? resting.stub : "taken";
}
