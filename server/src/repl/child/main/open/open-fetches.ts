/** Adds a signal to every `fetch`, beside the caller's own, so that the request ends together with its evaluation. */
import { captured, uncurried } from "../../shared/captured.ts";
import type { Hold } from "./open-handle.ts";

type Target = string | URL | Request;
const anyOf = AbortSignal.any.bind(AbortSignal);
const { get } = Reflect;
const PlainProxy = Proxy;

/** `unowned` runs Node's client, whose sockets and timers serve every `fetch`. */
export function trackFetch(hold: Hold, openerId: () => number, unowned: <T>(run: () => T) => T): void {
  const real = globalThis.fetch;
  const fetch = async function fetch(input: Target, init?: RequestInit): Promise<Response> {
    if (openerId() === 0) return real(input, init);
    const own = new captured.AbortController();
    const given = signalOf(input, init);
    const signal = given === undefined ? own.signal : anyOf([given, own.signal]);
    // All other options are read from the given object, as Node itself would read them.
    const options = new PlainProxy(init ?? {}, {
      get: (target, key) => (key === "signal" ? signal : (get(target, key, target) as unknown)),
    });
    const name = (): string => `of ${describeTarget(input)}`;
    const drop = hold({ kind: "fetch", name, end: () => own.abort() });
    try {
      const response = await unowned(() => real(input, options));
      if (response.body !== null) holdBody(hold, own, response);
      return response;
    } finally {
      drop();
    }
  };
  captured.defineProperty(fetch, "length", { value: real.length, configurable: true });
  captured.defineProperty(globalThis, "fetch", { value: fetch, writable: true, configurable: true, enumerable: true });
}

/**
 * The response's body may still be arriving when the promise has settled. Nothing announces the end of the body, so the
 * handle is kept until the response is collected as garbage.
 */
const bodies = new FinalizationRegistry<() => void>((drop) => drop());
const register = bodies.register.bind(bodies);

function holdBody(hold: Hold, own: AbortController, response: Response): void {
  register(response, hold({ kind: "", name: () => "", end: () => own.abort() }));
}

function signalOf(input: Target, init: RequestInit | undefined): AbortSignal | undefined {
  if (init?.signal !== undefined) return init.signal ?? undefined;
  return typeof input === "object" && "signal" in input ? input.signal : undefined;
}

const MAX_TARGET = 80;

function describeTarget(input: Target): string {
  const text = typeof input === "object" && "url" in input ? input.url : captured.String(input);
  return text.length > MAX_TARGET ? `${uncurried.slice(text, 0, MAX_TARGET)}…` : text;
}
