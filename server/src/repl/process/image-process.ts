/** The image as the server holds it: started at the first evaluation, and replaced when it dies. */
import { realpath } from "node:fs/promises";
import type { EvalResult, ReplStatus } from "../../protocol/repl-shapes.ts";
import { describeConfinement } from "../confinement/confinement.ts";
import type { NetworkWall } from "../confinement/network.ts";
import { nodeVersionOf } from "../confinement/node-version.ts";
import type { TreeCheck } from "../confinement/tree-check.ts";
import { createEvaluationRecord } from "../evaluation/evaluation-record.ts";
import { createLostNames } from "../evaluation/lost-names.ts";
import type { Confinement, Evaluated, EvaluateRequest, Image, ImageOptions, LastError } from "../image.ts";
import type { ImageSession, NumberedRequest, PreparedForm } from "./image-session.ts";
import { startImage, type ImageStart } from "./image-start.ts";
import { given } from "../../given.ts";
import { errorText } from "../../protocol/errors.ts";

export type * from "../image.ts";

/** An evaluation that waits for the process to start. */
interface Waiting {
  readonly evalId: string;
  readonly stop: (why?: string) => void;
}

interface Ready {
  readonly session: ImageSession;
  readonly form: PreparedForm;
}

const CLOSED = "The REPL is closed.";

