/** The small frozen object through which evaluated code and the control worker reach the image's services. */
import { AsyncLocalStorage } from "node:async_hooks";
import { types } from "node:util";
import { leaveAsyncContext } from "./upkeep/async-context.ts";
import { createAwaited } from "./upkeep/awaited.ts";
import type { Bridge } from "./bridge.ts";
import { captured, shieldedMap, shieldedSet } from "../shared/captured.ts";
import { describeError } from "../shared/print/describe-error.ts";
import { createClassRedefinition } from "./redefine/class-redefinition.ts";
import { createScopeEntry } from "./modules/scope-entry.ts";
import { createHeapQuery } from "./redefine/heap-query.ts";
import { reviveImmediates, soon } from "../shared/immediates.ts";
import { createInstaller } from "./redefine/install.ts";
import { collectBuffers } from "./upkeep/collect-garbage.ts";
import { createEnding } from "./open/stop-left-open.ts";
import { markInternalBindings } from "./upkeep/internal-bindings.ts";
import { createMemberInstaller } from "./redefine/install-member.ts";
import { createLending } from "./look/lent-names.ts";
import { globalNames, membersOf } from "./look/visible-names.ts";
import { installModuleHooks } from "./modules/module-hooks.ts";
import { createModuleWaits } from "./modules/module-waits.ts";
import { createReady } from "./modules/module-loading.ts";
import { createModuleScopes, type Brand, type Evaluator } from "./modules/module-scopes.ts";
import { trackHandles } from "./open/open-handles.ts";
import { captureOutput } from "./output.ts";
import { brief } from "../shared/print/brief-text.ts";
import { isSmall, pageOf } from "./look/pager.ts";
import type { PageQuery } from "../wire/inquiry.ts";
import { speakBeforeKill } from "./upkeep/write-before-kill.ts";
import { localsOf } from "./look/locals.ts";
import { peek, peekProxies } from "./look/peek.ts";
import { createPrivateFamilies } from "./redefine/private-families.ts";
import { print, typeOf } from "../shared/print/printer.ts";
import { printProxy } from "../shared/print/quiet-printer.ts";
import { createProvenValues, printProven } from "./look/trial-values.ts";
import { walk } from "../wire/value-path.ts";
import { CELL } from "../wire/shared-cells.ts";
import { KERNEL_NAME, SIGNAL_NAME } from "../wire/kernel-name.ts";
import { survive } from "./upkeep/keep-alive.ts";
import { createSurvivors } from "./redefine/held-values.ts";
import { trackTimers } from "./open/timers.ts";
import { createTracing } from "./redefine/trace.ts";
import { tellWarnings } from "./upkeep/warnings.ts";
import { entriesOf, entryAt } from "./look/weak-entries.ts";
import { markWasmInstances } from "./upkeep/wasm-instances.ts";
import { AWAITED_VALUE, type KeptValue } from "../wire/wire.ts";
import { OWN_FOLDER } from "../shared/own-folder.ts";

const MAX_HANDLES = 200;
// `Atomics` can be replaced like everything else.
const { store: storeCell, load: loadCell, notify } = Atomics;
const { defineProperty: defineIfPossible, deleteProperty } = Reflect;
// A form may declare `globalThis` like any other name.
const globalObject = globalThis;

