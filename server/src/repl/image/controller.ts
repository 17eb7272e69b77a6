/**
 * Evaluates on the main thread and stops what it evaluates. Every evaluation begins with `await` of a setImmediate
 * tick: without it the body would run inside the inspector's own dispatch, where `terminateExecution` is never read.
 */
import type { Runtime, Session } from "node:inspector";
import { locateMain } from "./locate.ts";
import type { FromImage, KeptValue, PeekAnswer, RawError } from "./wire.ts";

type Result = Extract<FromImage, { t: "result" }>;
type Reply<T> = { readonly error: Error | null; readonly result: T | undefined };
export type Post = <T>(method: string, params?: object) => Promise<Reply<T>>;

const PING_MS = 30;
const RETRY_PING_MS = 50;
const TERMINATION_MS = 200;
const TERMINATIONS = 20;
const GIVE_UP_MS = 2000;
const PEEK_MS = 120;

export interface Controller {
  readonly evaluate: (id: number, code: string) => void;
  /** Stops the evaluation, or answers `stuck` when only the end of the process can. */
  readonly interrupt: (id: number, locate: boolean) => Promise<void>;
  /** Looks at a binding while nothing is evaluated. Runs no user code, so it needs no tick before it. */
  readonly peek: (url: string, path: readonly string[]) => Promise<PeekAnswer>;
}

export function createController(session: Session, report: (result: Result) => void): Controller {
  const running = new Set<number>();
  const interrupting = new Set<number>();
  const post: Post = (method, params = {}) =>
    new Promise((resolve) => {
      const done = (error: Error | null, result?: object): void => resolve({ error, result: result as never });
      session.post(method, params, done);
    });

  const finish = (id: number, result: Omit<Result, "t" | "id">): void => {
    if (running.delete(id)) report({ t: "result", id, ...result });
  };

  const evaluate = async (id: number, code: string): Promise<void> => {
    running.add(id);
    const group = `e${id}`;
    const options = { replMode: true, awaitPromise: true, objectGroup: group };
    const reply = await post<Runtime.EvaluateReturnType>("Runtime.evaluate", { expression: code, ...options });
    if (!running.has(id)) return void post("Runtime.releaseObjectGroup", { objectGroup: group });
    // Stopped before it began, by the termination, by the end of its timers: `interrupt` answers for all of them.
    if (!(interrupting.has(id) && failed(reply))) finish(id, await toResult(post, reply));
    await post("Runtime.releaseObjectGroup", { objectGroup: group });
  };

  /**
   * Cancels the evaluation (its timers go, and it does not begin if it has not) and asks for a sign of life. `lost` is
   * a question that a termination hit: the main thread moves, but has not proved that it is free.
   */
  const cancel = async (id: number, ms: number): Promise<"answered" | "lost" | "silent"> => {
    const params = { expression: `__agentq.cancel(${id});__agentq.tick()`, awaitPromise: true };
    const reply = await within(ms, post<Runtime.EvaluateReturnType>("Runtime.evaluate", params));
    if (reply === undefined) return "silent";
    return wasTerminated(reply) ? "lost" : "answered";
  };

  const terminate = async (id: number): Promise<boolean> => {
    const began = Date.now();
    for (let tries = 0; tries < TERMINATIONS && Date.now() - began < GIVE_UP_MS; tries++) {
      // Nothing may follow before the reply: a call that V8 completes in between would be taken for the terminated
      // one, and the loop would go on.
      await within(TERMINATION_MS, post("Runtime.terminateExecution"));
      let heard = await cancel(id, RETRY_PING_MS);
      while (heard === "lost" && Date.now() - began < GIVE_UP_MS) heard = await cancel(id, RETRY_PING_MS);
      if (heard === "answered") return true;
    }
    return false;
  };

  const interrupt = async (id: number, locate: boolean): Promise<void> => {
    if (!running.has(id) || interrupting.has(id)) return;
    interrupting.add(id);
    try {
      // A free main thread may be about to begin the evaluation; cancelled, it is refused there.
      const abandoned = (await cancel(id, PING_MS)) === "answered";
      const frames = !abandoned && locate ? await locateMain(session, post) : undefined;
      const where = frames === undefined ? {} : { where: frames };
      if (!abandoned && !(await terminate(id))) return finish(id, { outcome: "stuck", ...where });
      finish(id, { outcome: "interrupted", abandoned, ...where });
    } finally {
      interrupting.delete(id);
    }
  };

  const peek: Controller["peek"] = async (url, path) => {
    // Between a termination and its reply nothing may be posted; an evaluation that runs may be terminated any time.
    if (running.size > 0 || interrupting.size > 0) return { kind: "busy" };
    const expression = `__agentq.peek(${JSON.stringify(url)},${JSON.stringify(path)})`;
    const params = { expression, returnByValue: true, silent: true };
    const reply = await within(PEEK_MS, post<Runtime.EvaluateReturnType>("Runtime.evaluate", params));
    if (reply === undefined) return { kind: "busy" };
    const text = reply.result?.result.value as unknown;
    return typeof text === "string" ? (JSON.parse(text) as PeekAnswer) : { kind: "absent" };
  };

  return { evaluate: (id, code) => void evaluate(id, code), interrupt, peek };
}

