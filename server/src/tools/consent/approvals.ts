/** Questions to the person about dangerous calls that are not edits. A question is a notification, the answer a request. */
import { randomUUID } from "node:crypto";
import type { SafetyLevel } from "../../protocol/shapes.ts";
import type { Approval, ToolCall } from "../../protocol/tool-shapes.ts";
import type { ApprovalDecision } from "./approval-decision.ts";
import type { CallContext } from "../run/call-record.ts";
import type { RememberedCalls } from "./remembered-calls.ts";
import type { Tool } from "../tool.ts";
import { given } from "../../base/given.ts";
import { capitalized } from "../../base/capitalized.ts";

export interface ApprovalPorts {
  /** Whether the client announced that it shows approvals; nobody can be asked otherwise. */
  readonly canAsk: () => boolean;
  /** Why they cannot, as the end of a sentence with its full stop. */
  readonly whyNobody?: string | undefined;
  readonly onApproval: (approval: Approval) => void;
  readonly onApprovalChanged: (approvalId: string, state: "answered" | "withdrawn") => void;
  /** The person wants the turn of that conversation to end after the answer. */
  readonly onStopRequested: (sessionId: string) => void;
  /** Calls that the person approved for more than once. */
  readonly remembered: Pick<RememberedCalls, "scopeOf" | "remember">;
}

export interface AnswerOptions {
  /** For so long an approval also lets later calls of the same tool with the same arguments run. */
  readonly remember?: "session" | "workspace";
  readonly stops?: boolean;
}

/** As the person gets it, without its id. */
export type Question = Omit<Approval, "approvalId">;

interface Pending {
  readonly question: Question;
  readonly remember: ((scope: "session" | "workspace") => void) | undefined;
  readonly answer: (decision: ApprovalDecision) => void;
}

/** A tool's description is written for the model; the person reads what the call may do. */
const RISKS: Readonly<Record<SafetyLevel, string>> = {
  safe: "It only looks: it changes nothing, and the model reads the answer.",
  cautious: "It may run the project's code and change the state of the REPL, within the confinement.",
  dangerous: "It runs with all of your rights: it may write any file, start programs and use the network, as you can.",
};

const IN_EDITORS = "this editor cannot show approvals, so nobody could be asked.";

const REMEMBERED = { session: "for this conversation", workspace: "for this project" } as const;

export class Approvals {
  readonly #ports: ApprovalPorts;
  readonly #pending = new Map<string, Pending>();

  constructor(ports: ApprovalPorts) {
    this.#ports = ports;
  }

  canAsk(): boolean {
    return this.#ports.canAsk();
  }

  /** `because` is why the person is asked, where it is not the safety of the tool. */
  async ask(call: ToolCall, tool: Tool, context: CallContext, because?: string): Promise<ApprovalDecision> {
    const { sessionId } = context;
    const approved = { ...given({ sessionId }), tool: tool.name, arguments: call.arguments };
    const scope = this.#ports.remembered.scopeOf(approved);
    if (scope !== undefined) {
      return { decision: "approved", because: `not asked again: the same call was approved ${REMEMBERED[scope]}` };
    }
    if (!this.canAsk()) {
      return { decision: "denied", because: this.#ports.whyNobody ?? IN_EDITORS };
    }
    const safety = tool.safetyOf?.(call.arguments) ?? tool.safety;
    const decision = await this.put(
      {
        ...approved,
        toolCallId: call.id,
        why:
          because === undefined
            ? `${tool.name} is ${safety}: it runs only when you approve it.`
            : `${capitalized(because)}: ${tool.name} runs only when you approve it.`,
        risk: RISKS[safety],
      },
      context.signal,
    );
    return decision ?? { decision: "denied", because: "the call was cancelled before the person answered." };
  }

  /**
   * Answers undefined when `signal` took the question back before anybody answered. `onRemember` hears that a yes is to hold
   * for longer, before the answer; without it only what belongs to a call is remembered.
   */
  async put(
    question: Question,
    signal: AbortSignal,
    onRemember?: (scope: "session" | "workspace") => void,
  ): Promise<ApprovalDecision | undefined> {
    if (signal.aborted) return undefined;
    const approvalId = randomUUID();
    const { promise, resolve } = Promise.withResolvers<ApprovalDecision | undefined>();
    const ofCall = (scope: "session" | "workspace"): void => this.#ports.remembered.remember(scope, question);
    // What belongs to no call, such as the question for an open REPL, is asked each time.
    const remember = onRemember ?? (question.toolCallId === undefined ? undefined : ofCall);
    this.#pending.set(approvalId, { question, remember, answer: resolve });
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

  /** For what belongs to no call. False where nobody can be asked. Never rejects. */
  async agrees(question: Question, signal: AbortSignal): Promise<boolean> {
    return this.canAsk() && (await this.put(question, signal))?.decision === "approved";
  }

  /** False when there is no such open question (answered already, or withdrawn). */
  answer(approvalId: string, decision: ApprovalDecision, options: AnswerOptions = {}): boolean {
    const pending = this.#pending.get(approvalId);
    if (pending === undefined) return false;
    this.#pending.delete(approvalId);
    const { sessionId } = pending.question;
    if (options.remember !== undefined && decision.decision === "approved") pending.remember?.(options.remember);
    if (sessionId !== undefined && options.stops === true) this.#ports.onStopRequested(sessionId);
    pending.answer(decision);
    this.#ports.onApprovalChanged(approvalId, "answered");
    return true;
  }
}
