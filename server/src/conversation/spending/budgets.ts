/**
 * Budgets hold before a request is sent: what the request can cost at most is known, since its reply gets no longer than
 * what is left allows.
 */
import { OverBudget, type ModelRequest, type ModelUsage } from "../../model/model-port.ts";
import type { Model } from "../../model/models.ts";
import { affordableReply, mostCost, type ModelPrices, type Nanos } from "../../model/prices.ts";
import { USUAL_TOKENS } from "../../model/request-body.ts";
import type { UsageScope } from "../../storage/usage-rows.ts";
import {
  limitQuestion,
  limitSentence,
  unheldWords,
  type Limit,
  type Question,
  type UnheldWords,
} from "./budget-words.ts";
import { PromptBounds } from "./prompt-bound.ts";

/** The conversation and the turn of a request, and those whose budgets it uses. */
export interface Place {
  readonly session: string;
  readonly root: string;
  readonly rootTurn: string;
  /** Nobody is asked. */
  readonly isQuiet?: true;
}

export interface BudgetPorts {
  /** In dollars. */
  readonly budget: { readonly turn?: number; readonly session?: number; readonly day?: number };
  readonly spent: (scope: UsageScope) => Nanos;
  /** Whether `spent` knows everything. */
  readonly isCounted: () => boolean;
  /** Asks the person. Never rejects; false where nobody can be asked, and once the signal aborts. */
  readonly ask: (question: Question & { readonly sessionId: string }, signal: AbortSignal) => Promise<boolean>;
}

export interface Admitted {
  /** How long the reply may be. */
  readonly maxTokens: number | undefined;
  /** To be called when the request is over. */
  readonly release: () => void;
}

/** A shorter reply is worth nothing. */
const LEAST_REPLY = 2_000;
const SCOPES = ["turn", "session", "day"] as const;
type Scope = (typeof SCOPES)[number];

export class Budgets {
  readonly #ports: BudgetPorts;
  readonly #bounds = new PromptBounds();
  /** What requests that run now may cost. */
  readonly #running = new Map<symbol, { readonly place: Place; readonly most: Nanos }>();
  /** What the person has added, by scope and what the scope is of. */
  readonly #added = new Map<string, Nanos>();
  /** Conversations that go on without a budget, with what the reason is about. */
  readonly #unheld = new Set<string>();

  constructor(ports: BudgetPorts) {
    this.#ports = ports;
  }

  counted(request: ModelRequest, usage: ModelUsage): void {
    this.#bounds.counted(request, usage);
  }

  /** Throws `OverBudget` where the request must not be sent. */
  async admit(model: Model, place: Place, request: ModelRequest, signal: AbortSignal): Promise<Admitted> {
    const { maxTokens } = request;
    const unlimited = { maxTokens, release: () => undefined };
    if (SCOPES.every((scope) => this.#ports.budget[scope] === undefined)) return unlimited;
    const { prices } = model;
    // Only a look tells whether what was spent can be read.
    this.#tightest(place);
    const words = unheldWords(model, this.#ports.isCounted());
    if (prices === undefined || words !== undefined) {
      if (words !== undefined) await this.#unheldOn(words, place, signal);
      return unlimited;
    }
    const longest = Math.min(maxTokens ?? Infinity, await longestReply(model, signal));
    const prompt = this.#bounds.of(request);
    for (;;) {
      const limit = this.#tightest(place);
      const affordable = affordableReply(limit.budget - limit.spent, prompt, prices);
      if (affordable >= Math.min(LEAST_REPLY, longest)) {
        // Far from the limit the request stays as it is: a model's thinking may be measured by it.
        const allowed = affordable >= longest ? maxTokens : affordable;
        const most = mostCost(prompt, Math.min(affordable, longest), prices);
        return { maxTokens: allowed, release: this.#reserve(place, most) };
      }
      await this.#askForMore(limit, place, leastCost(prompt, longest, prices), signal);
    }
  }

  #reserve(place: Place, most: Nanos): () => void {
    const key = Symbol("request");
    this.#running.set(key, { place, most });
    return () => void this.#running.delete(key);
  }

  async #unheldOn({ key, question, sentence }: UnheldWords, place: Place, signal: AbortSignal): Promise<void> {
    const known = `${place.root} ${key}`;
    if (this.#unheld.has(known)) return;
    const isOn = await this.#ask(question, place, signal);
    signal.throwIfAborted();
    if (!isOn) throw new OverBudget(sentence);
    this.#unheld.add(known);
  }

  async #askForMore(limit: Limit, place: Place, most: Nanos, signal: AbortSignal): Promise<void> {
    const { scope } = limit;
    const own = nanos(this.#ports.budget[scope] ?? 0);
    // One yes is enough for the request that is asked about.
    const step = own * Math.max(1, Math.ceil((limit.spent + most - limit.budget) / own));
    const isOn = await this.#ask(limitQuestion(limit, most, step), place, signal);
    signal.throwIfAborted();
    if (!isOn) throw new OverBudget(limitSentence(limit, most));
    const key = keyOf(scope, place);
    this.#added.set(key, (this.#added.get(key) ?? 0) + step);
  }

  async #ask(question: Question, { session, isQuiet }: Place, signal: AbortSignal): Promise<boolean> {
    return isQuiet !== true && (await this.#ports.ask({ ...question, sessionId: session }, signal));
  }

  /** The limit with the least left. */
  #tightest(place: Place): Limit {
    const limits = SCOPES.flatMap((scope): Limit[] => {
      const budget = this.#ports.budget[scope];
      if (budget === undefined) return [];
      const added = this.#added.get(keyOf(scope, place)) ?? 0;
      return [{ scope, budget: nanos(budget) + added, spent: this.#spent(scope, place) }];
    });
    return limits.reduce((least, each) => (each.budget - each.spent < least.budget - least.spent ? each : least));
  }

  #spent(scope: Scope, { root, rootTurn }: Place): Nanos {
    const of = { turn: { rootTurn }, session: { root }, day: { since: midnight() } }[scope];
    const isOfScope = (running: Place): boolean =>
      scope === "day" || (scope === "turn" ? running.rootTurn === rootTurn : running.root === root);
    const running = [...this.#running.values()].filter(({ place }) => isOfScope(place));
    return running.reduce((sum, { most }) => sum + most, this.#ports.spent(of));
  }
}

/** What a request gets where the person's settings say nothing. */
async function longestReply({ port, name }: Model, signal: AbortSignal): Promise<number> {
  return (await port.about(name, signal))?.maxTokens ?? USUAL_TOKENS;
}

function leastCost(prompt: number, longest: number, prices: ModelPrices): Nanos {
  return mostCost(prompt, Math.min(LEAST_REPLY, longest), prices);
}

function keyOf(scope: Scope, { root, rootTurn }: Place): string {
  return scope === "day" ? `day ${midnight()}` : scope === "turn" ? `turn ${rootTurn}` : `session ${root}`;
}

/** When the person's day began. */
export function midnight(): string {
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate()).toISOString();
}

function nanos(dollars: number): Nanos {
  return Math.round(dollars * 1e9);
}