async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  const result = await Promise.race([promise, late]);
  clearTimeout(timer);
  return result;
}

function failed({ error, result }: Reply<Runtime.EvaluateReturnType>): boolean {
  return error !== null || result?.exceptionDetails !== undefined;
}

function wasTerminated({ error, result }: Reply<Runtime.EvaluateReturnType>): boolean {
  const text = error?.message ?? result?.exceptionDetails?.exception?.description ?? "";
  const details = result?.exceptionDetails;
  return /terminated|Promise was collected/.test(text) || (details !== undefined && details.exception === undefined);
}

async function toResult(post: Post, reply: Reply<Runtime.EvaluateReturnType>): Promise<Omit<Result, "t" | "id">> {
  const { error, result } = reply;
  const details = result?.exceptionDetails;
  if (error !== null || result === undefined) return { outcome: "error", error: inspectorError(error) };
  if (details === undefined) return { outcome: "value", value: keptValue(result.result.value) };
  const thrown = await describe(post, details);
  const isSyntax = details.exception?.className === "SyntaxError" && !/^\s+at /m.test(thrown.stack);
  if (!isSyntax) return { outcome: "error", error: thrown };
  return { outcome: "error", error: thrown, at: { line: details.lineNumber, column: details.columnNumber } };
}

/** Code without a value answers undefined; with one, the text that the kernel's `keep` made. */
function keptValue(text: unknown): KeptValue {
  if (typeof text !== "string") return { preview: "undefined", type: "undefined" };
  try {
    return JSON.parse(text) as KeptValue;
  } catch {
    return { preview: text, type: "string" };
  }
}

async function describe(post: Post, details: Runtime.ExceptionDetails): Promise<RawError> {
  const thrown = details.exception;
  const argument = thrown?.objectId === undefined ? { value: thrown?.value as unknown } : { objectId: thrown.objectId };
  if (thrown?.unserializableValue !== undefined) return simple("Thrown value", thrown.unserializableValue);
  const { result } = await post<{ result: Runtime.RemoteObject }>("Runtime.callFunctionOn", {
    functionDeclaration: "async function(e){ await __agentq.tick(); return __agentq.error(e); }",
    arguments: [argument],
    executionContextId: thrown?.objectId === undefined ? (details.executionContextId ?? 1) : undefined,
    objectId: thrown?.objectId,
    awaitPromise: true,
    returnByValue: true,
  });
  const text = result?.result.value as unknown;
  if (typeof text !== "string") return simple("Error", thrown?.description ?? details.text);
  return JSON.parse(text) as RawError;
}

function inspectorError(error: Error | null): RawError {
  const message = error?.message ?? "the inspector gave no answer";
  if (!message.includes("Promise was collected")) return simple("Error", message);
  return simple("NeverSettles", "The form awaits a promise that nothing can ever settle.");
}

function simple(name: string, message: string): RawError {
  return { name, message, stack: "" };
}
