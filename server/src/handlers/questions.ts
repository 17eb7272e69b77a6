/** Questions to the person in an editor that knows nothing of approvals, by LSP's own `window/showMessageRequest`. */
import { CancellationTokenSource, type CancellationToken } from "./connection.ts";
import type { ClientPort } from "./services.ts";

interface MessageRequest {
  readonly type: number;
  readonly message: string;
  readonly actions: readonly { readonly title: string }[];
}

/** A client may leave the request lying for good, and what asked must not wait for good. */
export const ANSWER_LIMIT_MS = 60_000;
const WARNING = 2;

export function createQuestions(
  send: (params: MessageRequest, token: CancellationToken) => Promise<unknown>,
  limitMs: number = ANSWER_LIMIT_MS,
): ClientPort["choose"] {
  return async (message, choices, signal) => {
    const cancellation = new CancellationTokenSource();
    const stop = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
    const stopped = new Promise<undefined>((resolve) => {
      stop.addEventListener("abort", () => resolve(undefined), { once: true });
      if (stop.aborted) resolve(undefined);
    });
    const params = { type: WARNING, message, actions: choices.map((title) => ({ title })) };
    const answered = send(params, cancellation.token).then(
      (action) => {
        const title = (action as { title?: unknown } | null | undefined)?.title;
        return choices.find((choice) => choice === title) ?? null;
      },
      () => undefined,
    );
    const answer = await Promise.race([answered, stopped]);
    if (stop.aborted) cancellation.cancel();
    return answer;
  };
}
