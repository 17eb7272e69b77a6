/** The kernel's part in looking at values: none of the user's code runs. Answers are text. */
import { types } from "node:util";
import { captured } from "../../shared/captured.ts";
import { brief } from "../../shared/print/brief-text.ts";
import { printProxy } from "../../shared/print/quiet-printer.ts";
import type { PageQuery } from "../../wire/inquiry.ts";
import { walk, type Failure } from "../../wire/value-path.ts";
import { createLentNames, type LentNames } from "../look/lent-names.ts";
import { localsOf } from "../look/locals.ts";
import { isSmall, pageOf } from "../look/pager.ts";
import { peek, peekProxies } from "../look/peek.ts";
import { globalNames, membersOf } from "../look/visible-names.ts";
import { entriesOf, entryAt, type WeakEntry } from "../look/weak-entries.ts";
import type { ModuleScopes } from "../modules/module-scopes.ts";
import type { KeptValues } from "./kept-values.ts";

export interface LookCalls extends LentNames {
  /** The variables of a paused function, from the debugger's scopes. */
  readonly locals: (scopes: readonly object[]) => string;
  readonly peek: (url: string, path: readonly string[]) => string;
  readonly peekProxies: (url: string, path: readonly string[]) => unknown[] | undefined;
  readonly page: (value: unknown, query: PageQuery) => string;
  /** The value at the end of the steps, in an array of one element, or a `Failure` as text. */
  readonly walk: (value: unknown, steps: readonly string[]) => [unknown] | string;
  readonly briefs: (values: readonly unknown[]) => string;
  readonly isSmall: (value: unknown, limit: number) => boolean;
  readonly proxied: (target: unknown, handler: unknown) => string;
  readonly weakEntries: (list: readonly WeakEntry[], query: PageQuery) => string;
  readonly weakEntry: (list: readonly WeakEntry[], index: number, isKey: boolean) => [unknown] | undefined;
  readonly isWeak: (value: unknown) => boolean;
  readonly members: (value: unknown) => string;
  readonly globals: () => string;
  readonly alias: (from: string, to: string) => void;
}

/** `isImport` recognises the getters that import declarations of forms put on the global object. */
export function lookCalls(scopes: ModuleScopes, isImport: (get: unknown) => boolean, kept: KeptValues): LookCalls {
  return {
    ...createLentNames(scopes, isImport),
    locals: (frames) => captured.stringify(localsOf(frames)),
    peek: (url, path) => peek(scopes, url, path),
    peekProxies: (url, path) => peekProxies(scopes, url, path),
    page: (value, query) => captured.stringify(pageOf(value, query)),
    walk: (value, steps) => {
      const found: [unknown] | Failure = walk(value, steps);
      return "why" in found ? captured.stringify(found) : found;
    },
    briefs: (values) => captured.stringify(listOf(values, brief)),
    isSmall,
    proxied: (target, handler) => printProxy(target, handler),
    weakEntries: (list, query) => captured.stringify(entriesOf(list, query)),
    weakEntry: entryAt,
    isWeak: (value) => types.isWeakMap(value) || types.isWeakSet(value),
    members: (value) => captured.stringify(membersOf(value)),
    globals: () => captured.stringify(globalNames()),
    alias: (from, to) => kept.alias(from, to),
  };
}

/** `map` that user code cannot replace. */
function listOf<T>(values: readonly unknown[], make: (value: unknown) => T): T[] {
  const made: T[] = [];
  for (let index = 0; index < values.length; index++) made[index] = make(values[index]);
  return made;
}
