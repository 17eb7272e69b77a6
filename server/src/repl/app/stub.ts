/**
 * The global through which modules of a running program make their scopes known. While a server works with the program,
 * the same global is the whole kernel.
 */
import { KERNEL_NAME } from "../child/wire/kernel-name.ts";
import { createPrivateFamilies, type PrivateFamilies } from "../child/main/redefine/private-families.ts";
import { createModuleScopes, type ModuleScopes } from "../child/main/modules/module-scopes.ts";
import { formNames } from "../child/main/kernel/form-names.ts";
import type { ModuleCalls } from "../child/main/kernel/module-calls.ts";

export interface Stub {
  readonly scopes: ModuleScopes;
  readonly families: PrivateFamilies;
  readonly calls: Pick<ModuleCalls, "reg" | "brand" | "unname" | "early">;
  /** Puts another object in the place of the global; without one, what it was before. */
  readonly stand: (kernel?: object) => void;
}

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
  return { scopes, families, calls, stand };
}
