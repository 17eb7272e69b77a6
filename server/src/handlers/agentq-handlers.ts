/** Every `agentq/*` request: wire in, domain call, wire out. */
import { randomUUID } from "node:crypto";
import { InvalidParamsError } from "../protocol/errors.ts";
import type { RequestParams } from "../protocol/methods.ts";
import type { ApprovalDecision } from "../tools/executor.ts";
import type { RequestHandlers } from "./requests.ts";
import type { Services } from "./services.ts";

export function agentqHandlers(services: Services): RequestHandlers {
  return {
    "agentq/status": () => services.status(),
    "agentq/listTools": async (filter) => {
      const { registry } = await services.tools();
      const items = registry.listTools(filter);
      return { items, total: items.length };
    },
    "agentq/callTool": async (params, signal) => {
      const { executor } = await services.tools();
      return executor.execute(
        { id: randomUUID(), name: params.name, arguments: params.arguments },
        { caller: "person", signal, ...(params.sessionId === undefined ? {} : { sessionId: params.sessionId }) },
      );
    },
    "agentq/prompt": (params) => services.sessions.prompt(params),
    "agentq/cancel": ({ sessionId }) => ({ cancelled: services.sessions.cancel(sessionId) }),
    "agentq/evaluate": async (params, signal) => {
      const module = params.module === undefined ? undefined : modulePath(services, params.module);
      const image = await services.image();
      return image.evaluate(
        {
          code: params.code,
          by: "person",
          ...(module === undefined ? {} : { module }),
          ...(params.timeoutMs === undefined ? {} : { timeoutMs: params.timeoutMs }),
        },
        signal,
      );
    },
    "agentq/interrupt": async () => ({ interrupted: await (await services.image()).interrupt() }),
    "agentq/restartRepl": async () => (await services.image()).restart(),
    "agentq/listProposals": ({ state }) => {
      const items = services.proposals.list().filter((proposal) => state === undefined || proposal.state === state);
      return { items, total: items.length };
    },
    "agentq/openProposal": ({ proposalId }) => services.proposals.open(proposalId),
    "agentq/decide": (params) => services.proposals.decide(params),
    "agentq/didApply": ({ proposalId }) => services.proposals.didApply(proposalId),
    "agentq/answerApproval": (params) => ({
      accepted: services.approvals.answer(params.approvalId, toDecision(params)),
    }),
    "agentq/auditLog": ({ sessionId, cursor }) => services.audit.page(sessionId, cursor),
  };
}

function modulePath(services: Services, name: string): string {
  const resolution = services.paths.resolve(name);
  if (!resolution.ok) {
    throw new InvalidParamsError([
      { path: "/module", expected: `a module of the workspace (${resolution.reason})`, received: name },
    ]);
  }
  return resolution.path.absolute;
}

function toDecision(params: RequestParams<"agentq/answerApproval">): ApprovalDecision {
  const message = params.message === undefined ? {} : { message: params.message };
  if (params.decision !== "modified") return { decision: params.decision, ...message };
  if (params.arguments === undefined) {
    throw new InvalidParamsError([
      { path: "/arguments", expected: "object with decision modified", received: undefined },
    ]);
  }
  return { decision: "modified", arguments: params.arguments, ...message };
}