export function createImage(options: ImageOptions): Image {
  const nodePath = options.nodePath ?? (options.command === undefined ? process.execPath : "node");
  const { confinement: wanted = "confined" } = options;
  const confinementNow = typeof wanted === "function" ? wanted : () => wanted;
  let nodeVersion = nodePath === process.execPath ? process.version : "";
  let state: ReplStatus["state"] = "notStarted";
  let reason: string | undefined;
  /** Where user code may run; until then there is the start. */
  let session: ImageSession | undefined;
  let start: ImageStart | undefined;
  let evaluations = 0;
  const waiting = new Map<number, Waiting>();
  let lastError: LastError | undefined;
  const lost = createLostNames();
  let disposed = false;
  let tree: TreeCheck | undefined;
  let wall: NetworkWall | undefined;

  /** Told with every change of the state; it changes only with a start, and when the image is opened. */
  let detail: { readonly of: Confinement; readonly text: string } | undefined;
  const describe = (): string => {
    const of = confinementNow();
    if (detail?.of === of) return detail.text;
    const node = nodeVersion || process.version;
    const text = describeConfinement(node, of, options.network, wall, tree, options.command);
    detail = { of, text };
    return text;
  };
  const status = (): ReplStatus => ({
    state,
    ...given({ reason }),
    confinement: confinementNow(),
    confinementDetail: describe(),
    nodeVersion: nodeVersion || "unknown",
    ...given({ pid: session?.pid }),
  });
  const enter = (next: ReplStatus["state"], why?: string): void => {
    if (state === next && reason === why) return;
    state = next;
    reason = why;
    options.onState(status());
  };

  const findNode = async (): Promise<string> => {
    if (nodeVersion === "") {
      nodeVersion = (await nodeVersionOf(nodePath, options.command)) ?? "";
      detail = undefined;
    }
    return nodeVersion;
  };

  const begin = (): ImageStart => {
    if (state !== "restarting") enter("starting");
    const fresh = startImage(options, {
      nodePath,
      findNode,
      confinement: confinementNow,
      onFound: (foundWall, foundTree) => {
        wall = foundWall;
        tree = foundTree;
        detail = undefined;
      },
      onBackgroundError: (error) => void (lastError = error),
    });
    start = fresh;
    void fresh.opened.then((opened) => {
      if (start !== fresh) return;
      start = undefined;
      if (typeof opened === "string") return enter("dead", opened);
      session = opened;
      void opened.gone.then((why) => ended(opened, why));
      if (waiting.size === 0) enter("idle");
    });
    return fresh;
  };
  const ended = (gone: ImageSession, why: string): void => {
    options.log(`image ${gone.pid ?? ""}: ${why}`);
    if (session !== gone) return;
    session = undefined;
    lost.lose("end", gone.declared());
    enter("dead", `The REPL's process is gone: ${why}.`);
  };
  const alive = async (): Promise<ImageSession | string> => {
    if (disposed) return CLOSED;
    return session ?? (start ?? begin()).opened;
  };

  /** A bug of ours, not of the form: it ends this evaluation and nothing else. */
  const failed = (request: NumberedRequest, error: unknown): Evaluated => {
    options.log(`image: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    const why = errorText(error);
    return createEvaluationRecord(request).refused("InternalError", `The REPL failed on this form: ${why}`);
  };
  const prepare = (current: ImageSession, request: NumberedRequest): PreparedForm => {
    try {
      return current.prepare(request);
    } catch (error) {
      return { run: () => Promise.resolve(failed(request, error)), drop: () => {} };
    }
  };

  const run = async (request: NumberedRequest, signal: AbortSignal): Promise<Evaluated> => {
    if (signal.aborted) return notStarted(request);
    if (disposed) return unavailable(request, CLOSED);
    if (session !== undefined) return runIn(session, prepare(session, request), request, signal);
    const ready = await afterStart(request, signal);
    return "form" in ready ? runIn(ready.session, ready.form, request, signal) : ready;
  };

  /** Waits for the process, but not for longer than the form is wanted: then the answer is its result. */
  const afterStart = async (request: NumberedRequest, signal: AbortSignal): Promise<Ready | Evaluated> => {
    const stopped = Promise.withResolvers<Evaluated>();
    const stop: Waiting["stop"] = (why) => {
      if (waiting.delete(request.number)) stopped.resolve(notStarted(request, why));
    };
    const onAbort = (): void => stop();
    waiting.set(request.number, { evalId: request.evalId, stop });
    signal.addEventListener("abort", onAbort, { once: true });
    const first = await Promise.race([stopped.promise, readyIn(start ?? begin(), request)]);
    signal.removeEventListener("abort", onAbort);
    return first;
  };
  const readyIn = async ({ launched, opened }: ImageStart, request: NumberedRequest): Promise<Ready | Evaluated> => {
    const early = await launched;
    // The form is made ready while the process starts.
    const isWanted = typeof early === "object" && waiting.has(request.number);
    const form = isWanted ? prepare(early, request) : undefined;
    const current = await opened;
    if (waiting.delete(request.number) && form !== undefined && typeof current === "object") {
      return { session: current, form };
    }
    form?.drop();
    return typeof current === "string" ? unavailable(request, current) : notStarted(request);
  };

  const runIn = async (
    current: ImageSession,
    form: PreparedForm,
    request: NumberedRequest,
    signal: AbortSignal,
  ): Promise<Evaluated> => {
    if (session === current) enter("busy");
    const ran = await form.run(signal).catch((error: unknown) => failed(request, error));
    const result = lost.explain(ran);
    if (result.valueId !== undefined) lost.kept(result.valueId);
    if (session === current && !current.isBusy()) enter("idle");
    if (result.error !== undefined) {
      lastError = { error: result.error, code: request.words ?? request.code, evalId: request.evalId };
    }
    return result;
  };

  const isReachable = (): boolean => state === "idle" || state === "busy";

  const stopProcess = async (why: string): Promise<void> => {
    const [current, begun] = [session, start];
    if (current !== undefined) lost.lose("restart", current.declared());
    session = undefined;
    start = undefined;
    for (const { stop } of waiting.values()) stop(why);
    current?.kill(why);
    await Promise.all([current?.gone, begun?.giveUp(why)]);
  };

  return {
    evaluate: (request: EvaluateRequest, signal: AbortSignal) => {
      const number = ++evaluations;
      const numbered = { ...request, number, evalId: request.evalId ?? String(number) };
      request.onNumbered?.(numbered.evalId);
      return run(numbered, signal);
    },
    interrupt: async (evalId) => {
      const early = [...waiting.values()].filter((form) => evalId === undefined || form.evalId === evalId);
      for (const { stop } of early) stop();
      const stopped = await session?.interrupt(evalId);
      return early.length > 0 || stopped === true;
    },
    endLeftOpen: async (evalId) => session?.endLeftOpen(evalId),
    restart: async () => {
      enter("restarting");
      await stopProcess("the REPL was restarted");
      await alive();
      return status();
    },
    status,
    nodeVersion: async () => (await findNode()) || undefined,
    lastError: () => lastError,
    declared: () => session?.declared() ?? [],
    runningModules: () => session?.runningModules() ?? [],
    liveValue: async ({ file, path }) => {
      if (session === undefined || (state !== "idle" && state !== "busy")) return undefined;
      const current = session;
      const real = await realpath(file).catch(() => file);
      return current.liveValue({ file: real, path });
    },
    inspect: async (request) => {
      const current = isReachable() ? session : undefined;
      if (current === undefined) {
        return { ok: false, why: "notRunning", reason: "The REPL does not run: there is no value to see." };
      }
      return lost.explainLook(await current.sight.inspect(await withRealModule(request)));
    },
    complete: async (request) => {
      if (isReachable() && session !== undefined) return session.sight.complete(await withRealModule(request));
      const { completeWithoutImage } = await import("../sight/completion.ts");
      return completeWithoutImage(request);
    },
    prove: async (request) => {
      const current = await alive();
      if (typeof current === "string") return undefined;
      return current.sight.prove(await withRealModule(request));
    },
    alias: async (from, to) => {
      await session?.sight.alias(from, to);
      lost.kept(to);
    },
    dispose: async () => {
      disposed = true;
      await stopProcess("the REPL was closed");
    },
  };
}

async function withRealModule<T extends { readonly module?: string }>(request: T): Promise<T> {
  const { module } = request;
  return module === undefined ? request : { ...request, module: await realpath(module).catch(() => module) };
}

function notStarted(request: NumberedRequest, why?: string): EvalResult {
  const reason = why === undefined ? "" : `: ${why}`;
  const result = createEvaluationRecord(request).refused("Interrupted", `Stopped before it began${reason}.`);
  return { ...result, outcome: "interrupted" };
}

function unavailable(request: NumberedRequest, why: string): EvalResult {
  return createEvaluationRecord(request).refused("ReplUnavailable", why);
}
