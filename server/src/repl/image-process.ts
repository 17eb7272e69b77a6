/** The image as the server holds it: started at the first evaluation, and replaced when it dies. */
import { realpathSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { join, relative } from "node:path";
import type { EvalResult, ReplStatus } from "../protocol/repl-shapes.ts";
import { describeConfinement, planLaunch, whyNot } from "./confinement/confinement.ts";
import { createEvaluationRecord } from "./evaluation/evaluation-record.ts";
import type { Confinement, Evaluated, EvaluateRequest, Image, ImageOptions, LastError } from "./image.ts";
import { startImageChild } from "./image-child.ts";
import type { ImageSession, NumberedRequest, PreparedForm } from "./image-session.ts";
import { findNetworkWall, OPEN_NETWORK, type NetworkWall } from "./confinement/network.ts";
import { nodeVersionOf } from "./confinement/node-version.ts";
import { isInside, readableFolders } from "./confinement/readable-folders.ts";
import { checkTree, type TreeCheck } from "./confinement/tree-check.ts";

export type * from "./image.ts";

export function createImage(options: ImageOptions): Image {
  const nodePath = options.nodePath ?? (options.command === undefined ? process.execPath : "node");
  const { confinement: wanted = "confined" } = options;
  const confinementNow = typeof wanted === "function" ? wanted : () => wanted;
  let nodeVersion = nodePath === process.execPath ? process.version : "";
  let state: ReplStatus["state"] = "notStarted";
  let reason: string | undefined;
  let session: ImageSession | undefined;
  /** The session as soon as its process has been started, or why there is none. */
  let launching: Promise<ImageSession | string> | undefined;
  /** The same when user code may run in it. */
  let starting: Promise<ImageSession | string> | undefined;
  let evaluations = 0;
  /** Evaluations that wait for the process to start. */
  const waiting = new Map<number, string>();
  let lastError: LastError | undefined;
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
    ...(reason === undefined ? {} : { reason }),
    confinement: confinementNow(),
    confinementDetail: describe(),
    nodeVersion: nodeVersion || "unknown",
    ...(session?.pid === undefined ? {} : { pid: session.pid }),
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

  const launch = async (): Promise<ImageSession | string> => {
    if ((await findNode()) === "") return dead(`The REPL cannot start: ${nodePath} is not a Node that runs here.`);
    const confinement = confinementNow();
    const refusal = options.whyNotStart?.() ?? whyNot(nodeVersion, confinement);
    if (refusal !== undefined) return dead(refusal);
    let fresh: ImageSession;
    try {
      const projectRoot = realpathSync(options.projectRoot);
      const readSource = sourceReader(options, projectRoot);
      const { onOutput } = options;
      const onBackgroundError = (error: LastError): void => void (lastError = error);
      const [found, checked] = await Promise.all([
        confinement === "open"
          ? OPEN_NETWORK
          : findNetworkWall(nodeVersion, options.network ?? "none", [projectRoot, nodePath], options.command),
        confinement === "open"
          ? undefined
          : checkTree(readableFolders(projectRoot), options.isSecretName ?? (() => false)),
      ]);
      wall = found;
      tree = checked;
      detail = undefined;
      const plan = planLaunch({
        nodePath,
        nodeVersion,
        projectRoot,
        confinement,
        wall,
        ...(tree === undefined ? {} : { tree }),
        ...(options.command === undefined ? {} : { prefix: options.command }),
      });
      const child = startImageChild({
        projectRoot,
        confined: confinement === "confined",
        plan,
        ...(options.heapLimitMb === undefined ? {} : { heapLimitMb: options.heapLimitMb }),
      });
      // The parser and the transpilers come with it, while the process starts: only an evaluation needs them.
      const { startSession } = await import("./image-session.ts");
      fresh = startSession({
        child,
        plan,
        nodeVersion,
        projectRoot,
        confinement,
        readSource,
        onOutput,
        onBackgroundError,
        ...(options.beforeCleanup === undefined ? {} : { beforeCleanup: options.beforeCleanup }),
      });
    } catch (error) {
      return dead(`The REPL cannot start: ${error instanceof Error ? error.message : String(error)}`);
    }
    session = fresh;
    void fresh.gone.then((why) => {
      options.log(`image ${fresh.pid ?? ""}: ${why}`);
      if (session !== fresh) return;
      session = undefined;
      if (!disposed && state !== "restarting") enter("dead", `The REPL's process is gone: ${why}.`);
    });
    return fresh;
  };
  const open = async (launched: Promise<ImageSession | string>): Promise<ImageSession | string> => {
    const fresh = await launched;
    if (typeof fresh === "string") return fresh;
    const { refused } = await fresh.ready;
    if (refused === undefined) return fresh;
    fresh.kill();
    return dead(`The REPL cannot start: ${refused}.`);
  };
  const dead = (why: string): string => {
    enter("dead", why);
    return why;
  };

  const alive = async (): Promise<ImageSession | string> => {
    if (disposed) return "The REPL is closed.";
    if (session !== undefined && starting === undefined) return session;
    if (starting === undefined) {
      if (state !== "restarting") enter("starting");
      launching = launch();
      starting = open(launching);
    }
    const result = await starting;
    starting = undefined;
    launching = undefined;
    return result;
  };

  /** A bug of ours, not of the form: it ends this evaluation and nothing else. */
  const failed = (request: NumberedRequest, error: unknown): Evaluated => {
    options.log(`image: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    const why = error instanceof Error ? error.message : String(error);
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
    waiting.set(request.number, request.evalId);
    const opening = alive();
    // The form is made ready while the process starts.
    const fresh = await launching;
    const early = typeof fresh === "object" ? prepare(fresh, request) : undefined;
    const current = await opening;
    // Cancelled while the process was starting: what has not begun need not be interrupted.
    if (!waiting.delete(request.number) || signal.aborted) {
      early?.drop();
      return notStarted(request);
    }
    if (typeof current === "string") return createEvaluationRecord(request).refused("ReplUnavailable", current);
    enter("busy");
    const form = early ?? prepare(current, request);
    const result = await form.run(signal).catch((error: unknown) => failed(request, error));
    if (session === current && !current.isBusy()) enter("idle");
    if (result.error !== undefined && result.outcome !== "interrupted") {
      lastError = { error: result.error, code: request.words ?? request.code, evalId: request.evalId };
    }
    return result;
  };

  const isReachable = (): boolean => state === "idle" || state === "busy";

  const stopSession = async (why: string): Promise<void> => {
    const current = session;
    session = undefined;
    current?.kill(why);
    await current?.gone;
  };

  return {
    evaluate: (request: EvaluateRequest, signal: AbortSignal) => {
      const number = ++evaluations;
      const numbered = { ...request, number, evalId: request.evalId ?? String(number) };
      request.onNumbered?.(numbered.evalId);
      return run(numbered, signal);
    },
    interrupt: async (evalId) => {
      const early = [...waiting].filter(([, name]) => evalId === undefined || name === evalId);
      for (const [number] of early) waiting.delete(number);
      const stopped = await session?.interrupt(evalId);
      return early.length > 0 || stopped === true;
    },
    endLeftOpen: async (evalId) => session?.endLeftOpen(evalId),
    restart: async () => {
      enter("restarting");
      await stopSession("the REPL was restarted");
      if (typeof (await alive()) !== "string") enter("idle");
      return status();
    },
    status,
    nodeVersion: async () => (await findNode()) || undefined,
    lastError: () => lastError,
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
      return current.sight.inspect(await withRealModule(request));
    },
    complete: async (request) => {
      if (isReachable() && session !== undefined) return session.sight.complete(await withRealModule(request));
      const { completeWithoutImage } = await import("./sight/completion.ts");
      return completeWithoutImage(request);
    },
    prove: async (request) => {
      const current = await alive();
      if (typeof current === "string") return undefined;
      if (state === "starting") enter("idle");
      return current.sight.prove(await withRealModule(request));
    },
    alias: async (from, to) => session?.sight.alias(from, to),
    dispose: async () => {
      disposed = true;
      await stopSession("the REPL was closed");
    },
  };
}

async function withRealModule<T extends { readonly module?: string }>(request: T): Promise<T> {
  const { module } = request;
  return module === undefined ? request : { ...request, module: await realpath(module).catch(() => module) };
}

/** The image speaks of real paths; an editor's document may be named by a path that goes through a link. */
function sourceReader(options: ImageOptions, realRoot: string): (path: string) => string | undefined {
  const { readSource, projectRoot } = options;
  if (readSource === undefined) return () => undefined;
  if (realRoot === projectRoot) return readSource;
  return (path) =>
    readSource(path) ??
    (isInside(path, realRoot) ? readSource(join(projectRoot, relative(realRoot, path))) : undefined);
}

function notStarted(request: NumberedRequest): EvalResult {
  const result = createEvaluationRecord(request).refused("Interrupted", "Stopped before it began.");
  return { ...result, outcome: "interrupted" };
}
