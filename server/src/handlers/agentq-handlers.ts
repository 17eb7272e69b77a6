/** Every `agentq/*` request: wire in, domain call, wire out. */
import { randomUUID } from "node:crypto";
import { InvalidParamsError } from "../base/errors.ts";
import type { RequestParams } from "../protocol/methods.ts";
import type { ChangeDecision } from "../protocol/repl-shapes.ts";
import type { ApprovalDecision } from "../tools/consent/approval-decision.ts";
import { contextHandlers } from "./context-handlers.ts";
import { createPersonCalls } from "./person-calls.ts";
import { proposalHandlers } from "./proposal-handlers.ts";
import { recordHandlers } from "./record-handlers.ts";
import { replHandlers } from "./repl-handlers.ts";
import type { RequestHandlers } from "./requests.ts";
import type { ClientPort, Services } from "../services.ts";

const NO_QUESTION = "No such question is open: it was answered before, taken back, or never asked.";

export function agentqHandlers(services: Services, client: ClientPort): RequestHandlers {
  const { decisions, modelChoices, sessions, storedSessions: stored } = services;
  const calls = createPersonCalls();
  return {
    "agentq/status": () => services.status(),
    "agentq/listTools": async (filter) => {
      const { registry } = await services.tools();
      await registry.settled();
      return paged(registry.listTools(filter));
    },
    "agentq/callTool": ({ name, arguments: given, sessionId }, signal) =>
      calls.run(signal, async (ends) => {
        if (sessionId !== undefined) await sessions.check(sessionId);
        const { executor } = await services.tools();
        const session = sessionId === undefined ? {} : { sessionId };
        const call = { id: randomUUID(), name, arguments: given };
        return executor.execute(call, { caller: "person", signal: ends, ...session });
      }),
    "agentq/prompt": (params) => services.prompts.prompt(params),
    ...contextHandlers(services),
    "agentq/cancel": ({ sessionId }) => sessions.cancel(sessionId),
    "agentq/listQueue": async ({ sessionId }) => paged(await sessions.listQueue(sessionId)),
    "agentq/editQueued": (params) => sessions.editQueued(params),
    "agentq/takeBackQueued": async ({ sessionId, promptIds }) =>
      paged((await sessions.queueOf(sessionId)).takeBack(promptIds)),
    "agentq/listModels": (params, signal) => modelChoices.list(params, signal),
    "agentq/chooseModel": (params) => modelChoices.choose(params),
    "agentq/listSessions": (params) => stored.list(params),
    "agentq/openSession": (params) => stored.open(params),
    "agentq/renameSession": ({ sessionId, name }) => stored.rename(sessionId, name),
    "agentq/deleteSession": ({ sessionId }) => stored.delete(sessionId),
    "agentq/searchSessions": ({ text, limit }) => stored.search(text, limit),
    "agentq/exportSession": ({ sessionId, format }) => stored.export(sessionId, format),
    "agentq/forkSession": (params) => stored.fork(params),
    ...replHandlers(services, client, calls),
    "agentq/restartMcpServer": async ({ name }) => {
      const { mcp } = await services.tools();
      if (mcp !== undefined) return mcp.restart(name);
      const expected = "an MCP server that the settings name, and they name none";
      throw new InvalidParamsError([{ path: "/name", expected, received: name }]);
    },
    "agentq/keepEvaluationChanges": (params) => decideChanges(services, "keep", params),
    "agentq/revertEvaluationChanges": (params) => decideChanges(services, "revert", params),
    ...proposalHandlers(services, client),
    "agentq/answerApproval": (params) => {
      const accepted = services.approvals.answer(params.approvalId, toDecision(params), {
        ...(params.remember === undefined || params.remember === "none" ? {} : { remember: params.remember }),
        stops: params.then === "stop",
      });
      if (!accepted) decisions.note("agentq/answerApproval", params, { outcome: "invalid", detail: NO_QUESTION });
      return { accepted };
    },
    ...recordHandlers(services),
  };
}

function paged<Item>(items: readonly Item[]): { readonly items: readonly Item[]; readonly total: number } {
  return { items, total: items.length };
}

async function decideChanges(
  services: Services,
  what: "keep" | "revert",
  { evalId, uris }: RequestParams<"agentq/revertEvaluationChanges">,
): Promise<ChangeDecision> {
  const repl = await services.repl();
  const decide = async () => repl.decideChanges(evalId, what, uris);
  const decided = await (what === "keep" ? decide() : services.changes.during("a revert", decide));
  if (decided !== undefined) return decided;
  throw new InvalidParamsError([
    { path: "/evalId", expected: "an evaluation with changes that nobody decided on", received: evalId },
  ]);
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
