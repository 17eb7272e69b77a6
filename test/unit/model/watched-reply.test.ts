/** How long a silent stream is waited for, with a clock that the test winds. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { limitsOf, watched } from "../../../server/src/model/watched-reply.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What became of a stream that is silent for so many seconds behind its first piece. */
async function afterSilence(baseUrl: string | null, seconds: number): Promise<string> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const read = watched(new Response(readable), limitsOf(baseUrl))
    .text()
    .catch((error: unknown) => String(error));
  const write = (text: string): Promise<void> => writer.write(new TextEncoder().encode(text)).catch(() => undefined);
  await write("start ");
  await vi.advanceTimersByTimeAsync(seconds * 1_000);
  void write("end").then(() => writer.close().catch(() => undefined));
  return (await read).trim();
}

it("waits two minutes for Anthropic's servers, which send pings", async () => {
  expect(await afterSilence(null, 119)).toBe("start end");
  expect(await afterSilence(null, 121)).toBe("StalledReply: nothing came for 120 s");
});

it("waits a quarter of an hour for a server of one's own, also behind the event that begins its message", async () => {
  expect(await afterSilence("http://127.0.0.1:11434", 899)).toBe("start end");
  expect(await afterSilence("http://127.0.0.1:11434", 901)).toBe("StalledReply: nothing came for 900 s");
});
