/** Questions to the person about dangerous calls that are not edits. A question is a notification, the answer a request. */
import { randomUUID } from "node:crypto";
import type { Approval, ToolCall } from "../protocol/shapes.ts";
import type { ApprovalDecision } from "./approval-decision.ts";
import type { CallContext } from "./executor.ts";
import type { Tool } from "./tool.ts";
import { given } from "../given.ts";

export interface ApprovalPorts {
  /** Whether the client announced that it shows approvals; nobody can be asked otherwise. */
  readonly canAsk: () => boolean;
  readonly onApproval: (approval: Approval) => void;
  readonly onApprovalChanged: (approvalId: string, state: "answered" | "withdrawn") => void;
  /** The person wants the turn of that conversation to end after the answer. */
  readonly onStopRequested: (sessionId: string) => void;
}

export interface AnswerOptions {
  /** An approval also stands for later calls of the same tool with the same arguments in that conversation. */
  readonly isForSession?: boolean;
  readonly stops?: boolean;
}

interface Pending {
  readonly question: Omit<Approval, "approvalId">;
  readonly answer: (decision: ApprovalDecision) => void;
}

/** A tool's description is written for the model; the person reads what the call may do. */
const RISK = "It runs with all of your rights: it may write any file, start programs and use the network, as you can.";

export class Approvals {
  readonly #ports: ApprovalPorts;
  readonly #pending = new Map<string, Pending>();
  /** Calls that the person approved for the rest of a conversation. */
  readonly #remembered = new Set<string>();

  constructor(ports: ApprovalPorts) {
    this.#ports = ports;
  }

  canAsk(): boolean {
    return this.#ports.canAsk();
  }

  async ask(call: ToolCall, tool: Tool, context: CallContext): Promise<ApprovalDecision> {
    if (!this.canAsk()) {
      return { decision: "denied", because: "this editor cannot show approvals, so nobody could be asked." };
    }
    if (context.sessionId !== undefined && this.#remembered.has(keyOf(context.sessionId, tool.name, call.arguments))) {
      return { decision: "approved", because: "not asked again: the same call was approved for this conversation" };
    }
    const decision = await this.put(
      {
        ...given({ sessionId: context.sessionId }),
        toolCallId: call.id,
        tool: tool.name,
        arguments: call.arguments,
        why: `${tool.name} is ${tool.safety}: it runs only when you approve it.`,
        risk: RISK,
      },
      context.signal,
    );
    return decision ?? { decision: "denied", because: "the call was cancelled before the person answered." };
  }

  /** Answers undefined when `signal` took the question back before anybody answered. */
  async put(question: Omit<Approval, "approvalId">, signal: AbortSignal): Promise<ApprovalDecision | undefined> {
    if (signal.aborted) return undefined;
    const approvalId = randomUUID();
    const { promise, resolve } = Promise.withResolvers<ApprovalDecision | undefined>();
    this.#pending.set(approvalId, { question, answer: resolve });
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
  answer(approvalId: string, decision: ApprovalDecision, options: AnswerOptions = {}): boolean {
    const pending = this.#pending.get(approvalId);
    if (pending === undefined) return false;
    this.#pending.delete(approvalId);
    const { sessionId, tool, arguments: args } = pending.question;
    if (sessionId !== undefined) {
      if (options.isForSession === true && decision.decision === "approved") {
        this.#remembered.add(keyOf(sessionId, tool, args));
      }
      if (options.stops === true) this.#ports.onStopRequested(sessionId);
    }
    pending.answer(decision);
    this.#ports.onApprovalChanged(approvalId, "answered");
    return true;
  }
}

/** The same key for the same arguments in any order. */
function keyOf(sessionId: string, tool: string, args: unknown): string {
  return JSON.stringify([sessionId, tool, args], (_key, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
