/** The image as the server holds it: started at the first evaluation, replaced when it dies, one evaluation at a time. */
import { realpathSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { join, relative } from "node:path";
import type { EvalResult, ReplStatus } from "../protocol/shapes.ts";
import { describeConfinement, isInside, whyNot } from "./confinement.ts";
import { createEvaluationRecord } from "./evaluation-record.ts";
import type { EvaluateRequest, Image, ImageOptions, LastError } from "./image.ts";
import type { ImageSession, NumberedRequest } from "./image-session.ts";
import { nodeVersionOf } from "./node-version.ts";

export type * from "./image.ts";

export function createImage(options: ImageOptions): Image {
  const nodePath = options.nodePath ?? process.execPath;
  const confinement = options.confinement ?? "confined";
  let nodeVersion = nodePath === process.execPath ? process.version : "";
  let state: ReplStatus["state"] = "notStarted";
  let reason: string | undefined;
  let session: ImageSession | undefined;
  let starting: Promise<ImageSession | string> | undefined;
  let evaluations = 0;
  let queue: Promise<unknown> = Promise.resolve();
  let lastError: LastError | undefined;
  let disposed = false;

  const status = (): ReplStatus => ({
    state,
    ...(reason === undefined ? {} : { reason }),
    confinement,
    confinementDetail: describeConfinement(nodeVersion || process.version, confinement),
    nodeVersion: nodeVersion || "unknown",
    ...(session?.pid === undefined ? {} : { pid: session.pid }),
  });
  const enter = (next: ReplStatus["state"], why?: string): void => {
    if (state === next && reason === why) return;
    state = next;
    reason = why;
    options.onState(status());
  };

  const start = async (): Promise<ImageSession | string> => {
    if (nodeVersion === "") nodeVersion = (await nodeVersionOf(nodePath)) ?? "";
    if (nodeVersion === "") return dead(`The REPL cannot start: ${nodePath} is not a Node that runs here.`);
    const refusal = whyNot(nodeVersion, confinement);
    if (refusal !== undefined) return dead(refusal);
    let fresh: ImageSession;
    try {
      const projectRoot = realpathSync(options.projectRoot);
      const readSource = sourceReader(options, projectRoot);
      const { onOutput } = options;
      const onBackgroundError = (error: LastError): void => void (lastError = error);
      // The parser and the transpilers come with it: only an evaluation needs them.
      const { startSession } = await import("./image-session.ts");
      fresh = startSession({
        nodePath,
        nodeVersion,
        projectRoot,
        confinement,
        readSource,
        onOutput,
        onBackgroundError,
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
      starting = start();
    }
    const result = await starting;
    starting = undefined;
    return result;
  };

  const run = async (request: NumberedRequest, signal: AbortSignal): Promise<EvalResult> => {
    if (signal.aborted) return notStarted(request);
    const current = await alive();
    if (typeof current === "string") return createEvaluationRecord(request).refused("ReplUnavailable", current);
    // Cancelled while the process was starting: what has not begun need not be interrupted.
    if (signal.aborted) return notStarted(request);
    enter("busy");
    let result: EvalResult;
    try {
      result = await current.evaluate(request, signal);
    } catch (error) {
      // A bug of ours, not of the form: it ends this evaluation and nothing else.
      options.log(`image: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      const reason = error instanceof Error ? error.message : String(error);
      result = createEvaluationRecord(request).refused("InternalError", `The REPL failed on this form: ${reason}`);
    }
    if (session === current && result.stateKept) enter("idle");
    if (result.error !== undefined && result.outcome !== "interrupted") {
      lastError = { error: result.error, code: request.code, evalId: request.evalId };
    }
    return result;
  };

  const stopSession = async (): Promise<void> => {
    const current = session;
    session = undefined;
    current?.kill();
    await current?.gone;
  };

  return {
    evaluate: (request: EvaluateRequest, signal: AbortSignal) => {
      const number = ++evaluations;
      const numbered = { ...request, number, evalId: request.evalId ?? String(number) };
      const result = queue.then(() => run(numbered, signal));
      queue = result.catch(() => undefined);
      return result;
    },
    interrupt: async () => (await session?.interrupt()) ?? false,
    restart: async () => {
      enter("restarting");
      await stopSession();
      if (typeof (await alive()) !== "string") enter("idle");
      return status();
    },
    status,
    lastError: () => lastError,
    liveValue: async ({ file, path }) => {
      if (session === undefined || (state !== "idle" && state !== "busy")) return undefined;
      const current = session;
      const real = await realpath(file).catch(() => file);
      return current.liveValue({ file: real, path });
    },
    dispose: async () => {
      disposed = true;
      await stopSession();
    },
  };
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
