/** Requests about conversations that are kept. */
import type { RequestHandlers } from "./requests.ts";
import type { Services } from "../services.ts";

type SessionMethod =
  | "agentq/listSessions"
  | "agentq/openSession"
  | "agentq/renameSession"
  | "agentq/deleteSession"
  | "agentq/searchSessions"
  | "agentq/exportSession"
  | "agentq/forkSession";

export function sessionHandlers({ storedSessions: stored }: Services): Pick<RequestHandlers, SessionMethod> {
  return {
    "agentq/listSessions": (params) => stored.list(params),
    "agentq/openSession": (params) => stored.open(params),
    "agentq/renameSession": ({ sessionId, name }) => stored.rename(sessionId, name),
    "agentq/deleteSession": ({ sessionId }) => stored.delete(sessionId),
    "agentq/searchSessions": ({ text, limit }) => stored.search(text, limit),
    "agentq/exportSession": ({ sessionId, format }) => stored.export(sessionId, format),
    "agentq/forkSession": (params) => stored.fork(params),
  };
}
