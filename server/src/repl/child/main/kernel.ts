/**
 * The small frozen object through which evaluated code and the control worker call the image.
 *
 * User code can see this object. So none of its functions reads `this`, and all code behind it uses built-ins as they
 * were before user code ran (`shared/captured.ts`). State is in objects of classes that user code never gets: their
 * fields are `#private`, and user code cannot reach their prototypes.
 */
import { captured, shieldedSet } from "../shared/captured.ts";
import { KERNEL_NAME, SIGNAL_NAME } from "../wire/kernel-name.ts";
import type { Bridge } from "./bridge.ts";
import { CurrentEvaluation } from "./kernel/current-evaluation.ts";
import { evaluationCalls, type EvaluationCalls } from "./kernel/evaluation-calls.ts";
import { formNames, type FormNames } from "./kernel/form-names.ts";
import { KeptValues } from "./kernel/kept-values.ts";
import { lookCalls, type LookCalls } from "./kernel/look-calls.ts";
import { MainCells } from "./kernel/main-cells.ts";
import { moduleCalls, type ModuleCalls } from "./kernel/module-calls.ts";
import { redefinitionCalls, type RedefinitionCalls } from "./kernel/redefinition-calls.ts";
import { openModules } from "./modules/module-access.ts";
import { createModuleScopes } from "./modules/module-scopes.ts";
import { createModuleWaits } from "./modules/module-waits.ts";
import { trackHandles } from "./open/open-handles.ts";
import { tellProgramWaits } from "./open/program-waits.ts";
import { createLeftOpen } from "./open/stop-left-open.ts";
import { Timers } from "./open/timers.ts";
import { captureOutput } from "./output.ts";
import { createHeapQuery } from "./redefine/heap-query.ts";
import { createPrivateFamilies } from "./redefine/private-families.ts";
import { createAwaited } from "./upkeep/awaited.ts";
import { markInternalBindings } from "./upkeep/internal-bindings.ts";
import { keepAlive } from "./upkeep/keep-alive.ts";
import { tellWarnings } from "./upkeep/warnings.ts";
import { markWasmInstances } from "./upkeep/wasm-instances.ts";
import { writeBeforeKill } from "./upkeep/write-before-kill.ts";

/** Code that is generated as text names these methods through `wire/kernel-call.ts`. */
export interface Kernel extends EvaluationCalls, LookCalls, ModuleCalls, RedefinitionCalls, FormNames {}

export function installKernel(bridge: Bridge, replUrl: string): void {
  const { post } = bridge;
  const current = new CurrentEvaluation();
  const cells = new MainCells(bridge.cells);
  const kept = new KeptValues();
  const cancelled = shieldedSet<number>();
  const isCancelled = (id: number): boolean => cancelled.has(id);
  const currentId = (): number => current.id();
  const openerId = (): number => current.opener();
  const opened = (id: number): void => post({ t: "opened", id });
  const unowned = <T>(run: () => T): T => current.unowned(run);

  const output = captureOutput({
    currentId,
    text: (id, stream, text) => post({ t: "out", id, stream, text }),
    dropped: (id, bytes) => post({ t: "dropped", id, bytes }),
    end: (id, stream, text, lost) => post({ t: "end", id, stream, text, lost }),
  });
  tellWarnings(currentId);
  markWasmInstances();
  markInternalBindings();
  const timers = new Timers({ openerId, onRun: (id) => cells.ran(id), onLasting: opened });
  timers.install();
  const open = trackHandles({ openerId, isCancelled, opened, unowned, stirred: () => cells.ran(openerId()) });
  tellProgramWaits(post);
  const awaited = createAwaited();
  const waits = createModuleWaits(currentId);
  const leftOpen = createLeftOpen(timers.owned, open, (id, text) => {
    output.finish(id);
    post({ t: "ended", id, text, waits: awaited.of(id), loading: waits.of(id) });
  });
  writeBeforeKill(bridge);
  keepAlive({ currentId, post, isCancelled });
  const scopes = createModuleScopes(waits.begin);
  const modules = openModules({
    bridge,
    replUrl,
    asLoading: (load) => waits.during(current.id(), () => unowned(load)),
    isBegun: (url) => scopes.meta(url) !== undefined,
  });
  const families = createPrivateFamilies();
  const { query, ...heap } = createHeapQuery(post);
  const intervalOf = (callback: object): number | undefined => timers.intervalOf(callback);

  const redefinition = redefinitionCalls({ post, modules, scopes, families, query, current, cells, kept, intervalOf });
  const onBegin = redefinition.begun;
  const kernel: Kernel = Object.freeze({
    __proto__: null,
    ...evaluationCalls({ current, cells, cancelled, kept, awaited, waits, leftOpen, output }),
    ...lookCalls(scopes, modules.isImport, kept),
    ...moduleCalls({ post, replUrl, modules, scopes, families, heap, waits, current, onBegin }),
    ...redefinition,
    ...formNames,
  });
  const get = (): AbortSignal => timers.owned.signalOf(current.id());
  captured.defineProperty(globalThis, SIGNAL_NAME, { get, configurable: true, enumerable: false });
  captured.defineProperty(globalThis, KERNEL_NAME, { value: kernel, enumerable: false });
}
