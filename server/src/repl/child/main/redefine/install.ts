/**
 * Installs the declarations of a form in a scope that runs: all of them or none. What the names held before is carried
 * over where the language lets it, and looked for where it does not.
 */
import type { InstalledName, InstallName, InstallSpec } from "../../../redefine/installation.ts";
import type { Losses } from "../../../redefine/lost-state.ts";
import { captured, uncurried } from "../../shared/captured.ts";
import type { ClassRedefinition } from "./class-redefinition.ts";
import { patchExports } from "../modules/commonjs-exports.ts";
import { stayEnum } from "./enum-redefinition.ts";
import { findHolders, type Found } from "./binding-holders.ts";
import { readLosses } from "./losses.ts";
import type { ModuleAccess } from "../modules/module-access.ts";
import type { ModuleScopes } from "../modules/module-scopes.ts";
import { print } from "../../shared/print/printer.ts";
import type { Replaced } from "./held-values.ts";
import { untraced } from "./trace.ts";
import { unboundHolders } from "./listener-holders.ts";
import type { KeptValue } from "../../wire/wire.ts";

/** The names of a scope as functions that were made inside of it. */
export interface ScopeAccess {
  readonly get: Readonly<Record<string, () => unknown>>;
  readonly set: Readonly<Record<string, (value: unknown) => void>>;
  readonly run: () => Promise<unknown>;
  /** Makes the new names lasting. */
  readonly grow?: () => void;
}

export interface Installer {
  /** Answers what crosses to the server, as text. */
  readonly install: (spec: InstallSpec, access: ScopeAccess) => Promise<string>;
  /** Imports modules, whose URLs are new, in this order. Names that forms imported follow. */
  readonly reload: (spec: Pick<InstallSpec, "losses">, urls: readonly string[]) => Promise<string>;
  /** The present value of a name, or undefined where there is none yet. */
  readonly old: (read: () => unknown) => unknown;
}

export interface InstallerParts {
  /** Names of the values that were kept. */
  readonly handles: () => readonly string[];
  readonly intervalOf: (callback: object) => number | undefined;
  readonly watch: (replaced: readonly Replaced[]) => void;
}

interface Search extends Found {
  readonly isLookedFor?: boolean;
}

interface Before {
  readonly name: InstallName;
  readonly value: unknown;
}

/**
 * Instances keep their old class by what V8 knows of them, a trace the function whose calls it told, and what Node made for
 * ES imports of a CommonJS module what was exported at first, though nobody sees it any more.
 */
