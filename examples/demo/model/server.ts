/** A loopback HTTP server that speaks the Messages API and plays a script. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { problemOf } from "./api-rules.ts";
import type { RequestBody } from "./request-body.ts";
import type { Fault, Script, StreamFault } from "./script.ts";
import { sendStream } from "./send-stream.ts";
import { prefixOf } from "./signature.ts";
import { messageOf, streamEvents } from "./stream-events.ts";
import { ScriptMismatch, Turn } from "./turn.ts";

export interface ScriptedModelOptions {
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** The folder from which scripts read the files they change. Default: the example project. */
  readonly project?: string;
  /** Pause between two events of a stream, for replies that do not name their own. Default 0. */
  readonly paceMs?: number;
}

export interface ScriptedModel {
  /** The base URL to give to a client. */
  readonly url: string;
  /** The bodies of all requests for a message, oldest first, those answered with a fault included. */
  readonly requests: readonly RequestBody[];
  /** Why the script could not go on, or why a request was refused as the real API would refuse it. */
  readonly mismatches: readonly string[];
  /** How many clients went away before their reply was complete. */
  readonly aborted: number;
  dispose(): Promise<void>;
}

const EXAMPLE_PROJECT = fileURLToPath(new URL("../../invoices", import.meta.url));

export async function startScriptedModel(script: Script, options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const player = new Player(script, options);
  const server = createServer((request, response) => void player.answer(request, response));
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests: player.requests,
    mismatches: player.mismatches,
    get aborted() {
      return player.aborted;
    },
    async dispose() {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, "close");
    },
  };
}

class Player {
  readonly requests: RequestBody[] = [];
  readonly mismatches: string[] = [];
  aborted = 0;
  readonly #script: Script;
  readonly #options: ScriptedModelOptions;
  readonly #idPrefix = randomBytes(4).toString("hex");
  #ids = 0;

  constructor(script: Script, options: ScriptedModelOptions) {
    this.#script = script;
    this.#options = options;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const path = new URL(request.url ?? "/", "http://localhost").pathname;
      const route = `${request.method} ${path}`;
      if (route === "GET /__recorded") return sendJson(response, 200, this.requests);
      if (route === "GET /__state") {
        const { requests, mismatches, aborted } = this;
        return sendJson(response, 200, { script: this.#script.name, requests: requests.length, mismatches, aborted });
      }
      if (route === "GET /v1/models" && this.#script.models !== undefined) {
        return sendJson(response, 200, { data: this.#script.models, has_more: false });
      }
      if (route !== "POST /v1/messages" && route !== "POST /v1/messages/count_tokens") {
        return sendError(response, 404, `there is no ${route}`);
      }
      const text = await readText(request);
      if (request.headers["x-api-key"] === undefined && request.headers.authorization === undefined) {
        return sendError(response, 401, "x-api-key header is required");
      }
      const body = parse(text);
      if (path.endsWith("/count_tokens")) return sendJson(response, 200, { input_tokens: tokensOf(text) });
      await this.#message(body, tokensOf(text), response);
    } catch {
      // The client has gone away; #message counted it.
      response.destroy();
    }
  }

  async #message(body: unknown, inputTokens: number, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.on("close", () => {
      if (response.writableFinished) return;
      gone.abort();
    });
    this.requests.push(body as RequestBody);
    const fault = this.#script.faults?.[this.requests.length - 1] ?? undefined;
    if (fault?.kind === "status") return sendStatus(response, fault);
    if (fault?.kind === "reset") return void response.destroy();
    const problem = problemOf(body);
    const { contextWindow = Infinity } = this.#script;
    if (problem === undefined && inputTokens > contextWindow) {
      return sendError(response, 400, `prompt is too long: ${inputTokens} tokens > ${contextWindow} maximum`);
    }
    if (problem !== undefined) return this.#refuse(response, problem);
    try {
      await this.#play({ body: body as RequestBody, inputTokens, fault }, response, gone.signal);
    } catch (error) {
      if (error instanceof ScriptMismatch) return this.#refuse(response, `scripted model: ${error.message}`);
      if (gone.signal.aborted) this.aborted += 1;
      else this.mismatches.push(String(error));
      throw error;
    }
  }

  async #play(
    { body, inputTokens, fault }: { body: RequestBody; inputTokens: number; fault: StreamFault | undefined },
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<void> {
    const turn = new Turn(body, this.#options.project ?? EXAMPLE_PROJECT);
    const reply = { paceMs: this.#options.paceMs ?? 0, ...this.#script.reply(turn) };
    const frame = {
      id: `msg_${this.#newId()}`,
      model: body.model,
      prefix: prefixOf(body),
      inputTokens,
      newToolId: () => `toolu_${this.#newId()}`,
    };
    if (reply.delayMs !== undefined) await sleep(reply.delayMs, undefined, { signal });
    if (body.stream === true) {
      await sendStream(response, streamEvents(reply, frame), { ...reply, ...(fault && { fault }) }, signal);
    } else {
      sendJson(response, 200, messageOf(reply, frame));
    }
  }

  #refuse(response: ServerResponse, message: string): void {
    this.mismatches.push(message);
    sendError(response, 400, message);
  }

  #newId(): string {
    this.#ids += 1;
    return `${this.#idPrefix}${String(this.#ids).padStart(4, "0")}`;
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

/** Broken JSON becomes undefined, which is refused like any other wrong body. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

function sendStatus(response: ServerResponse, fault: Fault & { readonly kind: "status" }): void {
  if (fault.retryAfterSeconds !== undefined) response.setHeader("retry-after", String(fault.retryAfterSeconds));
  sendError(response, fault.status, fault.message ?? "as ordered by the script");
}

function sendError(response: ServerResponse, status: number, message: string): void {
  const error = { type: ERROR_TYPES[status] ?? "api_error", message };
  sendJson(response, status, { type: "error", error, request_id: null });
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}
