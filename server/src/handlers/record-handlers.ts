/** Requests about calls: what was decided about them, what would be, and how they went. */
import { InvalidParamsError } from "../base/errors.ts";
import { explainDecision } from "../tools/explain-decision.ts";
import type { RequestHandlers } from "./requests.ts";
import type { Services } from "../services.ts";

type RecordMethod =
  | "agentq/auditLog"
  | "agentq/explainDecision"
  | "agentq/forgetRemembered"
  | "agentq/listRemembered"
  | "agentq/metrics"
  | "agentq/spending";

export function recordHandlers(services: Services): Pick<RequestHandlers, RecordMethod> {
  const { sessions, audit, remembered, approvals } = services;
  return {
    "agentq/auditLog": async ({ sessionId, cursor }) => {
      await services.storage();
      const page = audit.page(sessionId, cursor);
      // The log may have calls of a conversation that is not kept.
      if (sessionId !== undefined && page.total === 0) await sessions.check(sessionId);
      return page;
    },
    "agentq/explainDecision": async ({ tool, arguments: args, sessionId }) => {
      if (sessionId !== undefined) await sessions.check(sessionId);
      const { registry, policy } = await services.tools();
      await registry.settled();
      const ports = { registry, policy, remembered, canAsk: () => approvals.canAsk() };
      return explainDecision(ports, { tool, arguments: args, ...(sessionId === undefined ? {} : { sessionId }) });
    },
    "agentq/listRemembered": async () => {
      await services.storage();
      const items = remembered.list();
      return { items, total: items.length };
    },
    "agentq/forgetRemembered": async ({ id }) => {
      await services.storage();
      const forgotten = remembered.forget(id);
      if (id !== undefined && forgotten === 0) {
        throw new InvalidParamsError([{ path: "/id", expected: "the id of a remembered call", received: id }]);
      }
      return { forgotten };
    },
    "agentq/metrics": async () => ({
      ...(await services.tools()).metrics.report(),
      model: services.spending.metrics(),
    }),
    "agentq/spending": async ({ sessionId }) => {
      await services.storage();
      if (sessionId !== undefined) await sessions.check(sessionId);
      return services.spending.tell(sessionId);
    },
  };
}
