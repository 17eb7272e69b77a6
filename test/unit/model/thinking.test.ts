/** How requests ask a model to think, and what a server's refusals take away. */
import { APIError } from "@anthropic-ai/sdk";
import { expect, it } from "vitest";
import { modelsOf } from "../../../server/src/model/model-list.ts";
import type { Manner, ModelEntry } from "../../../server/src/model/model-port.ts";
import { fittingTokens, refusedField, refusesThoughts, type Field } from "../../../server/src/model/refusals.ts";
import { thinkingFields } from "../../../server/src/model/thinking.ts";

const entry = (known: Partial<ModelEntry>): ModelEntry => ({ id: "m", name: "m", ...known });
const shown = { display: "summarized" } as const;

it.each<[string, Manner, ModelEntry | undefined, string, object]>([
  [
    "adaptive where the model has it",
    {},
    entry({ thinking: ["adaptive", "budget", "off"] }),
    "m",
    { thinking: { type: "adaptive", ...shown } },
  ],
  [
    "a budget where it has only that",
    {},
    entry({ thinking: ["budget", "off"] }),
    "m",
    { thinking: { type: "enabled", budget_tokens: 8_192, ...shown } },
  ],
  [
    "the person's budget",
    { thinkingBudget: 3_000 },
    entry({ thinking: ["budget"] }),
    "m",
    { thinking: { type: "enabled", budget_tokens: 3_000, ...shown } },
  ],
  [
    "no more than the reply has",
    { thinking: "max" },
    entry({ thinking: ["budget"] }),
    "m",
    { thinking: { type: "enabled", budget_tokens: 18_976, ...shown } },
  ],
  ["nothing where it has none", { thinking: "high" }, entry({ thinking: [] }), "m", {}],
  [
    "an effort",
    { thinking: "high" },
    entry({ thinking: ["adaptive"], efforts: ["low", "high"] }),
    "m",
    { thinking: { type: "adaptive", ...shown }, output_config: { effort: "high" } },
  ],
  [
    "the highest effort below",
    { thinking: "max" },
    entry({ thinking: ["adaptive"], efforts: ["low", "high"] }),
    "m",
    { thinking: { type: "adaptive", ...shown }, output_config: { effort: "high" } },
  ],
  ["off", { thinking: "off" }, entry({ thinking: ["adaptive", "off"] }), "m", { thinking: { type: "disabled" } }],
  [
    "little where it cannot be off",
    { thinking: "off" },
    entry({ thinking: ["adaptive"] }),
    "m",
    { thinking: { type: "adaptive", ...shown }, output_config: { effort: "low" } },
  ],
  ["nothing of a model that nobody knows", {}, undefined, "qwen3", {}],
  [
    "what the person set of it",
    { thinking: "low" },
    undefined,
    "qwen3",
    { thinking: { type: "adaptive", ...shown }, output_config: { effort: "low" } },
  ],
  [
    "adaptive of a Claude behind a gateway without a list",
    {},
    undefined,
    "anthropic/claude-sonnet-5-5",
    { thinking: { type: "adaptive", ...shown } },
  ],
] as const)("asks for %s", (...[, manner, known, model, fields]) => {
  expect(thinkingFields({ model, manner, entry: known, maxTokens: 20_000 }, new Set())).toEqual(fields);
});

it("asks for less after each refusal, down to nothing", () => {
  const refused = new Set<Field>();
  const asked = { model: "m", manner: { thinking: "high" }, entry: undefined, maxTokens: 20_000 } as const;
  const seen: unknown[] = [];
  for (const words of [
    "thinking.adaptive.display: Extra inputs",
    "unknown field output_config",
    "adaptive is no type of thinking",
    "thinking: not here",
  ]) {
    const fields = thinkingFields(asked, refused);
    seen.push(fields.thinking);
    const field = refusedField(
      refusal(words),
      { thinking: fields.thinking, output_config: fields.output_config },
      refused,
    );
    if (field !== undefined) refused.add(field);
  }
  expect([...refused]).toEqual(["display", "effort", "adaptive", "budget"]);
  expect(thinkingFields(asked, refused)).toEqual({});
});

it("takes a temperature that does not go with thinking for the temperature's refusal", () => {
  const words = "`temperature` may only be set to 1 when thinking is enabled";
  expect(refusedField(refusal(words), { thinking: { type: "adaptive" }, temperature: 0 }, new Set())).toBe(
    "temperature",
  );
});

it("knows the refusal of earlier thoughts, and how long a reply may be", () => {
  expect(refusesThoughts(refusal("messages.1.content.0: Invalid `signature` in `thinking` block"))).toBe(true);
  expect(refusesThoughts(refusal("thinking.type: adaptive is not supported"))).toBe(false);
  const limit = "max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens for m";
  expect(fittingTokens(refusal(limit))).toEqual({ tokens: 64_000, holds: "always" });
  const context = "input length and `max_tokens` exceed context limit: 190000 + 64000 > 200000";
  expect(fittingTokens(refusal(context))).toEqual({ tokens: 10_000, holds: "now" });
  const local =
    "'max_tokens' is too large: 16000. This model's maximum context length is 8192 tokens and your request has 5000 input tokens (16000 > 8192 - 5000).";
  expect(fittingTokens(refusal(local))).toEqual({ tokens: 3_192, holds: "now" });
});

it("reads Anthropic's list, and those of servers that say less", () => {
  const yes = { supported: true };
  const no = { supported: false };
  const types = { adaptive: yes, enabled: no, disabled: no, between_tools: no };
  const effort = { supported: true, low: yes, medium: yes, high: yes, xhigh: null, max: no };
  const model = {
    id: "claude-a",
    display_name: "A",
    max_tokens: 128_000,
    max_input_tokens: 1_000_000,
    capabilities: { thinking: { supported: true, types }, effort },
  };
  expect(modelsOf({ data: [model], has_more: true, last_id: "claude-a" })).toEqual({
    entries: [
      {
        id: "claude-a",
        name: "A",
        maxTokens: 128_000,
        maxInputTokens: 1_000_000,
        thinking: ["adaptive"],
        efforts: ["low", "medium", "high"],
      },
    ],
    next: "claude-a",
  });
  expect(modelsOf({ object: "list", data: [{ id: "qwen", max_model_len: 32_768 }, null, { name: "x" }] })).toEqual({
    entries: [{ id: "qwen", name: "qwen", maxInputTokens: 32_768 }],
  });
  expect(modelsOf({ error: "no such path" })).toBeUndefined();
});

function refusal(message: string): APIError {
  return new APIError(
    400,
    { type: "error", error: { type: "invalid_request_error", message } },
    message,
    new Headers(),
  );
}