export function installKernel(bridge: Bridge, replUrl: string): void {
  const evaluation = new AsyncLocalStorage<number>();
  const getStore = evaluation.getStore.bind(evaluation);
  const enterWith = evaluation.enterWith.bind(evaluation);
  const inside = evaluation.run.bind(evaluation);
  /** Below zero while a module is loaded: what it says is the evaluation's, what it opens its own. */
  const store = (): number => getStore() ?? 0;
  const currentId = (): number => {
    const id = store();
    return id < 0 ? -id : id;
  };
  const openerId = (): number => {
    const id = store();
    return id < 0 ? 0 : id;
  };
  const cancelled = shieldedSet<number>();
  const handles = shieldedMap<string, true>();

  const freshBudget = captureOutput({
    currentId,
    text: (id, stream, text) => bridge.post({ t: "out", id, stream, text }),
    dropped: (id, bytes) => bridge.post({ t: "dropped", id, bytes }),
  });
  tellWarnings(currentId);
  markWasmInstances();
  markInternalBindings();
  /** The watch on the memory sleeps while nothing runs. */
  const stir = (): void => {
    if (loadCell(bridge.cells, CELL.watched) !== 0) return;
    storeCell(bridge.cells, CELL.watched, 1);
    notify(bridge.cells, CELL.watched);
  };
  const ran = (id: number): void => {
    storeCell(bridge.cells, CELL.owner, id);
    stir();
  };
  const opened = (id: number): void => bridge.post({ t: "opened", id });
  const unowned = <T>(run: () => T): T => inside(-currentId(), run);
  const timers = trackTimers({ openerId, onRun: ran, onLasting: opened });
  const open = trackHandles({
    openerId,
    isCancelled: (id) => cancelled.has(id),
    opened,
    unowned,
    stirred: () => ran(openerId()),
  });
  const awaited = createAwaited();
  const waits = createModuleWaits(currentId);
  const ending = createEnding(timers, open, (id, text) => {
    bridge.post({ t: "ended", id, text, waits: awaited.of(id), loading: waits.of(id) });
  });
  speakBeforeKill(bridge);
  survive({ currentId, post: bridge.post, isCancelled: (id) => cancelled.has(id) });
  const scopes = createModuleScopes(waits.begin);
  const isBegun = (url: string): boolean => scopes.meta(url) !== undefined;
  const load = <T>(run: () => Promise<T>): Promise<T> => waits.during(currentId(), () => unowned(run));
  const modules = installModuleHooks(bridge, replUrl, load, isBegun);
  const { query, ...heap } = createHeapQuery(bridge.post);
  const { enter, isWanted, ...entries } = createScopeEntry(bridge.post);
  const families = createPrivateFamilies();
  const classes = createClassRedefinition(scopes, families, query);
  const { watch, ...copies } = createSurvivors();
  const installer = createInstaller(scopes, classes, modules, {
    handles: () => keysOf(handles),
    intervalOf: timers.intervalOf,
    watch: (replaced) => watch(currentId(), replaced),
  });

  /** False where user code froze the global object. */
  const remember = (handle: string, value: unknown): boolean => {
    const descriptor = { value, writable: true, configurable: true, enumerable: false };
    if (!defineIfPossible(globalObject, handle, descriptor)) return false;
    handles.set(handle, true);
    if (handles.size <= MAX_HANDLES) return true;
    let oldest: string | undefined;
    handles.forEach((_, name) => {
      oldest ??= name;
    });
    if (oldest === undefined) return true;
    handles.delete(oldest);
    deleteProperty(globalObject, oldest);
    return true;
  };
  const proven = createProvenValues();
  const keepNow = (id: number, value: unknown, awaited: boolean, show = print): string => {
    const handle = value !== undefined && remember(`$${id}`, value) ? { handle: `$${id}` } : {};
    const kept: KeptValue = { ...handle, preview: show(value), type: typeOf(value), ...(awaited ? { awaited } : {}) };
    return captured.stringify(kept);
  };

  const kernel = {
    __proto__: null,
    tick: () => new captured.Promise<void>(soon),
    revive: reviveImmediates,
    owner: currentId,
    locals: (scopes: readonly object[]) => captured.stringify(localsOf(scopes)),
    /** The first act of an evaluation; throws when it was interrupted before it began. */
    enter: (id: number) => {
      if (cancelled.has(id)) throw new captured.Error("The evaluation was interrupted before it began.");
      freshBudget();
      leaveAsyncContext();
      enterWith(id);
      ran(id);
      storeCell(bridge.cells, CELL.begun, id);
      notify(bridge.cells, CELL.begun);
    },
    /** Keeps the value of an evaluation; what crosses is its preview. A promise is awaited: its value is the answer. */
    keep: async (id: number, value: unknown) => {
      const kept = types.isPromise(value)
        ? keepNow(id, await awaited.come(value, id, AWAITED_VALUE), true)
        : keepNow(id, value, false);
      await ticked();
      return kept;
    },
    ticked,
    come: awaited.come,
    ran: waits.ran,
    /** The same for the value of a trial, for which nothing of the user's runs. */
    keepProven: (id: number, token: string) => keepNow(id, proven.take(token), false, printProven),
    proven: proven.proven,
    /** Answers whose code is running while it is cancelled. */
    cancel: (id: number) => {
      cancelled.add(id);
      ending.begin(id);
      return currentId();
    },
    /** Of the evaluation that was asked about. */
    left: () => ending.left(loadCell(bridge.cells, CELL.asked)),
    survivors: () => copies.survivors(loadCell(bridge.cells, CELL.asked)),
    survived: copies.survived,
    /** Empty when nobody knows. */
    waits: () => `${awaited.of(loadCell(bridge.cells, CELL.asked)) ?? ""}`,
    /** Answers how large the buffers are that are left, whose code stands still meanwhile, and whose may run again. */
    collect: () =>
      captured.stringify([collectBuffers(), currentId(), ending.suspect(loadCell(bridge.cells, CELL.owner))]),
    /** Wakes the watch when anything runs after this. Neither of them keeps Node from waiting. */
    lull: () => void captured.setImmediate(() => void captured.setImmediate(stir).unref()).unref(),
    peek: (url: string, path: readonly string[]) => peek(scopes, url, path),
    peekProxies: (url: string, path: readonly string[]) => peekProxies(scopes, url, path),
    // The inquiries' part: none of it runs anything of the user's.
    ...createLending(scopes, modules.isImport),
    page: (value: unknown, query: PageQuery) => captured.stringify(pageOf(value, query)),
    walk: (value: unknown, steps: readonly string[]) => {
      const found = walk(value, steps);
      return "why" in found ? captured.stringify(found) : found;
    },
    briefs: (values: readonly unknown[]) => captured.stringify(listOf(values, brief)),
    isSmall,
    proxied: (target: unknown, handler: unknown) => printProxy(target, handler),
    weakEntries: (list: Parameters<typeof entriesOf>[0], query: PageQuery) =>
      captured.stringify(entriesOf(list, query)),
    weakEntry: entryAt,
    isWeak: (value: unknown) => types.isWeakMap(value) || types.isWeakSet(value),
    members: (value: unknown) => captured.stringify(membersOf(value)),
    globals: () => captured.stringify(globalNames()),
    alias: (from: string, to: string) => void remember(to, (globalObject as Record<string, unknown>)[from]),
    error: (thrown: unknown) => captured.stringify(describeError(thrown)),
    root: Object.freeze({
      url: replUrl,
      filename: decodeURIComponent(new URL(replUrl).pathname),
      dirname: process.cwd(),
      resolve: modules.resolve,
    }),
    ...modules,
    ...scopes,
    /** Only a module's own first line says where its inside is: nobody takes its place later. */
    reg: (url: string, meta: unknown, evaluator: Evaluator, mayWait?: boolean) => {
      if (modules.begins(url)) scopes.reg(url, meta, evaluator, mayWait);
    },
    brand: (owner: object, evaluator: Evaluator, names: Brand["names"], family?: string) => {
      scopes.brand(owner, evaluator, names);
      if (family !== undefined) families.join(family, [scopes.brandOf(owner)]);
    },
    other: families.other,
    bears: families.bears,
    ...heap,
    ...entries,
    regOutside: (url: string, evaluator: Evaluator) => {
      if (isWanted(url)) scopes.reg(url, modules.outside(url), evaluator);
    },
    ...classes,
    ...installer,
    ...createMemberInstaller(scopes, classes),
    ...createTracing(
      { ownFolder: decodeURIComponent(new URL(OWN_FOLDER).pathname), projectRoot: process.cwd() },
      (stream, text) => {
        bridge.post({ t: "out", id: currentId(), stream, text });
      },
    ),
    fixed,
    tooEarly,
    set: (value: unknown, name: string, form: string) => {
      if (value !== undefined) return value;
      throw new RealReferenceError(
        `${name} has no value: form ${form} failed before it gave it one. Declare it again.`,
      );
    },
    same: (value: unknown) => value,
    bare,
    ready: createReady(modules.imp, scopes, enter, () => waits.goOn(currentId())),
  };
  const get = (): AbortSignal => timers.signalOf(currentId());
  captured.defineProperty(globalThis, SIGNAL_NAME, { get, configurable: true, enumerable: false });
  captured.defineProperty(globalThis, KERNEL_NAME, { value: Object.freeze(kernel), enumerable: false });
}

