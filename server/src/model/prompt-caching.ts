/** Marks that let the provider keep what every request of a conversation begins with. */
import { APIError } from "@anthropic-ai/sdk";

export interface Caching {
  readonly cache_control?: { readonly type: "ephemeral"; readonly ttl?: "1h" };
}

/** From the best to none: an hour, as a review may take longer than the five minutes without `ttl`. */
export const CACHING: readonly [Caching, ...Caching[]] = [
  { cache_control: { type: "ephemeral", ttl: "1h" } },
  { cache_control: { type: "ephemeral" } },
  {},
];

/**
 * What to try instead when a server between here and the model refuses these marks; undefined when the marks are not
 * the reason.
 */
export function lessCaching(caching: Caching, error: unknown): Caching | undefined {
  if (!(error instanceof APIError) || (error.status !== 400 && error.status !== 422)) return undefined;
  if (!/cache_control|\bttl\b/.test(error.message)) return undefined;
  return CACHING[CACHING.indexOf(caching) + 1];
}
