/** MCP over the standard streams of a child process, one message a line. */
import { homedir } from "node:os";
import { StringDecoder } from "node:string_decoder";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { childEnvironment } from "../../process/child-environment.ts";
import { killWithGroup, spawn, type ChildProcess } from "../../process/spawn.ts";
import { tailOf } from "../../base/cut-text.ts";
import type { Road } from "./planned-server.ts";

/** A longer line ends the connection: nobody knows whose answer it is. */
const LONGEST_LINE = 64_000_000;
const KEPT_ERRORS = 2_000;
/** How long a server may take to end once its input has ended. */
const END_MS = 1_000;
const STOPPED = "it was stopped";

type Read = (line: string) => JSONRPCMessage;

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #road: Extract<Road, { kind: "stdio" }>;
  readonly #read: Read;
  #child: ChildProcess | undefined;
  #line: string[] = [];
  #length = 0;
  #errors = "";
  /** Why there is no connection any more. */
  #end = "";

  constructor(road: Extract<Road, { kind: "stdio" }>, read: Read) {
    this.#road = road;
    this.#read = read;
  }

  start(): Promise<void> {
    const { command, args, env, cwd } = this.#road;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const child = spawn(command, args, {
      // Not the project: a program that is looked for there would be the repository's choice.
      cwd: cwd ?? homedir(),
      env: { ...childEnvironment(), ...env },
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
      detached: process.platform !== "win32",
    });
    this.#child = child;
    child.once("spawn", resolve);
    child.once("error", (error) => {
      this.#end ||= `it cannot be started: ${error.message}`;
      reject(error);
      this.onerror?.(error);
    });
    child.once("close", (code, signal) => {
      this.#end ||= signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`;
      // What it has started itself goes with it.
      killWithGroup(child);
      this.onclose?.();
    });
    const decoder = new StringDecoder("utf8");
    child.stdout?.on("data", (chunk: Buffer) => this.#take(decoder.write(chunk)));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#errors = tailOf(this.#errors + text, KEPT_ERRORS);
    });
    // A server that is gone is told by `close`.
    for (const stream of child.stdio) stream?.on("error", () => undefined);
    return promise;
  }

  /** Whether it was us who ended the connection. */
  get isStopped(): boolean {
    return this.#end === STOPPED;
  }

  /** Why the connection ended, with the last line that the server wrote to its standard error. */
  whyEnded(): string {
    const last = this.#errors.trimEnd().split("\n").at(-1)?.trim() ?? "";
    return last === "" ? this.#end : `${this.#end}${this.#end === "" ? "" : ": "}${last}`;
  }

  send(message: JSONRPCMessage): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const input = this.#child?.stdin;
    if (input?.writable !== true) return Promise.reject(new Error("The server has ended."));
    input.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    return promise;
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#end ||= STOPPED;
    child.stdin?.end();
    const ended = new Promise<void>((resolve) => void child.once("close", () => resolve()));
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    const timer = setTimeout(() => killWithGroup(child), END_MS);
    await ended;
    clearTimeout(timer);
  }

  #take(text: string): void {
    const lines = text.split("\n");
    for (const [index, part] of lines.entries()) {
      this.#line.push(part);
      this.#length += part.length;
      if (index < lines.length - 1) this.#lineEnded();
    }
    if (this.#length <= LONGEST_LINE) return;
    this.#end = `it sent a message of more than ${LONGEST_LINE / 1_000_000} MB`;
    this.#line = [];
    if (this.#child !== undefined) killWithGroup(this.#child);
  }

  #lineEnded(): void {
    const line = this.#line.join("");
    this.#line = [];
    this.#length = 0;
    // Programs print other things there too, against the rules.
    if (!line.startsWith("{")) return;
    try {
      this.onmessage?.(this.#read(line));
    } catch (error) {
      this.onerror?.(error as Error);
    }
  }
}