const RealTypeError = TypeError;
/** What a form's assignment to a constant is made to write to. */
const fixed = new Proxy(Object.freeze({ __proto__: null }), {
  set: () => {
    throw new RealTypeError("Assignment to constant variable.");
  },
});

/** What a form left for the next tick, a warning for instance, belongs to its output. */
const ticked = (): Promise<void> => new captured.Promise<void>((resolve) => captured.nextTick(resolve));

const RealReferenceError = ReferenceError;
const refuseEarly = (_: object, name: string | symbol): never => {
  throw new RealReferenceError(`Cannot access '${captured.String(name)}' before initialization`);
};
/** What a form's use of a name before its declaration is made to read or write. */
const tooEarly = new Proxy(Object.freeze({ __proto__: null }), { get: refuseEarly, set: refuseEarly });

// oxlint-disable-next-line no-eval
const sloppily = globalThis.eval;
const setters = shieldedMap<string, (value: unknown) => void>();
/** What a form's assignment to an undeclared name is made to write to: a script of its own, which makes a global. */
const bare = new Proxy(Object.freeze({ __proto__: null }), {
  set: (_, name, value) => {
    const key = captured.String(name);
    const set =
      setters.get(key) ?? (sloppily(`(__agentq$value) => { ${key} = __agentq$value }`) as (value: unknown) => void);
    setters.set(key, set);
    set(value);
    return true;
  },
});

/** `map` as user code cannot replace it. */
function listOf<T>(values: readonly unknown[], make: (value: unknown) => T): T[] {
  const made: T[] = [];
  for (let index = 0; index < values.length; index++) made[index] = make(values[index]);
  return made;
}

function keysOf(map: Map<string, unknown>): string[] {
  const names: string[] = [];
  map.forEach((_, name) => {
    names[names.length] = name;
  });
  return names;
}
