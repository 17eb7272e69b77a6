/** LSP's cancellation tokens as signals, and signals as tokens. */
import { CancellationTokenSource, type CancellationToken } from "vscode-jsonrpc/node";

/** Begins `work` at once, under a signal that aborts when the token is cancelled. */
export async function withSignal<Result>(
  token: CancellationToken,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const abort = new AbortController();
  const subscription = token.onCancellationRequested(() => abort.abort());
  // A token that was cancelled before this line fires no event.
  if (token.isCancellationRequested) abort.abort();
  try {
    return await work(abort.signal);
  } finally {
    subscription.dispose();
  }
}

/** Begins `work` at once, under a token that is cancelled when the signal aborts. */
export async function withToken<Result>(
  signal: AbortSignal,
  work: (token: CancellationToken) => Promise<Result>,
): Promise<Result> {
  const source = new CancellationTokenSource();
  const cancel = (): void => source.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    return await work(source.token);
  } finally {
    signal.removeEventListener("abort", cancel);
    source.dispose();
  }
}
