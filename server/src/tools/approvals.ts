/** Questions to the person about dangerous calls that are not edits. A question is a notification, the answer a request. */
import { randomUUID } from "node:crypto";
import type { Approval, ToolCall } from "../protocol/shapes.ts";
import type { ApprovalDecision, CallContext } from "./executor.ts";
import type { Tool } from "./tool.ts";

export interface ApprovalPorts {
  /** Whether the client announced that it shows approvals; nobody can be asked otherwise. */
  readonly canAsk: () => boolean;
  readonly onApproval: (approval: Approval) => void;
  readonly onApprovalChanged: (approvalId: string, state: "answered" | "withdrawn") => void;
}

export class Approvals {
  readonly #ports: ApprovalPorts;
  readonly #pending = new Map<string, (decision: ApprovalDecision) => void>();

  constructor(ports: ApprovalPorts) {
    this.#ports = ports;
  }

  canAsk(): boolean {
    return this.#ports.canAsk();
  }

  async ask(call: ToolCall, tool: Tool, context: CallContext): Promise<ApprovalDecision> {
    if (!this.canAsk()) {
      return { decision: "denied", message: "This editor cannot show approvals, so nobody could be asked." };
    }
    const decision = await this.put(
      {
        ...(context.sessionId === undefined ? {} : { sessionId: context.sessionId }),
        toolCallId: call.id,
        tool: tool.name,
        arguments: call.arguments,
        why: `${tool.name} is ${tool.safety}: it runs only when you approve it.`,
        risk: tool.description,
      },
      context.signal,
    );
    return decision ?? { decision: "denied", message: "The turn was cancelled." };
  }

  /** Undefined when `signal` took the question back before it was answered. */
  async put(question: Omit<Approval, "approvalId">, signal: AbortSignal): Promise<ApprovalDecision | undefined> {
    if (signal.aborted) return undefined;
    const approvalId = randomUUID();
    const { promise, resolve } = Promise.withResolvers<ApprovalDecision | undefined>();
    this.#pending.set(approvalId, resolve);
    const withdraw = (): void => {
      if (!this.#pending.delete(approvalId)) return;
      this.#ports.onApprovalChanged(approvalId, "withdrawn");
      resolve(undefined);
    };
    signal.addEventListener("abort", withdraw, { once: true });
    this.#ports.onApproval({ approvalId, ...question });
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", withdraw);
    }
  }

  /** False when there is no such open question (answered already, or withdrawn). */
  answer(approvalId: string, decision: ApprovalDecision): boolean {
    const pending = this.#pending.get(approvalId);
    if (pending === undefined) return false;
    this.#pending.delete(approvalId);
    pending(decision);
    this.#ports.onApprovalChanged(approvalId, "answered");
    return true;
  }
}
