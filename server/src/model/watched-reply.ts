/** A reply's bytes on their way: a stream that stalls or never ends is ended here, before it holds up or fills the server. */

export interface ReplyLimits {
  /** So long may pass before the first piece and between two, in milliseconds; `ping` events count. */
  readonly stallMs: number;
  /** No reply is longer, in bytes of the wire. */
  readonly maxBytes: number;
}

const MAX_REPLY = 64 * 2 ** 20;

/**
 * Those of a reply from such an address, null for Anthropic's own servers, which send `ping` events. A local model reads a long
 * prompt in silence, also behind the event that begins its message, and some servers send a call only once all of it is there.
 */
export function limitsOf(baseUrl: string | null): ReplyLimits {
  return { stallMs: baseUrl === null ? 120_000 : 900_000, maxBytes: MAX_REPLY };
}

/** Nothing came for too long. */
export class StalledReply extends Error {
  override readonly name = "StalledReply";
}

/** More came than any reply has. */
export class EndlessReply extends Error {
  override readonly name = "EndlessReply";
}

/** The same response, whose body fails with `StalledReply` or `EndlessReply` and closes its connection then. */
export function watched(response: Response, limits: ReplyLimits): Response {
  return response.body === null ? response : new Response(ReadableStream.from(pieces(response.body, limits)), response);
}

async function* pieces(
  body: ReadableStream<Uint8Array>,
  { stallMs, maxBytes }: ReplyLimits,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (let size = 0; ;) {
      const { done, value } = await within(stallMs, reader.read());
      if (done) break;
      size += value.byteLength;
      if (size > maxBytes) throw new EndlessReply(`the reply is longer than ${maxBytes / 2 ** 20} MB`);
      yield value;
    }
    // Some servers leave out the empty line that ends the last event.
    yield new TextEncoder().encode("\n\n");
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

async function within<Value>(ms: number, promise: Promise<Value>): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new StalledReply(`nothing came for ${ms / 1000} s`)), ms);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
