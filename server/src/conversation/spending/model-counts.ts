/** Counts of requests to models since the server began. */
import type { FailureKind, ModelUsage } from "../../model/model-port.ts";
import type { ModelMetrics } from "../../protocol/spend-shapes.ts";
import { quantile } from "../../base/quantile.ts";

const KEPT = 1_000;

export class ModelCounts {
  readonly #usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  readonly #first: number[] = [];
  readonly #whole: number[] = [];
  #requests = 0;
  #retries = 0;
  readonly #failures = new Map<FailureKind, number>();
  #nanos = 0;

  sent(): void {
    this.#requests += 1;
  }

  retried(): void {
    this.#requests += 1;
    this.#retries += 1;
  }

  failed(kind: FailureKind): void {
    this.#failures.set(kind, (this.#failures.get(kind) ?? 0) + 1);
  }

  firstPiece(ms: number): void {
    keep(this.#first, ms);
  }

  replied(ms: number): void {
    keep(this.#whole, ms);
  }

  took(usage: ModelUsage, nanos: number | undefined): void {
    this.#usage.inputTokens += usage.inputTokens;
    this.#usage.outputTokens += usage.outputTokens;
    this.#usage.cacheReadTokens += usage.cacheReadTokens;
    this.#usage.cacheWriteTokens += usage.cacheWriteTokens;
    this.#nanos += nanos ?? 0;
  }

  report(): ModelMetrics {
    return {
      requests: this.#requests,
      retries: this.#retries,
      failures: [...this.#failures.values()].reduce((sum, count) => sum + count, 0),
      ...(this.#failures.size === 0 ? {} : { failuresByKind: Object.fromEntries(this.#failures) }),
      ...this.#usage,
      cost: this.#nanos / 1e9,
      ...(this.#first.length === 0 ? {} : { firstPieceMs: timesOf(this.#first) }),
      ...(this.#whole.length === 0 ? {} : { replyMs: timesOf(this.#whole) }),
    };
  }
}

function keep(values: number[], value: number): void {
  values.push(Math.round(value));
  if (values.length > KEPT) values.shift();
}

function timesOf(values: readonly number[]): NonNullable<ModelMetrics["replyMs"]> {
  const sorted = values.toSorted((a, b) => a - b);
  return { count: sorted.length, median: quantile(sorted, 0.5), p95: quantile(sorted, 0.95) };
}
