/** The kernel's part in modules: imports, and the entry to their scopes. */
import type { HeapQuery } from "../redefine/heap-query.ts";
import type { PrivateFamilies } from "../redefine/private-families.ts";
import type { ModuleAccess } from "../modules/module-access.ts";
import { createReady } from "../modules/module-loading.ts";
import type { Brand, Evaluator, ModuleScopes } from "../modules/module-scopes.ts";
import type { ModuleWaits } from "../modules/module-waits.ts";
import { createScopeEntry, type ScopeEntry } from "../modules/scope-entry.ts";
import type { CurrentEvaluation } from "./current-evaluation.ts";
import type { Bridge } from "../bridge.ts";

export interface ModuleCalls
  extends
    ModuleAccess,
    Omit<ModuleScopes, "brand">,
    Omit<ScopeEntry, "enter" | "enterBy" | "isWanted">,
    Pick<PrivateFamilies, "other" | "bears">,
    Omit<HeapQuery, "query"> {
  /** The object that replaces `import.meta` and `module` in forms. */
  readonly root: FormMeta;
  /** The evaluator in the body of a class. A family joins the class with its older definitions. */
  readonly brand: (owner: object, evaluator: Evaluator, names: Brand["names"], family?: string) => void;
  /** The evaluator of a module that was loaded without one. */
  readonly regOutside: (url: string, evaluator: Evaluator) => void;
  /** Waits until a form can run in the module's scope. */
  readonly ready: (url: string) => Promise<void>;
}

interface FormMeta {
  readonly url: string;
  readonly filename: string;
  readonly dirname: string;
  readonly resolve: ModuleAccess["resolve"];
}

export interface ModuleParts {
  readonly post: Bridge["post"];
  readonly replUrl: string;
  readonly modules: ModuleAccess;
  readonly scopes: ModuleScopes;
  readonly families: PrivateFamilies;
  readonly heap: Omit<HeapQuery, "query">;
  readonly waits: ModuleWaits;
  readonly current: CurrentEvaluation;
  /** A module of the project begins to run. */
  readonly onBegin: (url: string) => void;
  /** The way into a module that a program had loaded before it was attached; undefined for other modules. */
  readonly earlier?: (url: string, enter: ScopeEntry["enterBy"]) => Promise<void> | undefined;
}

export function moduleCalls(parts: ModuleParts): ModuleCalls {
  const { post, replUrl, modules, scopes, families, heap, waits, current, onBegin, earlier } = parts;
  const { enter, enterBy, isWanted, ...entries } = createScopeEntry(post);
  const ready = createReady(modules.imp, scopes, enter, () => waits.goOn(current.id()));
  return {
    ...modules,
    ...scopes,
    ...entries,
    ...heap,
    root: Object.freeze({
      url: replUrl,
      filename: decodeURIComponent(new URL(replUrl).pathname),
      dirname: process.cwd(),
      resolve: modules.resolve,
    }),
    // Only the first line of a module registers its scope: no later code can take its place.
    reg: (url, meta, evaluator, mayWait) => {
      if (!modules.begins(url)) return;
      scopes.reg(url, meta, evaluator, mayWait);
      onBegin(url);
    },
    brand: (owner, evaluator, names, family) => {
      scopes.brand(owner, evaluator, names);
      if (family !== undefined) families.join(family, [scopes.brandOf(owner)]);
    },
    other: families.other,
    bears: families.bears,
    regOutside: (url, evaluator) => {
      if (isWanted(url)) scopes.reg(url, modules.outside(url), evaluator);
    },
    ready: (url) => earlier?.(url, enterBy) ?? ready(url),
  };
}
