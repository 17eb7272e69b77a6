/** What models cost. A price that is not known is undefined, and never a guess. */
import type { PriceSetting } from "../protocol/model-settings.ts";
import type { ModelUsage } from "./model-port.ts";
import type { Profile } from "./profiles.ts";

/** In dollars for a million tokens. */
export interface Prices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
}

export interface ModelPrices extends Prices {
  /** The day on which a published price was looked up; absent for the person's own. */
  readonly asOf?: string;
  /** What every token of a request costs whose prompt is longer than `tokens`. */
  readonly long?: { readonly tokens: number; readonly prices: Prices };
}

/** When the list below was last compared with the published ones. */
export const PRICES_AS_OF = "2026-10-24";

/** The prices of Anthropic's own servers. https://platform.claude.com/docs/en/about-claude/pricing */
const PUBLISHED: Readonly<Record<string, ModelPrices>> = {
  "claude-fable-5-1": { input: 10, output: 50, cacheRead: 0.25, cacheWrite5m: 12.5, cacheWrite1h: 20 },
  "claude-fable-5": { input: 10, output: 50, cacheRead: 1, cacheWrite5m: 12.5, cacheWrite1h: 20 },
  "claude-opus-5-5": { input: 4, output: 20, cacheRead: 0.2, cacheWrite5m: 5, cacheWrite1h: 8 },
  "claude-opus-5": { input: 5, output: 25, cacheRead: 0.5, cacheWrite5m: 6.25, cacheWrite1h: 10 },
  "claude-opus-4-8": { input: 5, output: 25, cacheRead: 0.5, cacheWrite5m: 6.25, cacheWrite1h: 10 },
  "claude-opus-4-7": { input: 5, output: 25, cacheRead: 0.5, cacheWrite5m: 6.25, cacheWrite1h: 10 },
  "claude-opus-4-6": { input: 5, output: 25, cacheRead: 0.5, cacheWrite5m: 6.25, cacheWrite1h: 10 },
  "claude-opus-4-5": { input: 5, output: 25, cacheRead: 0.5, cacheWrite5m: 6.25, cacheWrite1h: 10 },
  "claude-sonnet-5-5": { input: 2, output: 10, cacheRead: 0.1, cacheWrite5m: 2.5, cacheWrite1h: 4 },
  "claude-sonnet-5": { input: 2, output: 10, cacheRead: 0.2, cacheWrite5m: 2.5, cacheWrite1h: 4 },
  "claude-haiku-5-5": {
    input: 0.1,
    output: 0.5,
    cacheRead: 0.01,
    cacheWrite5m: 0.125,
    cacheWrite1h: 0.2,
    long: {
      tokens: 100_000,
      prices: { input: 0.5, output: 2.5, cacheRead: 0.05, cacheWrite5m: 0.625, cacheWrite1h: 1 },
    },
  },
};

/** The person's own price goes before the published one, which holds at Anthropic's own servers alone. */
export function pricesOf(
  model: string,
  { baseUrl, prices }: Pick<Profile, "baseUrl" | "prices">,
): ModelPrices | undefined {
  const own = prices !== undefined && Object.hasOwn(prices, model) ? prices[model] : undefined;
  if (own !== undefined) return wholePrices(own);
  if (baseUrl !== null) return undefined;
  // A name with a date has the price of the name without.
  const name = model.replace(/-20\d{6}$/, "");
  const published = Object.hasOwn(PUBLISHED, name) ? PUBLISHED[name] : undefined;
  return published && { ...published, asOf: PRICES_AS_OF };
}

/** What the setting leaves out costs as much as input. */
function wholePrices({ input, output, cacheRead, cacheWrite5m, cacheWrite1h }: PriceSetting): ModelPrices {
  const write = cacheWrite5m ?? input;
  return { input, output, cacheRead: cacheRead ?? input, cacheWrite5m: write, cacheWrite1h: cacheWrite1h ?? write };
}

/** In billionths of a dollar, so that sums are exact. */
export type Nanos = number;

export function costOf(usage: ModelUsage, prices: ModelPrices): Nanos {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens = 0 } = usage;
  const prompt = inputTokens + cacheReadTokens + cacheWriteTokens;
  const each = prices.long !== undefined && prompt > prices.long.tokens ? prices.long.prices : prices;
  return (
    inputTokens * perToken(each.input) +
    outputTokens * perToken(each.output) +
    cacheReadTokens * perToken(each.cacheRead) +
    (cacheWriteTokens - cacheWrite1hTokens) * perToken(each.cacheWrite5m) +
    cacheWrite1hTokens * perToken(each.cacheWrite1h)
  );
}

/** No request with so many tokens at most costs more. */
export function mostCost(promptTokens: number, replyTokens: number, prices: ModelPrices): Nanos {
  const { long } = prices;
  const each = long !== undefined && promptTokens > long.tokens ? long.prices : prices;
  return promptTokens * dearestInput(each) + replyTokens * perToken(each.output);
}

/** How long a reply may be, in tokens, so that the request costs no more than that; below 0 where the prompt alone does. */
export function affordableReply(most: Nanos, promptTokens: number, prices: ModelPrices): number {
  const each = prices.long !== undefined && promptTokens > prices.long.tokens ? prices.long.prices : prices;
  const left = most - promptTokens * dearestInput(each);
  const price = perToken(each.output);
  return price === 0 ? (left < 0 ? -1 : Infinity) : Math.floor(left / price);
}

function dearestInput({ input, cacheRead, cacheWrite5m, cacheWrite1h }: Prices): Nanos {
  return perToken(Math.max(input, cacheRead, cacheWrite5m, cacheWrite1h));
}

/** A dollar for a million tokens is a thousand nanos a token. */
function perToken(price: number): Nanos {
  return Math.round(price * 1_000);
}

/** As people read it: `$0.42`, `$0.0031`. */
export function dollars(nanos: Nanos): string {
  const amount = nanos / 1e9;
  if (amount === 0 || amount >= 0.1) return `$${amount.toFixed(2)}`;
  return `$${amount.toFixed(4)}`;
}
