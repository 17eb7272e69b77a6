/** The events of a streamed reply: each is known by what it holds, as not every server gives it its name. */
import { APIError } from "@anthropic-ai/sdk";
import type Anthropic from "@anthropic-ai/sdk";
import { Stream } from "@anthropic-ai/sdk/core/streaming";

export type StreamEvent = Anthropic.RawMessageStreamEvent;

interface Told {
  readonly type?: unknown;
  readonly error?: { readonly type?: APIError["type"] } | null;
}

/** What servers of another API end their streams with. */
const OVER = "[DONE]";

/** Throws `APIError` for an event that tells of an error, and `SyntaxError` for one that came damaged. */
export async function* replyEvents(response: Response): AsyncGenerator<StreamEvent> {
  for await (const { event: name, data } of Stream.rawEvents(response)) {
    const text = data.trim();
    if (text === "" || text === OVER) continue;
    const value = JSON.parse(text) as unknown;
    if (typeof value !== "object" || value === null) continue;
    const event: Told = { type: name, ...value };
    if (event.type === "error") throw errorOf(event, response);
    yield event as StreamEvent;
  }
}

/** The error that an answer in place of a stream tells of, whatever its status; undefined where it tells of none. */
export async function toldError(response: Response): Promise<APIError | undefined> {
  const answer = (await response.json().catch(() => undefined)) as Told | null | undefined;
  return typeof answer?.error === "object" ? errorOf(answer, response) : undefined;
}

function errorOf(told: Told, { headers }: Response): APIError {
  return new APIError(undefined, told, undefined, headers, told.error?.type);
}
