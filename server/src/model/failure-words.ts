/** What went wrong with a request, whether another try is worth it, and what the person can do. */
import { APIConnectionError, APIError } from "@anthropic-ai/sdk";
import { errorText } from "../protocol/errors.ts";
import type { Link } from "./link.ts";
import { adviceForStatus, type RetryAdvice } from "./retry.ts";
import { StalledReply } from "./watched-reply.ts";

export interface FailureAdvice extends RetryAdvice {
  /** The server did not accept the key. */
  readonly isKey?: boolean;
  /** The request did not get past the proxy. */
  readonly isProxy?: boolean;
}

/** What a proxy said that let a request for a tunnel not through. */
const NO_TUNNEL = /Proxy response \((\d+)\)/;

export function adviceFor(error: unknown, { proxy }: Pick<Link, "proxy">): FailureAdvice {
  if (error instanceof StalledReply) return { retry: true, reason: error.message };
  if (error instanceof APIConnectionError) return adviceForConnection(deepest(error), proxy);
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

function adviceForConnection(cause: Error, proxy: string | undefined): FailureAdvice {
  const [, status] = NO_TUNNEL.exec(cause.message) ?? [];
  if (status !== undefined) {
    const reason = `the proxy ${proxy ?? ""} answered ${status} where a way to the model was asked for`;
    return { retry: Number(status) >= 500, reason, isProxy: true };
  }
  const way = proxy === undefined ? "" : ` by way of the proxy ${proxy}`;
  return { retry: true, reason: `no connection to the model${way}: ${cause.message}` };
}

/** "fetch failed" says nothing; what it came of does. */
function deepest(error: Error): Error {
  return error.cause instanceof Error ? deepest(error.cause) : error;
}

export function explain(advice: FailureAdvice, { place, keyRemedy }: Pick<Link, "place" | "keyRemedy">): string {
  if (advice.isProxy === true) {
    return `${place} cannot be reached: ${advice.reason}. Look at HTTPS_PROXY, with the name and password that the proxy may want, and NO_PROXY in the editor's environment.`;
  }
  if (advice.reason.startsWith("401")) {
    return `${place} did not accept the key (${advice.reason}). ${keyRemedy}`.trim();
  }
  const isTooLong = /^413|prompt is too long|context (?:length|window)|maximum context/i.test(advice.reason);
  const next = isTooLong ? " The conversation no longer fits the model's context. Start a new one." : "";
  return `${place} refused the request (${advice.reason}).${next}`;
}
