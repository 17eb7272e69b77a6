/** The events of a streamed reply: each is known by what it holds, as not every server gives it its name. */
import { APIError } from "@anthropic-ai/sdk";
import type Anthropic from "@anthropic-ai/sdk";
import { Stream } from "@anthropic-ai/sdk/core/streaming";

export type StreamEvent = Anthropic.RawMessageStreamEvent;

/** What servers of another API end their streams with. */
const OVER = "[DONE]";

/** Throws `APIError` for an event that tells of an error, and `SyntaxError` for one that came damaged. */
export async function* replyEvents(response: Response): AsyncGenerator<StreamEvent> {
  for await (const { event: name, data } of Stream.rawEvents(response)) {
    const text = data.trim();
    if (text === "" || text === OVER) continue;
    const value = JSON.parse(text) as unknown;
    if (typeof value !== "object" || value === null) continue;
    const event: { readonly type?: unknown; readonly error?: { readonly type?: APIError["type"] } } = {
      type: name,
      ...value,
    };
    if (event.type === "error") throw new APIError(undefined, event, undefined, response.headers, event.error?.type);
    yield event as StreamEvent;
  }
}
