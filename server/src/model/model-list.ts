/** What a server answers about its models: Anthropic's list, or the shorter ones of local servers and gateways. */
import { given } from "../base/given.ts";
import type { Effort, ModelEntry, ThinkingForm } from "./model-port.ts";

type Json = Readonly<Record<string, unknown>>;

const EFFORTS: readonly Effort[] = ["low", "medium", "high", "xhigh", "max"];

/** Undefined when it is no such list. */
export function modelsOf(answer: unknown): { readonly entries: ModelEntry[]; readonly next?: string } | undefined {
  const { data, has_more: hasMore, last_id: last } = isObject(answer) ? answer : {};
  if (!Array.isArray(data)) return undefined;
  const entries = data.filter((each: unknown): each is Json => isObject(each) && typeof each["id"] === "string");
  return { entries: entries.map(toEntry), ...(hasMore === true && typeof last === "string" ? { next: last } : {}) };
}

function toEntry(model: Json): ModelEntry {
  const id = String(model["id"]);
  const { capabilities } = model;
  const known = isObject(capabilities) ? capabilities : undefined;
  return {
    id,
    name: typeof model["display_name"] === "string" ? model["display_name"] : id,
    ...given({
      maxTokens: positive(model["max_tokens"]),
      // vLLM tells the length that it was started with.
      maxInputTokens: positive(model["max_input_tokens"]) ?? positive(model["max_model_len"]),
      thinking: known && thinkingForms(known["thinking"]),
      efforts: known && efforts(known["effort"]),
    }),
  };
}

function thinkingForms(thinking: unknown): ThinkingForm[] | undefined {
  if (!isObject(thinking)) return undefined;
  if (thinking["supported"] !== true) return [];
  const { types } = thinking;
  if (!isObject(types)) return undefined;
  const forms = { adaptive: "adaptive", budget: "enabled", off: "disabled" } as const;
  return (["adaptive", "budget", "off"] as const).filter((form) => isSupported(types[forms[form]]));
}

function efforts(effort: unknown): Effort[] | undefined {
  if (!isObject(effort)) return undefined;
  return effort["supported"] === true ? EFFORTS.filter((each) => isSupported(effort[each])) : [];
}

function isSupported(capability: unknown): boolean {
  return isObject(capability) && capability["supported"] === true;
}

function positive(value: unknown): number | undefined {
  return typeof value === "number" && value > 0 ? value : undefined;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null;
}
