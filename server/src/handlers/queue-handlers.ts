/** Requests about what the person said while a turn runs. */
import type { RequestHandlers } from "./requests.ts";
import type { Services } from "../services.ts";

type QueueMethod = "agentq/listQueue" | "agentq/editQueued" | "agentq/takeBackQueued";

export function queueHandlers({ sessions }: Services): Pick<RequestHandlers, QueueMethod> {
  return {
    "agentq/listQueue": async ({ sessionId }) => paged(await sessions.listQueue(sessionId)),
    "agentq/editQueued": (params) => sessions.editQueued(params),
    "agentq/takeBackQueued": async ({ sessionId, promptIds }) =>
      paged((await sessions.queueOf(sessionId)).takeBack(promptIds)),
  };
}

function paged<Item>(items: readonly Item[]): { readonly items: readonly Item[]; readonly total: number } {
  return { items, total: items.length };
}
