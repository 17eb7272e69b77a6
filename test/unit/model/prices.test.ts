import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { affordableReply, costOf, dollars, mostCost, pricesOf } from "../../../server/src/model/prices.ts";

const anthropic = { baseUrl: null };
const sonnet = pricesOf("claude-sonnet-5-5", anthropic);
const haiku = pricesOf("claude-haiku-5-5", anthropic);
if (sonnet === undefined || haiku === undefined) throw new Error("The default models have published prices.");

const usage = (inputTokens: number, outputTokens: number, more: object = {}) => ({
  inputTokens,
  outputTokens,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  ...more,
});

describe("a price", () => {
  it("is the published one at Anthropic's own servers, for a name with a date too", () => {
    expect(pricesOf("claude-opus-4-5-20251101", anthropic)).toEqual(pricesOf("claude-opus-4-5", anthropic));
    expect(sonnet.output).toBe(10);
  });

  it("is unknown for an unknown model, and at any other server", () => {
    expect(pricesOf("claude-sonnet-9", anthropic)).toBeUndefined();
    expect(pricesOf("toString", anthropic)).toBeUndefined();
    expect(pricesOf("claude-sonnet-5-5", { baseUrl: "http://localhost:8080" })).toBeUndefined();
  });

  it("is the person's own before all others, where what is left out costs as much as input", () => {
    const prices = { "claude-sonnet-5-5": { input: 1, output: 4 }, qwen: { input: 0, output: 0 } };
    expect(pricesOf("claude-sonnet-5-5", { baseUrl: null, prices })).toMatchObject({ output: 4, cacheWrite1h: 1 });
    expect(pricesOf("qwen", { baseUrl: "http://localhost:8080", prices })).toMatchObject({ input: 0, output: 0 });
  });
});

describe("the cost of a request", () => {
  it("is the sum over the kinds of tokens, with what is kept for an hour apart", () => {
    const all = usage(1_000, 100, { cacheReadTokens: 10_000, cacheWriteTokens: 2_000, cacheWrite1hTokens: 1_500 });
    expect(costOf(all, sonnet) / 1e9).toBeCloseTo(
      (1_000 * 2 + 100 * 10 + 10_000 * 0.1 + 500 * 2.5 + 1_500 * 4) / 1e6,
      12,
    );
  });

  it("is that of long prompts for all of a request whose prompt is longer", () => {
    expect(costOf(usage(100_000, 1_000), haiku)).toBe(100_000 * 100 + 1_000 * 500);
    expect(costOf(usage(100_000, 1_000, { cacheReadTokens: 1 }), haiku)).toBe(100_000 * 500 + 1_000 * 2_500 + 50);
  });

  it("is never more than what was found to be the most before, whatever was kept", () => {
    const kinds = fc.tuple(fc.nat(200_000), fc.nat(200_000), fc.nat(200_000), fc.nat(50_000), fc.nat(100));
    fc.assert(
      fc.property(kinds, fc.constantFrom(sonnet, haiku), ([input, read, write, output, hourly], prices) => {
        const cacheWrite1hTokens = Math.floor((write * hourly) / 100);
        const took = usage(input, output, { cacheReadTokens: read, cacheWriteTokens: write, cacheWrite1hTokens });
        expect(costOf(took, prices)).toBeLessThanOrEqual(mostCost(input + read + write, output, prices));
      }),
    );
  });

  it("stays within what is left, for a reply as long as that allows", () => {
    fc.assert(
      fc.property(fc.nat(300_000), fc.nat(2_000_000_000), fc.constantFrom(sonnet, haiku), (prompt, left, prices) => {
        const reply = affordableReply(left, prompt, prices);
        if (reply >= 0) expect(mostCost(prompt, reply, prices)).toBeLessThanOrEqual(left);
        expect(mostCost(prompt, Math.max(0, reply + 1), prices)).toBeGreaterThan(left - 1);
      }),
    );
  });

  it("is shown in dollars, small sums with four digits", () => {
    expect([0, 3_100_000, 420_000_000, 12_345_000_000].map(dollars)).toEqual(["$0.00", "$0.0031", "$0.42", "$12.35"]);
  });
});
