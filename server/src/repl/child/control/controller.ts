/**
 * Evaluates on the main thread and stops what it evaluates. Every evaluation begins with `await` of a setImmediate
 * tick: without it the body would run inside the inspector's own dispatch, where `terminateExecution` is never read.
 */
import type { Runtime, Session } from "node:inspector";
import { nudged } from "./inspector/inspector-call.ts";
import type { Inspector, Post, Reply } from "./inspector/inspector-post.ts";
import type { Ended, EndedNews } from "../wire/stopped-reports.ts";
import { createMemoryWatch } from "./stop/memory-watch.ts";
import { createOldCopies } from "./look/old-copies.ts";
import { peekWithProxies } from "./look/peek-proxies.ts";
import { CELL } from "../wire/shared-cells.ts";
import { createStopper, failed } from "./stop/stopper.ts";
import type { Survived } from "../main/redefine/held-values.ts";
import {
  NO_EVALUATION,
  type FromImage,
  type KeptValue,
  type MemoryFacts,
  type PeekAnswer,
  type RawError,
} from "../wire/wire.ts";
import { within } from "./inspector/time-limit.ts";

type Result = Extract<FromImage, { t: "result" }>;

const PEEK_MS = 120;
const ASK_MS = 200;

export interface Controller extends Inspector {
  /** Several may be pending at a time; each begins when the main thread comes to it, in the order they came. */
  readonly evaluate: (id: number, code: string) => void;
  /**
   * Stops the evaluation, or reports `stuck` when only the end of the process can. `isOver`: ends what one that is over
   * left behind.
   */
  readonly interrupt: (id: number, isLocated: boolean, isOver?: boolean) => void;
  /** Looks at a binding, also while something is evaluated. Runs no user code, so it needs no tick before it. */
  readonly peek: (url: string, path: readonly string[]) => Promise<PeekAnswer>;
}

export interface ControllerParts {
  readonly session: Session;
  readonly cells: Int32Array;
  readonly report: (result: Result) => void;
  /** An evaluation that had to wait for another one's synchronous work has begun. */
  readonly began: (id: number) => void;
  /** Whether that evaluation opened something that may outlast it. */
  readonly hasOpened: (id: number) => boolean;
  readonly ended: Pick<EndedNews, "of" | "forget">;
}

