/** A client that decides about what is not there, twice or wrongly, or whose word is not true, leaves a line in the audit log. */
import { randomUUID } from "node:crypto";
import { whyTooLarge } from "../../base/json-limits.ts";
import type { RequestMethod } from "../../protocol/methods.ts";
import type { AuditEntry } from "../../protocol/tool-shapes.ts";
import type { AuditLog } from "./audit-log.ts";
import { isObject } from "../../base/is-object.ts";

/** Requests by which a person lets something happen. */
const DECIDING: ReadonlySet<string> = new Set<RequestMethod>([
  "agentq/answerApproval",
  "agentq/callTool",
  "agentq/decide",
  "agentq/didApply",
  "agentq/forgetRemembered",
  "agentq/keepEvaluationChanges",
  "agentq/prompt",
  "agentq/reopenProposal",
  "agentq/revertEvaluationChanges",
  "agentq/rewind",
  "agentq/splitHunk",
  "agentq/testSubset",
  "agentq/undoProposal",
]);

export class DecisionRecord {
  readonly #audit: Pick<AuditLog, "record">;

  constructor(audit: Pick<AuditLog, "record">) {
    this.#audit = audit;
  }

  /** The request was refused, for a reason that is no bug of ours. Requests that decide nothing leave no line. */
  refused(method: string, params: unknown, why: string): void {
    if (DECIDING.has(method)) this.note(method, params, { outcome: "invalid", detail: why });
  }

  note(method: string, params: unknown, what: Pick<AuditEntry, "outcome" | "detail">): void {
    this.#audit.record({
      id: randomUUID(),
      at: new Date().toISOString(),
      toolCallId: "",
      tool: method,
      caller: "person",
      arguments: isObject(params) && whyTooLarge(params) === undefined ? params : {},
      ...what,
    });
  }
}
