/**
 * Installs the declarations of a form in a running scope, all of them or none. The state of the old values is carried
 * over where the language allows it; where it does not, holders of the old values are searched for.
 */
import type { InstalledName, InstallName, InstallSpec } from "../../../redefine/installation.ts";
import type { Losses } from "../../../redefine/lost-state.ts";
import { captured } from "../../shared/captured.ts";
import { given } from "../../shared/given.ts";
import { print } from "../../shared/print/printer.ts";
import type { KeptValue } from "../../wire/wire.ts";
import { patchExports, type Patch } from "../modules/commonjs-exports.ts";
import type { ModuleAccess } from "../modules/module-access.ts";
import type { ModuleScopes } from "../modules/module-scopes.ts";
import { findBindingHolders, type Found } from "./binding-holders.ts";
import type { ClassRedefinition } from "./class-redefinition.ts";
import { stayEnum } from "./enum-redefinition.ts";
import type { Replaced } from "./held-values.ts";
import { listenerHolders } from "./listener-holders.ts";
import { readLosses } from "./losses.ts";
import { presentValue, refuseFixed, type Present, type ScopeAccess } from "./present-value.ts";
import { untraced } from "./traced-function.ts";
import { isHolder } from "../../shared/print/value-facts.ts";

export interface Installing {
  /** Answers the report for the server, as text. */
  readonly install: (spec: InstallSpec, access: ScopeAccess) => Promise<string>;
  /** Imports modules under new URLs, in this order. Names that forms imported then refer to the new modules. */
  readonly reload: (spec: Pick<InstallSpec, "losses">, urls: readonly string[]) => Promise<string>;
  /** The present value of a name; undefined when the name has no value yet. */
  readonly old: (read: () => unknown) => unknown;
}

export interface InstallerParts {
  readonly scopes: ModuleScopes;
  readonly classes: ClassRedefinition;
  readonly modules: Pick<ModuleAccess, "imp" | "rebring">;
  /** The handles of kept values. */
  readonly handles: () => readonly string[];
  readonly intervalOf: (callback: object) => number | undefined;
  readonly watch: (replaced: readonly Replaced[]) => void;
}

interface Search extends Found {
  readonly isLookedFor?: boolean;
}

const NOTHING: Search = { holders: [], isCut: false };
const TRACE_ENDED = "it was traced and is no longer: trace it again to see the calls of the new one";

export function createInstaller(parts: InstallerParts): Installing {
  const installer = new Installer(parts);
  return {
    install: (spec, access) => installer.install(spec, access),
    reload: (spec, urls) => installer.reload(spec, urls),
    old: (get) => {
      try {
        return get();
      } catch {
        return undefined;
      }
    },
  };
}

class Installer {
  readonly #parts: InstallerParts;
  readonly #wasInstalled: (value: object) => boolean;
  readonly #add: (value: object) => void;

  constructor(parts: InstallerParts) {
    this.#parts = parts;
    const installed = new WeakSet<object>();
    this.#wasInstalled = installed.has.bind(installed);
    this.#add = installed.add.bind(installed);
  }

