/**
 * The kernel of a running program: what the REPL's own process has, without all that would change how the program runs.
 * Timers, handles, output and the program's end stay Node's own; what a form opens, nobody ends but the form.
 */
import { pathToFileURL } from "node:url";
import { createRequire, registerHooks } from "node:module";
import type { Bridge } from "../child/main/bridge.ts";
import type { Kernel } from "../child/main/kernel.ts";
import { CurrentEvaluation } from "../child/main/kernel/current-evaluation.ts";
import { evaluationCalls } from "../child/main/kernel/evaluation-calls.ts";
import { formNames } from "../child/main/kernel/form-names.ts";
import { KeptValues } from "../child/main/kernel/kept-values.ts";
import { lookCalls } from "../child/main/kernel/look-calls.ts";
import { MainCells } from "../child/main/kernel/main-cells.ts";
import { moduleCalls } from "../child/main/kernel/module-calls.ts";
import { redefinitionCalls } from "../child/main/kernel/redefinition-calls.ts";
import { ImportedNames } from "../child/main/modules/imported-names.ts";
import type { ModuleAccess } from "../child/main/modules/module-access.ts";
import { createModuleWaits } from "../child/main/modules/module-waits.ts";
import type { LeftOpen } from "../child/main/open/stop-left-open.ts";
import { captureOutput } from "../child/main/output.ts";
import { createHeapQuery } from "../child/main/redefine/heap-query.ts";
import { createAwaited } from "../child/main/upkeep/awaited.ts";
import { shieldedSet } from "../child/shared/captured.ts";
import { soon } from "../child/shared/immediates.ts";
import { REPL_FILE } from "../child/wire/wire.ts";
import { AppImports } from "./app-imports.ts";
import { EarlierModules, type EarlierModule } from "./earlier-modules.ts";
import { fromParent, importOf } from "./from-parent.ts";
import type { Stub } from "./stub.ts";

export interface AppKernel {
  /** Takes away everything that the kernel has put into the program, and what was traced is as it was before. */
  readonly leave: () => void;
}

export interface AppKernelParts {
  readonly bridge: Bridge;
  readonly root: string;
  readonly stub: Stub;
  readonly earlier: readonly EarlierModule[];
}

export function installAppKernel({ bridge, root, stub, earlier: before }: AppKernelParts): AppKernel {
  const { post } = bridge;
  const { scopes, families } = stub;
  const current = new CurrentEvaluation();
  const currentId = (): number => current.id();
  const cells = new MainCells(bridge.cells);
  const kept = new KeptValues();
  const output = captureOutput(
    {
      currentId,
      text: (id, stream, text) => post({ t: "out", id, stream, text }),
      dropped: (id, bytes) => post({ t: "dropped", id, bytes }),
      end: (id, stream, text, lost) => post({ t: "end", id, stream, text, lost }),
    },
    "beside",
  );
  const awaited = createAwaited();
  const waits = createModuleWaits(currentId);
  const leftOpen: LeftOpen = {
    begin: (id) => soon(() => post({ t: "ended", id, text: "", waits: awaited.of(id), loading: waits.of(id) })),
    left: () => "",
    suspect: () => 0,
  };
  const replUrl = pathToFileURL(`${root}/${REPL_FILE}`).href;
  const { query, ...heap } = createHeapQuery(post);
  const earlier = new EarlierModules(before, scopes, query);
  const modules = accessTo(
    replUrl,
    (url) => scopes.meta(url) ?? earlier.required(url),
    (load) => waits.during(current.id(), () => current.unowned(load)),
  );
  const intervalOf = (): undefined => undefined;
  const shared = { post, modules, scopes, families, current };
  const redefinition = redefinitionCalls({ ...shared, query, cells, kept, intervalOf, isProgram: true });
  const calls = moduleCalls({
    post,
    replUrl,
    modules,
    scopes,
    families,
    heap,
    waits,
    current,
    onBegin: redefinition.begun,
    earlier: (url, enter) => earlier.enter(url, enter),
  });
  const kernel: Kernel = Object.freeze({
    __proto__: null,
    ...evaluationCalls({ current, cells, cancelled: shieldedSet<number>(), kept, awaited, waits, leftOpen, output }),
    ...lookCalls(scopes, modules.isImport, kept),
    ...calls,
    // What is required already may be another instance where it is imported: only a package is loaded here.
    ready: async (url: string) => (scopes.meta(url) === undefined ? calls.ready(url) : undefined),
    ...redefinition,
    ...formNames,
    ...stub.calls,
  });
  stub.stand(kernel);
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      const meant = importOf(specifier);
      if (meant === undefined) return next(specifier, context);
      return next(meant.named, { ...context, parentURL: meant.parentURL });
    },
  });
  return {
    leave: () => {
      hooks.deregister();
      redefinition.untrace();
      output.release();
      kept.forget();
      stub.stand();
    },
  };
}

/** Modules are resolved and loaded as the program itself does, by whatever loader it has. */
function accessTo(
  replUrl: string,
  metaOf: (url: string) => unknown,
  asLoading: <T>(load: () => Promise<T>) => Promise<T>,
): ModuleAccess {
  const require = createRequire(replUrl);
  const questions = {
    resolve: (specifier: string, parent: string) => ({ url: fromParent(specifier, parent) }),
    isType: () => true,
    threw: () => undefined,
  };
  const isBegun = (url: string): boolean => metaOf(url) !== undefined;
  const imports = new AppImports({ questions, hooks: { loads: [] }, require, replUrl, asLoading, isBegun, metaOf });
  const names = new ImportedNames(imports, questions);
  return {
    resolve: (specifier) => imports.resolve(specifier),
    requireOf: createRequire,
    imp: (specifier, options, parent) => imports.import(specifier, options, parent),
    bring: (specifier, pairs) => names.bring(specifier, pairs),
    pick: (namespace, imported, specifier) => names.pick(namespace, imported, specifier),
    take: (specifier, parent) => names.take(specifier, parent),
    taken: (specifier, parent, imported) => names.taken(specifier, parent, imported),
    isImport: (get) => names.isImport(get),
    outside: (url) => imports.outside(url),
    begins: (url) => !isBegun(url),
    rebring: () => names.rebring(),
  };
}
