/**
 * A Messages API that does what a plan says and next to nothing besides, for measures of what stands before it. It runs
 * in a process of its own, so that no contender waits for the measure: `model-process.ts` starts it.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** What the next turn consists of: the calls one after the other, then text. */
export interface Plan {
  readonly tool: string;
  readonly inputs: readonly object[];
  /** The text at the end comes in so many pieces, that many of them a second. Default: one. */
  readonly text?: { readonly pieces: number; readonly perSecond: number };
}

/** One request of the turn. Moments are in milliseconds since 1970, with fractions. */
export interface Asked {
  readonly arrived: number;
  readonly bytes: number;
}

export type ApiMessage =
  | { readonly kind: "listening"; readonly url: string }
  | { readonly kind: "asked"; readonly asked: readonly Asked[] }
  | { readonly kind: "bodies"; readonly bodies: readonly string[] };

export type ApiOrder =
  | { readonly kind: "plan"; readonly plan: Plan }
  | { readonly kind: "asked" }
  | { readonly kind: "bodies" };

const TICK_MS = 5;

let plan: Plan = { tool: "", inputs: [] };
let asked: Asked[] = [];
let bodies: Buffer[] = [];

export function now(): number {
  return performance.timeOrigin + performance.now();
}

if (process.send !== undefined && import.meta.main) {
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  process.on("message", (order: ApiOrder) => obey(order));
  process.on("disconnect", () => process.exit(0));
  tell({ kind: "listening", url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

function obey(order: ApiOrder): void {
  if (order.kind === "asked") return tell({ kind: "asked", asked });
  if (order.kind === "bodies") return tell({ kind: "bodies", bodies: bodies.map((body) => body.toString()) });
  ({ plan } = order);
  asked = [];
  bodies = [];
}

function tell(message: ApiMessage): void {
  process.send?.(message);
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const body = Buffer.concat(parts);
  if (request.method !== "POST" || !(request.url ?? "").split("?")[0]?.endsWith("/messages")) {
    response.writeHead(404, { "content-type": "application/json" }).end("{}");
    return;
  }
  // Agents ask for titles and the like meanwhile, without their tools.
  const isOfTurn = body.includes(`"name":"${plan.tool}"`);
  const index = asked.length;
  if (isOfTurn) {
    asked.push({ arrived: now(), bytes: body.length });
    bodies.push(body);
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const input = isOfTurn ? plan.inputs[index] : undefined;
  if (input !== undefined) return void response.end(call(index, input));
  if (isOfTurn && plan.text !== undefined) await stream(response, plan.text);
  else response.end(text(["Done."]) + end("end_turn"));
}

async function stream(response: ServerResponse, { pieces, perSecond }: NonNullable<Plan["text"]>): Promise<void> {
  const started = now();
  for (let sent = 0; sent < pieces && !response.destroyed; await sleep(TICK_MS)) {
    const due = Math.min(pieces, Math.ceil(((now() - started) * perSecond) / 1_000));
    const words = Array.from({ length: due - sent }, (_, each) => `${sent + each} `);
    response.write(sent === 0 ? text(words) : deltas(words));
    sent = due;
  }
  response.end(end("end_turn"));
}

function call(index: number, input: object): string {
  const block = { type: "tool_use", id: `toolu_${String(index).padStart(6, "0")}`, name: plan.tool, input: {} };
  const json = { type: "input_json_delta", partial_json: JSON.stringify(input) };
  return [
    text(["I look at the next file."]),
    event({ type: "content_block_stop", index: 0 }),
    event({ type: "content_block_start", index: 1, content_block: block }),
    event({ type: "content_block_delta", index: 1, delta: json }),
    end("tool_use", 1),
  ].join("");
}

function text(words: readonly string[]): string {
  const usage = { input_tokens: 1_000, output_tokens: 1 };
  const message = { id: "msg_1", type: "message", role: "assistant", model: "claude-test", content: [], usage };
  const start = { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } };
  return event({ type: "message_start", message: { ...message, stop_reason: null } }) + event(start) + deltas(words);
}

function deltas(words: readonly string[]): string {
  return words
    .map((word) => event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: word } }))
    .join("");
}

function end(reason: string, block = 0): string {
  const delta = { stop_reason: reason, stop_sequence: null };
  return [
    event({ type: "content_block_stop", index: block }),
    event({ type: "message_delta", delta, usage: { output_tokens: 20 } }),
    event({ type: "message_stop" }),
  ].join("");
}

function event(value: { readonly type: string; readonly [key: string]: unknown }): string {
  return `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
}
