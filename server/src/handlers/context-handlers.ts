/** Requests about what goes along with prompts. */
import type { RequestHandlers } from "./requests.ts";
import type { Services } from "../services.ts";

type ContextMethod = "agentq/addContext" | "agentq/listContext" | "agentq/removeContext" | "agentq/clearContext";

export function contextHandlers({ contexts, sessions }: Services): Pick<RequestHandlers, ContextMethod> {
  /** Refuses a conversation that nobody knows. */
  const known = async (sessionId: string | undefined): Promise<void> => {
    if (sessionId !== undefined) await sessions.check(sessionId);
  };
  return {
    "agentq/addContext": async ({ sessionId, items }) => {
      await known(sessionId);
      return contexts.add(items, sessionId);
    },
    "agentq/listContext": async ({ sessionId }) => {
      await known(sessionId);
      return contexts.list(sessionId);
    },
    "agentq/removeContext": async ({ sessionId, ids }) => {
      await known(sessionId);
      return contexts.remove(ids, sessionId);
    },
    "agentq/clearContext": async ({ sessionId }) => {
      await known(sessionId);
      return contexts.clear(sessionId);
    },
  };
}