export function createController({
  session,
  cells,
  report,
  began,
  hasOpened,
  ended: news,
}: ControllerParts): Controller {
  const running = new Set<number>();
  const interrupting = new Set<number>();
  let stops: Promise<void> = Promise.resolve();
  const post: Post = (method, params = {}) =>
    new Promise((resolve) => {
      const done = (error: Error | null, result?: object): void => resolve({ error, result: result as never });
      session.post(method, params, done);
    });
  const stop = createStopper({ session, post, cells, isRunning: (id) => running.has(id) });
  const isStopping = (): boolean => interrupting.size > 0;
  const oldCopies = createOldCopies({ session, post, isStopping });
  /**
   * Asks the kernel about an evaluation, unless the main thread is busy. V8 keeps every text that it evaluates, so these are
   * always the same; one is asked after the other.
   */
  let asked: Promise<unknown> = Promise.resolve();
  const askOf = (id: number, question: "left" | "survivors" | "waits"): Promise<string | undefined> => {
    const answer = asked.then(async () => {
      Atomics.store(cells, CELL.asked, id);
      const params = { expression: `__agentq.${question}()`, returnByValue: true, silent: true };
      const reply = await within(ASK_MS, post<Runtime.EvaluateReturnType>("Runtime.evaluate", params));
      const text = reply?.result?.result.value as unknown;
      return typeof text === "string" ? text : undefined;
    });
    asked = answer;
    return answer;
  };
  /** What was replaced is held by the evaluation itself until it has answered. */
  const withCopies = async (id: number, result: Omit<Result, "t" | "id">): Promise<typeof result> => {
    const { value } = result;
    if (value?.installed?.names.some((each) => each.isLookedFor) !== true || isStopping()) return result;
    const text = await askOf(id, "survivors");
    if (text === undefined) return result;
    const names = await oldCopies(value.installed.names, JSON.parse(text) as Survived);
    return { ...result, value: { ...value, installed: { ...value.installed, names } } };
  };
  /** Where it waits for what can never come. Of one that is stopped it is told with its end. */
  const withPlace = async (id: number, result: Omit<Result, "t" | "id">): Promise<typeof result> => {
    const text = isStopping() ? undefined : await askOf(id, "waits");
    return text === undefined || text === "" ? result : { ...result, waits: Number(text) };
  };
  /** The code that runs, else the code that ran last, else the newest that waits, else what a form that is over left. */
  const stopHungry = async (owner: number, suspect: number, facts: MemoryFacts): Promise<void> => {
    const last = Atomics.load(cells, CELL.owner);
    const waiting = running.has(last) ? last : [...running].at(-1);
    const id = owner > 0 ? owner : (waiting ?? (suspect > 0 ? suspect : NO_EVALUATION));
    if (interrupting.has(id)) return;
    begin(id, true, facts);
    await stops;
  };
  const memory = createMemoryWatch({ post, cells, isBusy: () => running.size > 0, isStopping, stop: stopHungry });

  const finish = (id: number, result: Omit<Result, "t" | "id">): void => {
    if (running.delete(id)) report({ t: "result", id, ...result });
  };

  const nextToBegin = (): number | undefined => {
    const begun = Atomics.load(cells, CELL.begun);
    for (const id of running) if (id > begun) return id;
    return undefined;
  };

  const evaluate = async (id: number, code: string): Promise<void> => {
    if (running.size > 0) void tellBegin(id);
    running.add(id);
    memory.began();
    // What is posted while something is being stopped could be stopped in its place.
    if (isStopping()) await stops;
    const group = `e${id}`;
    const options = { replMode: true, awaitPromise: true, objectGroup: group };
    const answer = post<Runtime.EvaluateReturnType>("Runtime.evaluate", { expression: code, ...options });
    const reply = await nudged(post, () => isStopping() || nextToBegin() !== id, answer);
    if (!running.has(id)) return void post("Runtime.releaseObjectGroup", { objectGroup: group });
    // The process is ending: its end is the answer.
    if (/context was destroyed/.test(reply.error?.message ?? "")) return;
    // Stopped before it began, by the termination, by the end of its timers: `interrupt` answers for all of them.
    if (!(interrupting.has(id) && failed(reply))) {
      const answered = await toResult(post, reply);
      const result = await (reply.error === null ? withCopies(id, answered) : withPlace(id, answered));
      const left = hasOpened(id) && !isStopping() ? await askOf(id, "left") : undefined;
      finish(id, left === undefined || left === "" ? result : { ...result, left });
    }
    // A kept value crosses as a text: there is nothing to be released.
    if (failed(reply) || reply.result?.result.objectId !== undefined) {
      await post("Runtime.releaseObjectGroup", { objectGroup: group });
    }
  };

  const tellBegin = async (id: number): Promise<void> => {
    for (let newest = Atomics.load(cells, CELL.begun); newest < id; newest = Atomics.load(cells, CELL.begun)) {
      await Atomics.waitAsync(cells, CELL.begun, newest).value;
    }
    if (running.has(id)) began(id);
  };

  const interrupt = async (id: number, isLocated: boolean, facts?: MemoryFacts): Promise<void> => {
    const isOver = !running.has(id);
    news.forget(id);
    const { how, where, holder } = await stop(id, isLocated);
    // What it has open ends when the main thread is free; who holds it is not waited for.
    const isFree = how !== "stuck" && (how !== "abandoned" || holder === undefined);
    const told = isFree && id !== NO_EVALUATION ? await news.of(id, ASK_MS) : undefined;
    const held = isFree && facts !== undefined ? await memory.settled(facts.kind) : undefined;
    const heldMb = held === undefined ? {} : { heldMb: Math.round(held / 2 ** 20) };
    if (isOver) running.add(id);
    finish(id, {
      outcome: how === "stuck" ? "stuck" : "interrupted",
      abandoned: how === "abandoned",
      ...(Atomics.load(cells, CELL.begun) < id ? { begun: false } : {}),
      ...(where === undefined ? {} : { where }),
      ...(holder === undefined ? {} : { holder }),
      ...(facts === undefined ? {} : { memory: { ...facts, ...heldMb } }),
      ...(told === undefined ? {} : { ended: told.text }),
      ...(how === "abandoned" && told !== undefined ? waitOf(told) : {}),
    });
  };
  const begin = (id: number, isLocated: boolean, facts?: MemoryFacts): void => {
    interrupting.add(id);
    // One after the other: a pause for the one must not be taken for a pause for the other.
    stops = stops.then(() => interrupt(id, isLocated, facts)).finally(() => interrupting.delete(id));
    // A termination takes away what would wake the watch.
    memory.began();
  };

  const told = (url: string, path: readonly string[]): Promise<string | undefined> =>
    peekWithProxies(post, isStopping, url, path);
  const peek: Controller["peek"] = async (url, path) => {
    if (isStopping()) return { kind: "busy" };
    const since = performance.now();
    const expression = `__agentq.peek(${JSON.stringify(url)},${JSON.stringify(path)})`;
    const params = { expression, returnByValue: true, silent: true };
    const reply = await within(PEEK_MS, post<Runtime.EvaluateReturnType>("Runtime.evaluate", params));
    if (reply === undefined) return { kind: "busy" };
    const text = reply.result?.result.value as unknown;
    const answer = typeof text === "string" ? (JSON.parse(text) as PeekAnswer) : ({ kind: "absent" } as const);
    if (answer.kind !== "value" || !answer.text.includes("[Proxy]")) return answer;
    const left = PEEK_MS - (performance.now() - since);
    return { kind: "value", text: (await within(left, told(url, path))) ?? answer.text };
  };

  return {
    evaluate: (id, code) => void evaluate(id, code),
    interrupt: (id, isLocated, isOver = false) => {
      if ((running.has(id) || isOver || id === NO_EVALUATION) && !interrupting.has(id)) begin(id, isLocated);
    },
    peek,
    post,
    isStopping,
  };
}

function waitOf({ waits, loading }: Ended): Pick<Result, "waits" | "loading"> {
  return { ...(waits === undefined ? {} : { waits }), ...(loading.length === 0 ? {} : { loading }) };
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
