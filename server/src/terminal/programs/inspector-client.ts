/**
 * The few words with the inspector of a Node process. Whoever listens on the port may be anything: no answer may be large, slow,
 * or believed in more than it says. The WebSocket of Node's globals has no limit for a message, and cannot be dropped.
 */
import { get, type IncomingMessage } from "node:http";
import type { Debugger } from "node:inspector";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket, type RawData } from "ws";
import { errorText } from "../../base/errors.ts";

export interface Address {
  readonly host: string;
  readonly port: number;
}

const ANSWER_MS = 5_000;
const STACK_MS = 2_000;
const CLOSE_MS = 100;
const MAX_FRAMES = 100;
const MAX_SCRIPTS = 20_000;
const MAX_LIST = 262_144;
const MAX_MESSAGE = 1_048_576;
const TARGET = /^wss?:\/\/[^/]*(\/(?:ws\/)?[\w-]{1,100})$/;
/** The inspector did not answer as one does. The message is the end of a sentence. */
export class NoInspector extends Error {
  override readonly name = "NoInspector";
}

/** The end of the time in which an answer was expected. */
export class NoAnswer extends NoInspector {}

export class InspectorClient {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  readonly #scripts = new Map<string, string>();
  #onPause: ((frames: readonly CallFrame[]) => void) | undefined;
  #calls = 0;
  /** Why there are no more answers. */
  #ended: NoInspector | undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data, isBinary) => this.#hear(data, isBinary));
    socket.on("error", (error) => this.#end(meaning(error)));
    socket.on("close", () => this.#end("it has closed the connection"));
  }

  /** Rejects with `NoInspector`. */
  static async to(address: Address): Promise<InspectorClient> {
    const path = await targetOf(address);
    const { host, port } = address;
    const place = host.includes(":") ? `[${host}]` : host;
    const limits = {
      maxPayload: MAX_MESSAGE,
      handshakeTimeout: ANSWER_MS,
      closeTimeout: CLOSE_MS,
      perMessageDeflate: false,
    };
    const socket = new WebSocket(`ws://${place}:${port}${path}`, limits);
    const { promise, resolve, reject } = Promise.withResolvers<InspectorClient>();
    const made = new InspectorClient(socket);
    socket.once("open", () => resolve(made));
    socket.once("error", () => reject(made.#ended));
    return promise;
  }

  /** The value of the expression. */
  evaluate(expression: string): Promise<unknown> {
    return this.#evaluate(expression, false, ANSWER_MS);
  }

  /** The value of the expression's promise. */
  settled(expression: string, patienceMs = ANSWER_MS): Promise<unknown> {
    return this.#evaluate(expression, true, patienceMs);
  }

  /**
   * The calls that the main thread is in, the innermost first: the process stands still for that moment. Empty where the main
   * thread does not say, and where a debugger holds it.
   */
  async stack(): Promise<readonly CallFrame[]> {
    let isHeld = false;
    this.#onPause = () => (isHeld = true);
    try {
      await this.#ask("Debugger.enable", {}, STACK_MS);
      // To go on would let the process go on from the place where somebody looks at it.
      if (isHeld) return [];
      const { promise, resolve } = Promise.withResolvers<readonly CallFrame[]>();
      this.#onPause = resolve;
      await this.#ask("Debugger.pause", {}, STACK_MS);
      const frames = await Promise.race([promise, sleep(STACK_MS, [])]);
      if (frames.length > 0) await this.#ask("Debugger.resume", {}, STACK_MS);
      return frames;
    } catch (error) {
      if (error instanceof NoInspector) return [];
      throw error;
    } finally {
      await this.#ask("Debugger.disable", {}, STACK_MS).catch(() => undefined);
    }
  }

  close(): void {
    this.#end("the connection is closed");
  }

  async #evaluate(expression: string, awaitPromise: boolean, patienceMs: number): Promise<unknown> {
    const params = { expression, returnByValue: true, awaitPromise, silent: true };
    const reply = await this.#ask("Runtime.evaluate", params, patienceMs);
    const { result, exceptionDetails } = (reply.result ?? {}) as Evaluated;
    if (exceptionDetails !== undefined)
      throw new NoInspector(`it answers: ${exceptionDetails.exception?.description ?? exceptionDetails.text ?? ""}`);
    return result?.value;
  }

  async #ask(method: string, params: object, patienceMs: number): Promise<Message> {
    const id = ++this.#calls;
    const { promise, resolve } = Promise.withResolvers<Reply>();
    if (this.#ended !== undefined) throw this.#ended;
    this.#waiting.set(id, resolve);
    this.#socket.send(JSON.stringify({ id, method, params }));
    const timer = setTimeout(() => resolve(new NoAnswer(`no answer came within ${patienceMs / 1000} s`)), patienceMs);
    const reply = await promise;
    clearTimeout(timer);
    this.#waiting.delete(id);
    if (reply instanceof Error) throw reply;
    return reply;
  }

  #hear(data: RawData, isBinary: boolean): void {
    if (this.#ended !== undefined) return;
    if (isBinary) return this.#end(NONSENSE);
    let reply: Reply | null;
    try {
      reply = JSON.parse((data as Buffer).toString()) as Reply | null;
    } catch {
      return this.#end(NONSENSE);
    }
    if (typeof reply !== "object" || reply === null || reply instanceof Error) return this.#end(NONSENSE);
    if (reply.method !== undefined) this.#note(reply);
    this.#waiting.get(Number(reply.id))?.(reply);
  }

  #note({ method, params }: Message): void {
    const { scriptId, url, callFrames } = (params ?? {}) as Readonly<Record<string, unknown>>;
    if (method === "Debugger.scriptParsed" && this.#scripts.size < MAX_SCRIPTS)
      this.#scripts.set(String(scriptId), String(url));
    if (method !== "Debugger.paused" || !Array.isArray(callFrames)) return;
    const frames = callFrames.slice(0, MAX_FRAMES).map((frame: unknown): CallFrame => {
      const { functionName, location } = (frame ?? {}) as Partial<Debugger.CallFrame>;
      const script = this.#scripts.get(String(location?.scriptId)) ?? "";
      return { name: String(functionName), place: `${script}:${Number(location?.lineNumber) + 1}` };
    });
    this.#onPause?.(frames);
  }

  #end(why: string): void {
    this.#ended ??= new NoInspector(why);
    for (const answer of this.#waiting.values()) answer(this.#ended);
    this.#waiting.clear();
    this.#socket.terminate();
  }
}

interface Message {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
}

type Reply = Message | NoInspector;

/** `place` is a URL, with the line behind it, counted from 1. */
export interface CallFrame {
  readonly name: string;
  readonly place: string;
}

interface Evaluated {
  readonly result?: { readonly value?: unknown };
  readonly exceptionDetails?: { readonly text?: string; readonly exception?: { readonly description?: string } };
}

const NONSENSE = "what answers is no inspector of Node";

const TOO_MUCH = "what answers sends more than an inspector of Node would";

function meaning(error: Error & { readonly code?: string }): string {
  if (error.code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH") return TOO_MUCH;
  return error.code?.startsWith("WS_ERR_") === true || /^Unexpected server|^Invalid/.test(error.message)
    ? NONSENSE
    : error.message;
}

/** The path of the first target. What a target says of its host is not believed. */
async function targetOf({ host, port }: Address): Promise<string> {
  const text = await within(async (signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    get({ host, port, path: "/json/list", agent: false, signal }, (response) => {
      readList(response).then(resolve, reject);
    }).on("error", reject);
    return promise;
  });
  let listed: unknown;
  try {
    listed = JSON.parse(text);
  } catch {
    throw new NoInspector(NONSENSE);
  }
  const targets: readonly unknown[] = Array.isArray(listed) ? listed : [];
  const { webSocketDebuggerUrl: url } = (targets[0] ?? {}) as { readonly webSocketDebuggerUrl?: unknown };
  const [, path] = TARGET.exec(typeof url === "string" ? url : "") ?? [];
  if (path === undefined) throw new NoInspector(NONSENSE);
  return path;
}

async function readList(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) {
    text += String(chunk);
    if (text.length > MAX_LIST) {
      response.destroy();
      throw new NoInspector(TOO_MUCH);
    }
  }
  if (response.statusCode !== 200) throw new NoInspector(NONSENSE);
  return text;
}

/** Whatever `work` is about ends with the time. */
async function within<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const over = new AbortController();
  const done = new AbortController();
  const late = sleep(ANSWER_MS, undefined, { signal: done.signal }).then(
    () => {
      throw new NoAnswer(`no answer came within ${ANSWER_MS / 1000} s`);
    },
    () => new Promise<never>(() => undefined),
  );
  try {
    return await Promise.race([work(over.signal), late]);
  } catch (error) {
    over.abort();
    throw error instanceof NoInspector ? error : new NoInspector(errorText(error));
  } finally {
    done.abort();
  }
}
