/** Writes a reply to a response as server-sent events, with the accident that was ordered. */
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Reply, StreamFault } from "./script.ts";
import type { StreamEvent } from "./stream-events.ts";

/** Contract: resolves when everything is sent or the accident has happened; rejects when the client has gone away. */
export async function sendStream(
  response: ServerResponse,
  events: readonly StreamEvent[],
  { paceMs = 0, bytePieces, fault }: Pick<Reply, "paceMs" | "bytePieces" | "fault">,
  signal: AbortSignal,
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.flushHeaders();
  for (const [index, event] of events.entries()) {
    if (fault !== undefined && index === fault.afterEvents) return await happen(response, fault, event, signal);
    if (paceMs > 0) await sleep(paceMs, undefined, { signal });
    await write(response, Buffer.from(encode(event)), bytePieces, signal);
  }
  response.end();
}

async function happen(
  response: ServerResponse,
  fault: StreamFault,
  next: StreamEvent,
  signal: AbortSignal,
): Promise<void> {
  switch (fault.kind) {
    case "cut": {
      if (fault.clean === true) return void response.end();
      const text = encode(next);
      await write(response, Buffer.from(text.slice(0, text.length / 2)), undefined, signal);
      // Lets the half event reach the client before the connection breaks.
      await sleep(5, undefined, { signal });
      response.destroy();
      return;
    }
    case "errorEvent": {
      const error = { type: fault.type ?? "overloaded_error", message: fault.message ?? "Overloaded" };
      response.end(encode({ type: "error", error }));
      return;
    }
    case "hang":
      await new Promise<void>((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("the client gave up")), { once: true });
      });
  }
}

async function write(
  response: ServerResponse,
  bytes: Buffer,
  pieces: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  const size = pieces ?? bytes.length;
  for (let start = 0; start < bytes.length; start += size) {
    signal.throwIfAborted();
    response.write(bytes.subarray(start, start + size));
    if (pieces !== undefined) await sleep(1, undefined, { signal });
  }
}

function encode(event: StreamEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
