/** The settings that say which model answers, and how: a profile has each of them too. */
import type { SchemaType } from "../schema/schema-type.ts";

const text = { type: "string", minLength: 1 } as const;

export type Thinking = "auto" | "off" | "low" | "medium" | "high" | "xhigh" | "max";
export const THINKING = ["auto", "off", "low", "medium", "high", "xhigh", "max"] as const satisfies readonly Thinking[];

const price = { type: "number", minimum: 0 } as const;
const prices = {
  type: "object",
  properties: { input: price, output: price, cacheRead: price, cacheWrite5m: price, cacheWrite1h: price },
  required: ["input", "output"],
  additionalProperties: false,
} as const;

/** In dollars for a million tokens. */
export type PriceSetting = SchemaType<typeof prices>;

/** A key itself is no setting: settings are kept in files, shown and shared. */
const profileProperties = {
  model: { type: "string" },
  baseUrl: { type: "string" },
  smallModel: text,
  keyVariable: { type: "string", pattern: "^[A-Za-z_][A-Za-z0-9_]*$" },
  keyCommand: { type: "array", items: text, minItems: 1 },
  thinking: { enum: THINKING },
  thinkingBudget: { type: "integer", minimum: 1_024 },
  temperature: { type: "number", minimum: 0, maximum: 2 },
  maxTokens: { type: "integer", minimum: 1 },
  contextWindow: { type: "integer", minimum: 1_000 },
  prices: { type: "object", additionalProperties: prices },
} as const;

const profile = { type: "object", properties: profileProperties, additionalProperties: false } as const;

export type ProfileSettings = Omit<SchemaType<typeof profile>, "prices"> & {
  /** By the model's name. */
  readonly prices?: Readonly<Record<string, PriceSetting>>;
};

export const modelSettings = {
  ...profileProperties,
  profile: text,
  profiles: { type: "object", additionalProperties: profile },
} as const;

/** What holds where one of these settings is wrong. */
export const MODEL_INSTEAD = {
  model: "AGENTQ_MODEL or the default model is used.",
  baseUrl: "ANTHROPIC_BASE_URL or Anthropic's own server is used.",
  smallModel: "The model's maker names the model for small tasks.",
  keyVariable: "The key is taken from ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN.",
  keyCommand: "The key is taken from ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN.",
  thinking: "The model thinks as it does by itself.",
  thinkingBudget: "The budget follows from the setting thinking.",
  temperature: "The model's own temperature holds.",
  maxTokens: "A reply may be as long as the model allows.",
  contextWindow: "The context window is the one that the server's list of models tells.",
  prices: "The published prices hold, where there are any.",
  profile: "The settings outside of the profiles are used.",
  profiles: "There are no profiles.",
  "profiles.*": "There is no such profile.",
} as const;