function watchable(
  before: readonly Before[],
  names: readonly InstalledName[],
  wasInstalled: (value: object) => boolean,
): Replaced[] {
  const found: Replaced[] = [];
  for (let index = 0; index < before.length; index++) {
    const { name, value } = before[index] as Before;
    const { isLookedFor, patched } = names[index] as InstalledName;
    // Nothing is looked for of primitives.
    if (isLookedFor !== true) continue;
    const isCopied = patched !== undefined || (name.isCopied === true && !wasInstalled(value as object));
    const isKept = name.plan !== undefined || isCopied || untraced(value) !== undefined;
    if (!isKept) found[found.length] = { name: name.name, value: value as object };
  }
  return found;
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

function endsWith(text: string, end: string): boolean {
  return uncurried.slice(text, text.length - end.length, text.length) === end;
}

const TRACE_ENDED = "it was traced and is no longer: trace it again to see the calls of the new one";

export function createInstaller(
  scopes: ModuleScopes,
  classes: ClassRedefinition,
  modules: Pick<ModuleAccess, "imp" | "rebring">,
  { handles, intervalOf, watch }: InstallerParts,
): Installer {
  const installed = new WeakSet<object>();
  const wasInstalled = installed.has.bind(installed);
  const add = installed.add.bind(installed);
  const remember = (value: unknown): void => {
    if (isObject(value)) add(value);
  };

  const read = (spec: InstallSpec, access: ScopeAccess, name: InstallName): unknown => {
    if (!name.known) return undefined;
    try {
      return access.get[name.name]?.();
    } catch (error) {
      const where = spec.path ?? "the REPL";
      if (error instanceof captured.Error && endsWith(error.message, " is not defined")) {
        throw new captured.Error(
          `${name.name} cannot be reached from outside of ${where}: no function there uses it, so the engine keeps it to ` +
            "itself. Work with what the module exports.",
        );
      }
      const isEarly = error instanceof captured.Error && endsWith(error.message, " before initialization");
      if (name.kind === "member" && !isEarly) throw error;
      throw new captured.Error(
        `${name.name} is not initialised: ${where} has not come to its declaration (it still awaits, failed, or is part ` +
          "of an import cycle). Nothing was installed.",
      );
    }
  };

  const holdersOf = (spec: InstallSpec, { name, value }: Before): Search => {
    if (!isObject(value) || !name.known) return { holders: [], isCut: false };
    const kept = { url: "", path: "the REPL", names: handles() };
    const isHome = (path: string, each: string): boolean => path === (spec.path ?? "the REPL") && each === name.name;
    const { holders, isCut } = findHolders(scopes, [...spec.modules, kept], value, isHome);
    return { holders: [...holders, ...unboundHolders(value, intervalOf)], isCut, isLookedFor: true };
  };

  const settle = async (spec: InstallSpec, access: ScopeAccess, before: Before): Promise<InstalledName> => {
    const { name, value } = before;
    // Copies were made of the function, and not of what tells its calls.
    const behind = untraced(value);
    const old = behind ?? value;
    const made = access.get[name.name]?.();
    const shownBefore = typeof made === "function" || !name.known ? undefined : print(old);
    const stayed = stayEnum(name, old, made);
    if (stayed !== undefined) access.set[name.name]?.(old);
    const fresh = stayed === undefined ? made : old;
    if (name.kind === "default") scopes.unname(fresh);
    const isAssigned = name.kind === "assigned";
    const carried = stayed ?? (name.known && !isAssigned ? classes.carry(old, fresh) : []);
    const plan = name.plan;
    const change = plan === undefined ? undefined : await classes.adopt(old, fresh, plan, true);
    const exports =
      spec.isCommonJs && !isAssigned ? patchExports(scopes.meta(spec.url ?? ""), name, [value, old], fresh) : undefined;
    const mayStay = typeof fresh === "function" || name.kind === "namespace";
    const isSame = stayed !== undefined || (name.known && old === fresh && mayStay);
    const nothing: Search = { holders: [], isCut: false };
    const { holders, isCut, isLookedFor } = isSame ? nothing : holdersOf(spec, { name, value: old });
    return {
      name: name.name,
      kind: name.kind,
      // Whether a class has a method of its own is known only here.
      isNew: name.kind === "member" ? value === undefined : !name.known,
      ...(isSame ? { isSame } : {}),
      ...(typeof fresh === "function" ? {} : { preview: print(fresh) }),
      ...(shownBefore === undefined ? {} : { before: shownBefore }),
      ...(change === undefined ? {} : { classChange: change }),
      ...(carried.length === 0 ? {} : { carried }),
      ...exports,
      ...(behind === undefined ? {} : { problems: [...(exports?.problems ?? []), TRACE_ENDED] }),
      ...(holders.length === 0 ? {} : { holders }),
      ...(isCut ? { isCut } : {}),
      ...(isLookedFor === undefined ? {} : { isLookedFor }),
    };
  };

  const answer = (spec: Pick<InstallSpec, "losses">, names: readonly InstalledName[], read?: Losses): string => {
    const losses = spec.losses === undefined ? read : readLosses(scopes, spec.losses, handles());
    const installed = { names, ...(losses === undefined ? {} : { losses }) };
    const kept: KeptValue = { preview: "undefined", type: "undefined", installed };
    return captured.stringify(kept);
  };

  return {
    old: (get) => {
      try {
        return get();
      } catch {
        return undefined;
      }
    },
    install: async (spec, access) => {
      const before: Before[] = [];
      for (const name of spec.names) before.push({ name, value: read(spec, access, name) });
      try {
        await (0, access.run)();
      } catch (error) {
        for (const { name, value } of before) if (name.known) access.set[name.name]?.(value);
        throw error;
      }
      access.grow?.();
      const names: InstalledName[] = [];
      for (const each of before) names.push(await settle(spec, access, each));
      watch(watchable(before, names, wasInstalled));
      for (const { name } of before) remember(access.get[name.name]?.());
      return answer(spec, names);
    },
    reload: async (spec, urls) => {
      const losses = spec.losses === undefined ? undefined : readLosses(scopes, spec.losses, handles());
      for (const url of urls) await modules.imp(url);
      await modules.rebring();
      return answer({ ...spec, losses: undefined }, [], losses);
    },
  };
}