  async install(spec: InstallSpec, access: ScopeAccess): Promise<string> {
    const before: Present[] = [];
    for (const name of spec.names) before.push({ name, value: presentValue(spec, access, name) });
    const { brandOf } = this.#parts.scopes;
    for (const each of before) refuseFixed(spec, access, each, brandOf);
    try {
      await (0, access.run)();
    } catch (error) {
      for (const { name, value } of before) if (name.known) access.set[name.name]?.(value);
      throw error;
    }
    access.grow?.();
    const names: InstalledName[] = [];
    for (const each of before) names.push(await this.#settle(spec, access, each));
    this.#parts.watch(this.#watchable(before, names));
    for (const { name } of before) this.#remember(access.get[name.name]?.());
    return answerOf(names, this.#losses(spec));
  }

  async reload(spec: Pick<InstallSpec, "losses">, urls: readonly string[]): Promise<string> {
    const { modules } = this.#parts;
    const losses = this.#losses(spec);
    for (const url of urls) await modules.imp(url);
    await modules.rebring();
    return answerOf([], losses);
  }

  /** Carries over the state of the name's old value, and reports what was done. */
  async #settle(spec: InstallSpec, access: ScopeAccess, { name, value }: Present): Promise<InstalledName> {
    const { scopes, classes } = this.#parts;
    // Other code may hold copies of the original function, and not of the function that traces it.
    const behind = untraced(value);
    const old = behind ?? value;
    const made = access.get[name.name]?.();
    const shownBefore = typeof made === "function" || !name.known ? undefined : print(old);
    const stayed = stayEnum(name, old, made);
    if (stayed !== undefined) access.set[name.name]?.(old);
    const fresh = stayed === undefined ? made : old;
    if (name.kind === "default") scopes.unname(fresh);
    const carried = stayed ?? this.#carry(name, old, fresh);
    const change = name.plan === undefined ? undefined : await classes.adopt(old, fresh, name.plan, true);
    const { patched, problems } = this.#patch(spec, name, [value, old], fresh);
    const isSame = stayed !== undefined || isUnchanged(name, old, fresh);
    const { holders, isCut, isLookedFor } = isSame ? NOTHING : this.#holdersOf(spec, { name, value: old });
    return {
      name: name.name,
      kind: name.kind,
      // Only the image knows whether the class itself has the method.
      isNew: name.kind === "member" ? value === undefined : !name.known,
      ...given({
        isSame: isSame || undefined,
        preview: typeof fresh === "function" ? undefined : print(fresh),
        before: shownBefore,
        classChange: change,
        carried: someOf(carried),
        patched,
        problems: behind === undefined ? problems : [...(problems ?? []), TRACE_ENDED],
        holders: someOf(holders),
        isCut: isCut || undefined,
        isLookedFor,
      }),
    };
  }

  #carry(name: InstallName, old: unknown, fresh: unknown): readonly string[] {
    return name.known && name.kind !== "assigned" ? this.#parts.classes.carry(old, fresh) : [];
  }

  #patch(spec: InstallSpec, name: InstallName, olds: readonly unknown[], fresh: unknown): Patch {
    if (!spec.isCommonJs || name.kind === "assigned") return {};
    return patchExports(this.#parts.scopes.meta(spec.url ?? ""), name, olds, fresh);
  }

  #holdersOf(spec: InstallSpec, { name, value }: Present): Search {
    const { scopes, handles, intervalOf } = this.#parts;
    if (!isHolder(value) || !name.known) return NOTHING;
    const kept = { url: "", path: "the REPL", names: handles() };
    const isHome = (path: string, each: string): boolean => path === (spec.path ?? "the REPL") && each === name.name;
    const { holders, isCut } = findBindingHolders(scopes, [...spec.modules, kept], value, isHome);
    return { holders: [...holders, ...listenerHolders(value, intervalOf)], isCut, isLookedFor: true };
  }

  /**
   * The replaced values that neither the image nor Node holds. Instances keep their old class, a trace keeps its
   * original function, and Node keeps the first exports of a CommonJS module for ES imports.
   */
  #watchable(before: readonly Present[], names: readonly InstalledName[]): Replaced[] {
    const found: Replaced[] = [];
    for (let index = 0; index < before.length; index++) {
      const { name, value } = before[index] as Present;
      const { isLookedFor, patched } = names[index] as InstalledName;
      // Primitive values are not searched for.
      if (isLookedFor !== true) continue;
      const isCopied = patched !== undefined || (name.isCopied === true && !this.#wasInstalled(value as object));
      const isKept = name.plan !== undefined || isCopied || untraced(value) !== undefined;
      if (!isKept) found[found.length] = { name: name.name, value: value as object };
    }
    return found;
  }

  #remember(value: unknown): void {
    if (isHolder(value)) this.#add(value);
  }

  #losses({ losses }: Pick<InstallSpec, "losses">): Losses | undefined {
    const { scopes, handles } = this.#parts;
    return losses === undefined ? undefined : readLosses(scopes, losses, handles());
  }
}

function answerOf(names: readonly InstalledName[], losses: Losses | undefined): string {
  const kept: KeptValue = { preview: "undefined", type: "undefined", installed: { names, ...given({ losses }) } };
  return captured.stringify(kept);
}

function isUnchanged(name: InstallName, old: unknown, fresh: unknown): boolean {
  const mayStay = typeof fresh === "function" || name.kind === "namespace";
  return name.known && old === fresh && mayStay;
}

function someOf<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}
