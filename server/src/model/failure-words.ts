/** What went wrong with a request, whether another try is worth it, and what the person can do. */
import { APIConnectionError, APIError } from "@anthropic-ai/sdk";
import { errorText } from "../base/errors.ts";
import type { Link } from "./link.ts";
import { ModelFailure, TooLong, type FailureKind } from "./model-port.ts";
import { adviceForStatus, type RetryAdvice } from "./retry.ts";
import { isTooLong, windowIn } from "./too-long.ts";
import { StalledReply } from "./watched-reply.ts";

export interface FailureAdvice extends RetryAdvice {
  /** The server did not accept the key. */
  readonly isKey?: boolean;
  /** The request did not get past the proxy. */
  readonly isProxy?: boolean;
}

/** By the type of an `error` event. */
const KINDS: Readonly<Record<string, FailureKind>> = {
  overloaded_error: "overloaded",
  rate_limit_error: "rateLimit",
  authentication_error: "key",
  permission_error: "key",
  invalid_request_error: "refused",
};
/** What a proxy said that let a request for a tunnel not through. */
const NO_TUNNEL = /Proxy response \((\d+)\)/;

export function adviceFor(error: unknown, { proxy }: Pick<Link, "proxy">): FailureAdvice {
  if (error instanceof StalledReply) return { retry: true, reason: error.message, kind: "stalled" };
  if (error instanceof APIConnectionError) return adviceForConnection(deepest(error), proxy);
  if (error instanceof APIError) {
    const headers = error.headers as Headers | undefined;
    const status = error.status as number | undefined;
    if (status !== undefined && status >= 300 && status < 400) {
      const place = headers?.get("location") ?? "another address";
      return { retry: false, reason: `${status}: a redirect to ${place}, which is not followed`, kind: "redirect" };
    }
    if (status !== undefined) {
      return { ...adviceForStatus(status, error.apiMessage ?? error.message, headers), isKey: status === 401 };
    }
    // An `error` event in the middle of a stream has no status, only a type.
    const type = error.type ?? "";
    const retry = ["overloaded_error", "api_error", "rate_limit_error", "timeout_error"].includes(type);
    const kind = KINDS[type] ?? "server";
    return { retry, reason: `${type || "stream error"}: ${error.apiMessage ?? error.message}`, kind };
  }
  // What a broken stream throws differs by platform and version; each means the reply did not arrive whole.
  return { retry: true, reason: `the reply was cut (${errorText(error)})`, kind: "cut" };
}

function adviceForConnection(cause: Error, proxy: string | undefined): FailureAdvice {
  const [, status] = NO_TUNNEL.exec(cause.message) ?? [];
  if (status !== undefined) {
    const reason = `the proxy ${proxy ?? ""} answered ${status} where a way to the model was asked for`;
    return { retry: Number(status) >= 500, reason, kind: "proxy", isProxy: true };
  }
  const way = proxy === undefined ? "" : ` by way of the proxy ${proxy}`;
  return { retry: true, reason: `no connection to the model${way}: ${cause.message}`, kind: "network" };
}

/** "fetch failed" says nothing; what it came of does. */
function deepest(error: Error): Error {
  return error.cause instanceof Error ? deepest(error.cause) : error;
}

export function failureOf(
  advice: FailureAdvice,
  { place, keyRemedy }: Pick<Link, "place" | "keyRemedy">,
): ModelFailure {
  const { reason, isProxy, kind } = advice;
  if (isProxy === true) {
    return new ModelFailure(
      `${place} cannot be reached: ${reason}. Look at HTTPS_PROXY, with the name and password that the proxy may want, and NO_PROXY in the editor's environment.`,
      kind,
    );
  }
  if (reason.startsWith("401")) {
    return new ModelFailure(`${place} did not accept the key (${reason}). ${keyRemedy}`.trim(), kind);
  }
  const words = `${place} refused the request (${reason}).`;
  return isTooLong(reason) ? new TooLong(words, windowIn(reason)) : new ModelFailure(words, kind);
}
