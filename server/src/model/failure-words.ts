/** What went wrong with a request, whether another try is worth it, and what the person can do. */
import { APIConnectionError, APIError } from "@anthropic-ai/sdk";
import { errorText } from "../protocol/errors.ts";
import type { Link } from "./link.ts";
import { ModelFailure, TooLong } from "./model-port.ts";
import { adviceForStatus, type RetryAdvice } from "./retry.ts";
import { isTooLong, windowIn } from "./too-long.ts";
import { StalledReply } from "./watched-reply.ts";

interface FailureAdvice extends RetryAdvice {
  /** The server did not accept the key. */
  readonly isKey?: boolean;
}

export function adviceFor(error: unknown): FailureAdvice {
  if (error instanceof StalledReply) return { retry: true, reason: error.message };
  if (error instanceof APIConnectionError) {
    const cause = error.cause instanceof Error ? `: ${error.cause.message}` : "";
    return { retry: true, reason: `no connection to the model${cause}` };
  }
  if (error instanceof APIError) {
    const headers = error.headers as Headers | undefined;
    const status = error.status as number | undefined;
    if (status !== undefined && status >= 300 && status < 400) {
      const place = headers?.get("location") ?? "another address";
      return { retry: false, reason: `${status}: a redirect to ${place}, which is not followed` };
    }
    if (status !== undefined) {
      return { ...adviceForStatus(status, error.apiMessage ?? error.message, headers), isKey: status === 401 };
    }
    // An `error` event in the middle of a stream has no status, only a type.
    const type = error.type ?? "";
    const retry = ["overloaded_error", "api_error", "rate_limit_error", "timeout_error"].includes(type);
    return { retry, reason: `${type || "stream error"}: ${error.apiMessage ?? error.message}` };
  }
  // What a broken stream throws differs by platform and version; each means the reply did not arrive whole.
  return { retry: true, reason: `the reply was cut (${errorText(error)})` };
}

export function failureOf(advice: RetryAdvice, { place, keyRemedy }: Pick<Link, "place" | "keyRemedy">): ModelFailure {
  const { reason } = advice;
  if (reason.startsWith("401")) {
    return new ModelFailure(`${place} did not accept the key (${reason}). ${keyRemedy}`.trim());
  }
  const words = `${place} refused the request (${reason}).`;
  return isTooLong(reason) ? new TooLong(words, windowIn(reason)) : new ModelFailure(words);
}
