/** Refusals of requests that do not fit, in the words of the servers that people use. */
import { expect, it } from "vitest";
import { isTooLong, windowIn } from "../../../server/src/model/too-long.ts";

it.each([
  ["400: prompt is too long: 208310 tokens > 200000 maximum", 200_000],
  ["400: input length and `max_tokens` exceed context limit: 201240 + 21333 > 200000, decrease input length", 200_000],
  ["400: This model's maximum context length is 32768 tokens. However, you requested 33000 tokens.", 32_768],
  ["400: request (9123 tokens) exceeds the available context size (8192 tokens), try increasing it", 8_192],
  ["400: the request exceeds the available context size. try increasing the context size", undefined],
  ["400: Input is too long for requested model.", undefined],
  ["413: Request exceeds the maximum size", undefined],
] as const)("knows that a request was too long by %j", (reason, window) => {
  expect(isTooLong(reason)).toBe(true);
  expect(windowIn(reason)).toBe(window);
});

it.each([
  "400: max_tokens: 64000 > 32000, which is the maximum allowed number of output tokens",
  "400: messages.3: tool_use ids were found without tool_result blocks immediately after: toolu_1",
  "400: messages.0.content.0: text content blocks must be non-empty",
  "404: model: claude-next",
])("takes %j for what it is", (reason) => {
  expect(isTooLong(reason)).toBe(false);
});
