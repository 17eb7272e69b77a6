/** What a person hears of their budgets. Pure. */
import { dollars, type Nanos } from "../../model/prices.ts";
import type { Approval } from "../../protocol/shapes.ts";

/** A limit that a request might pass. */
export interface Limit {
  readonly scope: "turn" | "session" | "day";
  readonly budget: Nanos;
  /** With what requests that still run may take. */
  readonly spent: Nanos;
}

export type Question = Omit<Approval, "approvalId" | "sessionId">;

const SCOPES = { turn: "this turn", session: "this conversation", day: "today" } as const;

export function limitQuestion({ scope, budget, spent }: Limit, most: Nanos, step: Nanos): Question {
  return {
    tool: "budget",
    arguments: {},
    question: `Of the ${dollars(budget)} for ${SCOPES[scope]}, ${dollars(spent)} are spent, and the next request may cost up to ${dollars(most)}. Go on, with ${dollars(step)} more?`,
    why: `The setting budget.${scope} stops a turn before a request that might pass it.`,
    risk: "Requests to the model cost money.",
    answers: { approved: "Go on", denied: "End the turn" },
  };
}

export function limitSentence({ scope, budget, spent }: Limit, most: Nanos): string {
  return `The budget for ${SCOPES[scope]} (${dollars(budget)}) allows no further request: ${dollars(spent)} are spent, and the next one may cost up to ${dollars(most)}. Say "go on" to be asked, or change the setting budget.${scope}.`;
}

export function unpricedQuestion(model: string, place: string): Question {
  return {
    tool: "budget",
    arguments: {},
    question: `Nobody knows what ${model} costs at ${place}, so your budget cannot be held. Go on without?`,
    why: "A setting budget is there, and no price for this model.",
    risk: "Requests to the model may cost money, and nothing stops them.",
    answers: { approved: "Go on", denied: "End the turn" },
  };
}

export function unpricedSentence(model: string): string {
  return `No request was sent: nobody knows what ${model} costs, so the budget cannot be held. Name its price in the setting prices, or take the setting budget away.`;
}
