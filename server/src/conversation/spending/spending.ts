/** What requests to models take: each is written down when it is counted, and none is sent that the person's budget forbids. */
import { given } from "../../base/given.ts";
import { ModelFailure, type ModelEvent, type ModelRequest, type ModelUsage } from "../../model/model-port.ts";
import type { Model } from "../../model/models.ts";
import { costOf, PRICES_AS_OF, type Nanos } from "../../model/prices.ts";
import type { ModelMetrics, Spend, Spending as Told } from "../../protocol/spend-shapes.ts";
import { RememberedUsage, type UsageLog, type UsageScope, type UsageSum } from "../../storage/usage-rows.ts";
import type { RequestWatch } from "../../telemetry/telemetry.ts";
import { Budgets, midnight, type BudgetPorts, type Place } from "./budgets.ts";
import { ModelCounts } from "./model-counts.ts";

export interface SpendingPorts extends Omit<BudgetPorts, "spent" | "isCounted"> {
  /** The conversation and the turn to which a conversation's requests count; undefined for its own. */
  readonly countsTo: (sessionId: string) => { readonly sessionId: string; readonly turnId: string } | undefined;
  /** The newest turn of a conversation. */
  readonly newestTurn: (sessionId: string) => string | undefined;
  /** Who else looks on at a request of the conversation. */
  readonly watch?: (model: Model, sessionId: string, request: ModelRequest) => RequestWatch | undefined;
  readonly logBug: (error: unknown) => void;
}

export interface CountedTurn {
  readonly sessionId: string;
  readonly turnId: string;
  /** Nobody is asked: what a budget forbids is not sent. */
  readonly isQuiet?: true;
}

export class Spending {
  readonly #ports: SpendingPorts;
  readonly #budgets: Budgets;
  readonly #counts = new ModelCounts();
  #log: UsageLog = new RememberedUsage();
  /** What was spent before cannot be read any more. */
  #isLost = false;

  constructor(ports: SpendingPorts) {
    this.#ports = ports;
    this.#budgets = new Budgets({
      ...ports,
      spent: (scope) => this.#sum(scope).cost,
      isCounted: () => !this.#isLost,
    });
  }

  /** From now on what is spent outlives the server. */
  keepIn(log: UsageLog): void {
    this.#log = log;
  }

  /** The model, whose requests are counted to the turn. */
  metered(model: Model, turn: CountedTurn): Model {
    const { sessionId, turnId } = this.#ports.countsTo(turn.sessionId) ?? turn;
    const place = { session: turn.sessionId, root: sessionId, rootTurn: turnId, ...given({ isQuiet: turn.isQuiet }) };
    const stream = (request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> =>
      this.#stream(model, place, request, signal);
    return { ...model, port: { ...model.port, stream } };
  }

  /** What a `usage` event says of money: the request that was just counted, and its conversation. */
  costs(model: Model, usage: ModelUsage, sessionId: string): { readonly cost?: number; readonly sessionCost?: number } {
    const cost = model.prices && costOf(usage, model.prices);
    const { cost: sum, unpriced } = this.#sum({ root: this.#ports.countsTo(sessionId)?.sessionId ?? sessionId });
    return given({
      cost: cost === undefined ? undefined : cost / 1e9,
      sessionCost: unpriced.length > 0 ? undefined : sum / 1e9,
    });
  }

  tell(sessionId: string | undefined): Told {
    const turn = sessionId === undefined ? undefined : this.#ports.newestTurn(sessionId);
    return {
      ...given({
        turn: turn === undefined ? undefined : toSpend(this.#sum({ rootTurn: turn })),
        session: sessionId === undefined ? undefined : toSpend(this.#sum({ root: sessionId })),
      }),
      day: toSpend(this.#sum({ since: midnight() })),
      budget: this.#ports.budget,
      pricesAsOf: PRICES_AS_OF,
    };
  }

  metrics(): ModelMetrics {
    return this.#counts.report();
  }

  async *#stream(model: Model, place: Place, request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    const { maxTokens, release } = await this.#budgets.admit(model, place, request, signal);
    const began = performance.now();
    const clock = (): number => performance.now() - began;
    let counted: ModelUsage | undefined;
    let isFirst = true;
    const watch = this.#ports.watch?.(model, place.session, { ...request, maxTokens });
    let end = (): void => watch?.failed(undefined);
    this.#counts.sent();
    try {
      for await (const event of model.port.stream({ ...request, maxTokens }, signal)) {
        if (event.kind === "counted") {
          counted = event.usage;
          continue;
        }
        if (event.kind === "retrying") {
          this.#counts.retried();
          watch?.retried(event.attempt);
          counted = this.#took(model, place, counted);
        } else if (event.kind === "done") {
          counted = this.#took(model, place, event.usage);
          this.#budgets.counted(request, event.usage);
          this.#counts.replied(clock());
          end = () => watch?.replied(event);
        } else if (isFirst) {
          isFirst = false;
          this.#counts.firstPiece(clock());
        }
        yield event;
      }
    } catch (error) {
      if (!signal.aborted) {
        this.#counts.failed(error instanceof ModelFailure ? error.kind : "other");
        end = () => watch?.failed(error);
      }
      throw error;
    } finally {
      // The tokens that were counted are paid for, also of a reply that was cut.
      this.#took(model, place, counted);
      release();
      end();
    }
  }

  #took(model: Model, place: Place, usage: ModelUsage | undefined): undefined {
    if (usage === undefined) return;
    const cost = model.prices && costOf(usage, model.prices);
    this.#counts.took(usage, cost);
    const { session, root, rootTurn } = place;
    const { cacheWrite1hTokens, isEstimate: _, ...tokens } = usage;
    const asked = { session, root, rootTurn, model: model.name, place: model.place };
    const price = { cost, pricesAsOf: model.prices?.asOf };
    const row = { ...asked, at: new Date().toISOString(), ...tokens, cacheWrite1hTokens, ...price };
    this.#try((log) => log.add(row));
  }

  #sum(scope: UsageScope): UsageSum {
    return this.#try((log) => log.sum(scope));
  }

  /**
   * A disk that fails does not stop a turn: from then on this server counts in memory, and asks before it goes on
   * under a budget.
   */
  #try<Value>(use: (log: UsageLog) => Value): Value {
    try {
      return use(this.#log);
    } catch (error) {
      this.#ports.logBug(error);
      this.#isLost = true;
      this.#log = new RememberedUsage();
      return use(this.#log);
    }
  }
}

function toSpend({ cost, unpriced, ...tokens }: UsageSum): Spend {
  const nanos: Nanos = cost;
  return { ...tokens, cost: nanos / 1e9, ...(unpriced.length === 0 ? {} : { unpriced }) };
}
