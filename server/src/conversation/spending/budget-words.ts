/** What a person hears of their budgets. Pure. */
import type { Model } from "../../model/models.ts";
import { dollars, type Nanos } from "../../model/prices.ts";
import type { Approval } from "../../protocol/tool-shapes.ts";
import { capitalized } from "../../base/capitalized.ts";

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

/** Why a budget cannot be held, as a question and as the end of a turn. */
export interface UnheldWords {
  /** What the reason is about: the person is asked once about each. */
  readonly key: string;
  readonly question: Question;
  readonly sentence: string;
}

/** Undefined where the budget can be held. */
export function unheldWords(
  model: Pick<Model, "name" | "place" | "prices">,
  isCounted: boolean,
): UnheldWords | undefined {
  const { name, place, prices } = model;
  if (prices !== undefined && isCounted) return undefined;
  const reason = isCounted
    ? `nobody knows what ${name} costs at ${place}`
    : "what was spent before cannot be read from the disk";
  const remedy = isCounted ? "Name its price in the setting prices" : "Restart the server";
  return {
    key: isCounted ? `${place} ${name}` : "disk",
    question: {
      tool: "budget",
      arguments: {},
      question: `${capitalized(reason)}, so your budget cannot be held. Go on without?`,
      why: "A setting budget is there, and cannot be held.",
      risk: "Requests to the model may cost money, and nothing stops them.",
      answers: { approved: "Go on", denied: "End the turn" },
    },
    sentence: `No request was sent: ${reason}, so the budget cannot be held. ${remedy}, or take the setting budget away.`,
  };
}
