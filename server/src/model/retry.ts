/**
 * Which failures of a model request are worth another try, and how long to wait. The SDK's own retries are off: they show no wait
 * and end with the first byte, while these are announced and also ask again for a stream that was cut in the middle.
 */
import { given } from "../base/given.ts";
import type { FailureKind } from "./model-port.ts";

export interface RetryAdvice {
  readonly retry: boolean;
  /** From the server's `retry-after`, when it gave one. */
  readonly waitMs?: number;
  readonly reason: string;
  readonly kind: FailureKind;
}

export const MAX_ATTEMPTS = 6;
const BASE_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;

export function adviceForStatus(status: number, message: string, headers: Headers | undefined): RetryAdvice {
  const reason = `${status}: ${message}`;
  const retry = status === 408 || status === 409 || status === 429 || status >= 500;
  const waitMs = retryAfterMs(headers);
  return { retry, reason, kind: kindOfStatus(status), ...given({ waitMs }) };
}

function kindOfStatus(status: number): FailureKind {
  if (status === 401 || status === 403) return "key";
  if (status === 429) return "rateLimit";
  if (status === 529) return "overloaded";
  return status >= 500 ? "server" : "refused";
}

/** Exponential with jitter, from the second attempt's wait of about a second; never above a minute. */
export function waitBefore(attempt: number, advice: RetryAdvice, random: () => number = Math.random): number {
  if (advice.waitMs !== undefined) return Math.min(advice.waitMs, MAX_WAIT_MS);
  const exponential = BASE_WAIT_MS * 2 ** (attempt - 1);
  return Math.round(Math.min(exponential, MAX_WAIT_MS) * (0.75 + 0.5 * random()));
}

function retryAfterMs(headers: Headers | undefined): number | undefined {
  const milliseconds = Number.parseFloat(headers?.get("retry-after-ms") ?? "");
  if (Number.isFinite(milliseconds)) return Math.max(0, milliseconds);
  const header = headers?.get("retry-after") ?? undefined;
  if (header === undefined) return undefined;
  const seconds = Number.parseFloat(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
