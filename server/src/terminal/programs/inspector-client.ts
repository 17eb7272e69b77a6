/**
 * The few words with the inspector of a Node process. Whoever listens on the port may be anything: no answer may be large, slow,
 * or believed in more than it says. The WebSocket of Node's globals has no limit for a message, and cannot be dropped.
 */
import { createHash, randomBytes } from "node:crypto";
import { get, request, type IncomingMessage } from "node:http";
import type { Debugger } from "node:inspector";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { errorText } from "../../base/errors.ts";

export interface Address {
  readonly host: string;
  readonly port: number;
}

const ANSWER_MS = 5_000;
const STACK_MS = 2_000;
const MAX_FRAMES = 100;
const MAX_SCRIPTS = 20_000;
const MAX_LIST = 262_144;
const MAX_MESSAGE = 1_048_576;
const TARGET = /^wss?:\/\/[^/]*(\/(?:ws\/)?[\w-]{1,100})$/;
/** RFC 6455. */
const ACCEPT_KEY = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const FINAL_TEXT = 0x81;
const MASKED = 0x80;
const SHORT = 126;
const LONG = 127;

/** The inspector did not answer as one does. The message is the end of a sentence. */
export class NoInspector extends Error {
  override readonly name = "NoInspector";
}

/** The end of the time in which an answer was expected. */
export class NoAnswer extends NoInspector {}

export class InspectorClient {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  readonly #scripts = new Map<string, string>();
  #onPause: ((frames: readonly CallFrame[]) => void) | undefined;
  #received = Buffer.alloc(0);
  #calls = 0;
  /** Why there are no more answers. */
  #ended: NoInspector | undefined;

  private constructor(socket: Socket, head: Buffer) {
    this.#socket = socket;
    socket.on("data", (data) => this.#take(data));
    socket
      .on("error", ({ message }) => this.#end(message))
      .on("close", () => this.#end("it has closed the connection"));
    this.#take(head);
  }

  /** Rejects with `NoInspector`. */
  static async to(address: Address): Promise<InspectorClient> {
    const path = await targetOf(address);
    const { socket, head } = await upgraded(address, path);
    return new InspectorClient(socket, head);
  }

  /** The value of the expression. */
  evaluate(expression: string): Promise<unknown> {
    return this.#evaluate(expression, false, ANSWER_MS);
  }

  /** The value of the expression's promise. */
  settled(expression: string, patienceMs = ANSWER_MS): Promise<unknown> {
    return this.#evaluate(expression, true, patienceMs);
  }

  /** The calls that the main thread is in, the innermost first: the process stands still for that moment. */
  async stack(): Promise<readonly CallFrame[]> {
    const { promise, resolve } = Promise.withResolvers<readonly CallFrame[]>();
    this.#onPause = resolve;
    try {
      // Code that never comes to an end answers nothing else.
      for (const method of ["Debugger.enable", "Debugger.pause"]) this.#send({ id: ++this.#calls, method });
      return await Promise.race([promise, sleep(STACK_MS, [])]);
    } finally {
      for (const method of ["Debugger.resume", "Debugger.disable"]) this.#send({ id: ++this.#calls, method });
    }
  }

  close(): void {
    this.#end("the connection is closed");
  }

  async #evaluate(expression: string, awaitPromise: boolean, patienceMs: number): Promise<unknown> {
    const id = ++this.#calls;
    const { promise, resolve } = Promise.withResolvers<Reply>();
    this.#waiting.set(id, resolve);
    const params = { expression, returnByValue: true, awaitPromise, silent: true };
    this.#send({ id, method: "Runtime.evaluate", params });
    const timer = setTimeout(() => resolve(new NoAnswer(`no answer came within ${patienceMs / 1000} s`)), patienceMs);
    const reply = await promise;
    clearTimeout(timer);
    this.#waiting.delete(id);
    if (reply instanceof Error) throw reply;
    const { result, exceptionDetails } = (reply.result ?? {}) as Evaluated;
    if (exceptionDetails !== undefined)
      throw new NoInspector(`it answers: ${exceptionDetails.exception?.description ?? exceptionDetails.text ?? ""}`);
    return result?.value;
  }

  #send(message: object): void {
    if (this.#ended !== undefined) return this.#end(this.#ended.message);
    const data = Buffer.from(JSON.stringify(message));
    const head = Buffer.alloc(data.length < SHORT ? 2 : 4);
    head[0] = FINAL_TEXT;
    head[1] = MASKED | (data.length < SHORT ? data.length : SHORT);
    if (data.length >= SHORT) head.writeUInt16BE(data.length, 2);
    const mask = randomBytes(4);
    this.#socket.write(Buffer.concat([head, mask, data.map((byte, at) => byte ^ (mask[at % 4] ?? 0))]));
  }

  #take(data: Buffer): void {
    if (this.#ended !== undefined) return;
    this.#received = Buffer.concat([this.#received, data]);
    for (;;) {
      const frame = firstFrame(this.#received);
      if (typeof frame === "string") return this.#end(frame);
      if (frame === undefined) return;
      this.#received = this.#received.subarray(frame.length);
      this.#hear(frame.text);
      if (this.#ended !== undefined) return;
    }
  }

  #hear(text: string): void {
    let reply: Reply | null;
    try {
      reply = JSON.parse(text) as Reply | null;
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
    this.#socket.destroy();
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

/** A sentence's end for what no inspector sends; undefined while the frame is not there as a whole. */
function firstFrame(data: Buffer): { readonly text: string; readonly length: number } | string | undefined {
  if (data.length < 2) return undefined;
  if (data[0] !== FINAL_TEXT) return data[0] === 0x88 ? "it has closed the connection" : NONSENSE;
  const short = data[1] ?? 0;
  const start = short === LONG ? 10 : short === SHORT ? 4 : 2;
  if (short >= MASKED) return NONSENSE;
  if (data.length < start) return undefined;
  const size = short === LONG ? Number(data.readBigUInt64BE(2)) : short === SHORT ? data.readUInt16BE(2) : short;
  if (size > MAX_MESSAGE) return "what answers sends more than an inspector of Node would";
  if (data.length < start + size) return undefined;
  return { text: data.toString("utf8", start, start + size), length: start + size };
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
      throw new NoInspector("what answers sends more than an inspector of Node would");
    }
  }
  if (response.statusCode !== 200) throw new NoInspector(NONSENSE);
  return text;
}

async function upgraded({ host, port }: Address, path: string): Promise<{ socket: Socket; head: Buffer }> {
  const key = randomBytes(16).toString("base64");
  const headers = {
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Key": key,
    "Sec-WebSocket-Version": "13",
  };
  const accepted = createHash("sha1")
    .update(key + ACCEPT_KEY)
    .digest("base64");
  return within(async (signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<{ socket: Socket; head: Buffer }>();
    request({ host, port, path, headers, agent: false, signal })
      .on("upgrade", ({ headers: answered }, socket: Socket, head) => {
        if (answered["sec-websocket-accept"] === accepted) return resolve({ socket, head });
        socket.destroy();
        reject(new NoInspector(NONSENSE));
      })
      .on("response", (response) => {
        response.destroy();
        reject(new NoInspector(NONSENSE));
      })
      .on("error", reject)
      .end();
    return promise;
  });
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
