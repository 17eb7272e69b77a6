/** One MCP server while it is named in the settings: starting, ready, waiting for its next start, or dead. */
import { untilAborted } from "../../base/abort.ts";
import { given } from "../../base/given.ts";
import type { McpServerStatus } from "../../protocol/status.ts";
import { redacted } from "../../storage/redaction.ts";
import { ToolFailure } from "../tool.ts";
import type { CallAnswer, CallOptions, ListedTool, McpConnection } from "./connection.ts";
import type { PlannedServer } from "./planned-server.ts";
import { whyFailed } from "./why-failed.ts";

/** Contract: none throws. */
export interface McpServerEvents {
  /** The server's list of tools, each time that it is ready or says that the list has changed. */
  readonly onTools: (tools: readonly ListedTool[]) => void;
  readonly onState: (status: McpServerStatus) => void;
}

/** A program that has to be fetched first takes its time. */
const START_LIMIT_MS = 60_000;
/** How long a server that ended is left alone before it is started again; then it is dead. */
const DELAYS_MS = [1_000, 5_000, 30_000];
/** A server that ran for so long has its first chance again. */
const WELL_MS = 60_000;

export class McpServer {
  readonly #plan: PlannedServer;
  readonly #events: McpServerEvents;
  readonly #version: string;
  readonly #disposed = new AbortController();
  #state: McpServerStatus["state"] = "starting";
  #reason: string | undefined;
  #connection: McpConnection | undefined;
  #failures = 0;
  #readyAt = 0;
  #renewing: Promise<void> | undefined;
  #next: NodeJS.Timeout | undefined;
  /** Counts the starts: what an earlier process says is not heard. */
  #start = 0;

  constructor(plan: PlannedServer, events: McpServerEvents, version: string) {
    this.#plan = plan;
    this.#events = events;
    this.#version = version;
  }

  get plan(): PlannedServer {
    return this.#plan;
  }

  status(): Omit<McpServerStatus, "tools"> {
    return { name: this.#plan.name, state: this.#state, ...given({ reason: this.#reason }) };
  }

  /** Why no tool of the server can be called now, as a sentence. */
  whyDown(): string | undefined {
    if (this.#state === "ready") return undefined;
    const words = {
      starting: "has not started yet",
      restarting: "is down and is started again in a moment",
      dead: "is down, and only the developer can restart it",
    };
    const reason = this.#reason === undefined ? "" : ` (${this.#reason})`;
    return `The MCP server ${this.#plan.name} ${words[this.#state]}${reason}.`;
  }

  /** Settles when the server is ready or the start has failed. Never rejects. */
  async start(): Promise<void> {
    this.#enter("starting", undefined);
    await this.#begin();
  }

  async #begin(): Promise<void> {
    const start = (this.#start += 1);
    clearTimeout(this.#next);
    const limit = AbortSignal.timeout(START_LIMIT_MS);
    const signal = AbortSignal.any([limit, this.#disposed.signal]);
    let connection: McpConnection | undefined;
    try {
      const { connect } = await import("./connection.ts");
      const events = {
        onEnd: (why: string) => this.#down(why, start),
        onToolsChanged: () => void this.#list(start),
      };
      const connecting = connect(this.#plan, events, { version: this.#version, signal });
      // A server that answers after its time is not left running.
      connecting.then((late) => (start === this.#start && !signal.aborted ? undefined : late.close())).catch(() => 0);
      connection = await untilAborted(connecting, signal);
      const tools = await connection.tools(signal);
      if (start !== this.#start) return;
      this.#connection = connection;
      this.#readyAt = Date.now();
      this.#events.onTools(tools);
      this.#enter("ready", undefined);
    } catch (error) {
      await connection?.close();
      this.#down(limit.aborted ? `it did not answer within ${START_LIMIT_MS / 1_000} s` : whyFailed(error), start);
    }
  }

  async restart(): Promise<void> {
    this.#failures = 0;
    const old = this.#connection;
    this.#connection = undefined;
    // What the old process says when it ends is about no start of now.
    this.#start += 1;
    await old?.close();
    await this.start();
  }

  async call(tool: string, args: Readonly<Record<string, unknown>>, options: CallOptions): Promise<CallAnswer> {
    const connection = this.#connection;
    if (connection === undefined) throw new ToolFailure(this.whyDown() ?? "The server has no connection.");
    try {
      return await connection.call(tool, args, options);
    } catch (error) {
      if (!isForgotten(error) || options.signal.aborted) throw error;
    }
    // The server has not run the call: it was started anew and knows nothing of the session.
    if (this.#connection === connection) {
      this.#renewing ??= this.#begin().finally(() => {
        this.#renewing = undefined;
        void connection.close();
      });
    }
    await this.#renewing;
    if (this.#connection === undefined) throw new ToolFailure(this.whyDown() ?? "The server has no connection.");
    return this.#connection.call(tool, args, options);
  }

  async dispose(): Promise<void> {
    clearTimeout(this.#next);
    this.#disposed.abort();
    await this.#connection?.close();
  }

  async #list(start: number): Promise<void> {
    try {
      const tools = await this.#connection?.tools(this.#disposed.signal);
      if (tools === undefined || start !== this.#start) return;
      this.#events.onTools(tools);
      this.#enter("ready", undefined);
    } catch {
      // The list that was there stays, and a server that ended is told by its end.
    }
  }

  #down(why: string, start: number): void {
    if (start !== this.#start || this.#disposed.signal.aborted) return;
    this.#start += 1;
    const old = this.#connection;
    this.#connection = undefined;
    void old?.close();
    if (this.#readyAt > 0 && Date.now() - this.#readyAt > WELL_MS) this.#failures = 0;
    this.#readyAt = 0;
    const delay = DELAYS_MS[this.#failures];
    this.#failures += 1;
    const reason = redacted(why, this.#plan.secrets, 300);
    this.#enter(delay === undefined ? "dead" : "restarting", reason);
    if (delay === undefined) return;
    this.#next = setTimeout(() => void this.start(), delay);
    this.#next.unref();
  }

  #enter(state: McpServerStatus["state"], reason: string | undefined): void {
    this.#state = state;
    this.#reason = reason;
    this.#events.onState({ ...this.status(), tools: 0 });
  }
}

/** The protocol's way to say that a session over HTTP is over. */
function isForgotten(error: unknown): boolean {
  return (error as { readonly status?: unknown }).status === 404;
}
