/** A reply that streams faster than anybody reads: nothing is lost, nothing changes places, and few frames carry it all. */
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ServerClient } from "../support/server-client.ts";

const DELTAS = 20_000;
const TICK_MS = 5;
const A_TICK = (DELTAS * TICK_MS) / 1_000;

let folder: string;
let server: Server;
let client: ServerClient;

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "agentq-stream-")));
  server = createServer((request, response) => {
    request
      .resume()
      .once("end", () => void (request.method === "GET" ? response.writeHead(404).end() : send(response)));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "sk-test-not-a-key", XDG_STATE_HOME: `${folder}-state` };
  client = new ServerClient({ env });
  await client.initialize([folder]);
});

afterEach(async () => {
  await client.close();
  server.close();
  server.closeAllConnections();
  for (const each of [folder, `${folder}-state`]) rmSync(each, { recursive: true, force: true });
});

/** Thoughts and text by turns, 20,000 pieces of them in a second, each with its number. */
async function send(response: ServerResponse): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const usage = { input_tokens: 1, output_tokens: 1 };
  response.write(event({ type: "message_start", message: { usage } }));
  for (const [index, kind] of KINDS.entries()) {
    const block = { type: kind, [kind]: "", ...(kind === "thinking" ? { signature: "" } : {}) };
    response.write(event({ type: "content_block_start", index, content_block: block }));
    const [from, to] = [index * A_BLOCK, (index + 1) * A_BLOCK];
    for (let sent = from; sent < to; await sleep(TICK_MS)) {
      const upTo = Math.min(to, sent + A_TICK);
      response.write(Array.from({ length: upTo - sent }, (_, each) => piece(index, kind, sent + each)).join(""));
      sent = upTo;
    }
    response.write(event({ type: "content_block_stop", index }));
  }
  response.end(
    event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage }) + event({ type: "message_stop" }),
  );
}

const KINDS = ["thinking", "text", "thinking", "text"] as const;
const A_BLOCK = DELTAS / KINDS.length;

function piece(index: number, kind: (typeof KINDS)[number], number: number): string {
  return event({ type: "content_block_delta", index, delta: { type: `${kind}_delta`, [kind]: `${number} ` } });
}

function event(value: { readonly type: string; readonly [key: string]: unknown }): string {
  return `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
}

it("brings 20,000 pieces whole and in order, joined into frames, and keeps them so", async () => {
  const { turnId, sessionId } = await client.request("agentq/prompt", { text: "Write." });
  const told = await client.turn(turnId, 60_000);
  const shown = told.flatMap((each) => (each.kind === "text" || each.kind === "thinking" ? [each] : []));
  const all = shown.map(({ text }) => text).join("");
  expect(all).toBe(Array.from({ length: DELTAS }, (_, number) => `${number} `).join(""));
  for (const { kind, text } of shown) {
    for (const word of text.trim().split(" ")) expect(kind).toBe(KINDS[Math.floor(Number(word) / A_BLOCK)]);
  }
  // About one frame in 25 ms: a slow machine takes longer for the same pieces, and never sends one by one.
  expect(shown.length).toBeLessThan(DELTAS / 20);
  const numbers = client.received.flatMap(({ method, params }) =>
    method === "agentq/event" && params.turnId === turnId ? [params.seq] : [],
  );
  expect(numbers).toEqual(numbers.map((_, index) => index));
  const { items } = await client.request("agentq/openSession", { sessionId });
  const kept = items.flatMap(({ event: each }) => (each.kind === "text" || each.kind === "thinking" ? [each] : []));
  expect(kept.map(({ kind }) => kind)).toEqual(KINDS);
  expect(kept.map(({ text }) => text).join("")).toBe(all);
}, 90_000);
