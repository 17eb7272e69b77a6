/** Questions to the person in an editor that knows nothing of approvals, by LSP's own `window/showMessageRequest`. */
import { aborted } from "../base/abort.ts";
import { withToken } from "../base/cancellation.ts";
import { MessageType, type CancellationToken } from "./connection.ts";
import type { ClientPort } from "../services.ts";

interface MessageRequest {
  readonly type: number;
  readonly message: string;
  readonly actions: readonly { readonly title: string }[];
}

/** A client may leave the request lying for good, and what asked must not wait for good. */
export const ANSWER_LIMIT_MS = 60_000;

export function createQuestions(
  send: (params: MessageRequest, token: CancellationToken) => Promise<unknown>,
  limitMs: number = ANSWER_LIMIT_MS,
): ClientPort["choose"] {
  return async (message, choices, signal) => {
    const stop = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
    const params = { type: MessageType.Warning, message, actions: choices.map((title) => ({ title })) };
    const answered = withToken(stop, (token) => send(params, token)).then(
      (action) => {
        const title = (action as { title?: unknown } | null | undefined)?.title;
        return choices.find((choice) => choice === title) ?? null;
      },
      () => undefined,
    );
    return Promise.race([answered, aborted(stop).then(() => undefined)]);
  };
}
