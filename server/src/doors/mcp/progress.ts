/** Tells a client that asked for progress that its call goes on, and with what: some give up on a call that is silent. */
import type { ServerContext } from "@modelcontextprotocol/server";

const EVERY_MS = 2_000;

/** `words` says what goes on just now. Contract of what comes back: after `end` nothing is sent any more. */
export function showProgress({ mcpReq }: ServerContext, words: () => string): { readonly end: () => void } {
  const progressToken = mcpReq["_meta"]?.progressToken;
  if (progressToken === undefined) return { end: () => undefined };
  let progress = 0;
  let isSending = false;
  const tell = (): void => {
    // A client that reads nothing gets no second report before the first one.
    if (isSending) return;
    isSending = true;
    progress += 1;
    const params = { progressToken, progress, message: words() };
    mcpReq
      .notify({ method: "notifications/progress", params })
      .catch(() => undefined)
      .finally(() => (isSending = false));
  };
  tell();
  const timer = setInterval(tell, EVERY_MS);
  return { end: () => clearInterval(timer) };
}
