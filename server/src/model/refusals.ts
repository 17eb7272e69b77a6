/** Which fields of a request a server refuses: each is left out from then on, so that any server of the API will do. */
import { APIError } from "@anthropic-ai/sdk";
import type { ThinkingForm } from "./model-port.ts";

/** `ttl` is the hour of caching marks, `cache` the marks themselves; the others are fields of thinking, sampling and the choice of a tool. */
export type Field = "ttl" | "cache" | "display" | "effort" | "temperature" | "toolChoice" | ThinkingForm;
export type Refusals = ReadonlySet<Field>;

/** The part of a request's body that says which fields were sent. */
export interface Sent {
  readonly thinking?: { readonly type: string; readonly display?: string | null } | undefined;
  readonly output_config?: object | undefined;
  readonly temperature?: number;
  readonly tool_choice?: object | undefined;
}

/** The parts of a body that a server may name as what it refuses. */
export interface SentParts {
  readonly tools?: readonly { readonly name?: string }[];
  readonly messages: readonly { readonly content: string | readonly { readonly type: string }[] }[];
}

const FORMS: Readonly<Record<string, ThinkingForm>> = { adaptive: "adaptive", enabled: "budget", disabled: "off" };

/** The field of the body that the server's words are about; undefined when they are about something else. */
export function refusedField(error: unknown, sent: Sent, refused: Refusals): Field | undefined {
  const words = refusalOf(error);
  if (words === undefined) return undefined;
  if (/cache_control|\bttl\b/.test(words)) {
    if (!refused.has("ttl")) return "ttl";
    return refused.has("cache") ? undefined : "cache";
  }
  if (/tool.?choice/i.test(words) && sent.tool_choice !== undefined) return "toolChoice";
  if (/\bdisplay\b/.test(words) && typeof sent.thinking?.display === "string") return "display";
  if (/effort|output_config/.test(words) && sent.output_config !== undefined) return "effort";
  // Some models take no temperature while they think: their words name both.
  if (/temperature/.test(words) && sent.temperature !== undefined) return "temperature";
  if (/thinking|adaptive|budget_tokens/.test(words)) return FORMS[sent.thinking?.type ?? ""];
  return undefined;
}

/** Whether the server refuses what the model thought earlier, as when another model thought it. */
export function refusesThoughts(error: unknown): boolean {
  const words = refusalOf(error) ?? "";
  return /thinking/.test(words) && /signature|messages\.\d+|\bblocks?\b/.test(words);
}

/** How long a reply may be at most, from the words of a server that was asked for more. */
export function fittingTokens(
  error: unknown,
): { readonly tokens: number; readonly holds: "now" | "always" } | undefined {
  const words = refusalOf(error) ?? "";
  if (!words.includes("max_tokens")) return undefined;
  const [, input, , context] = /(\d+) \+ (\d+) > (\d+)/.exec(words)?.map(Number) ?? [];
  if (input !== undefined && context !== undefined) return { tokens: context - input, holds: "now" };
  // vLLM's way to say the same.
  const [, , length, taken] = /(\d+) > (\d+) - (\d+)/.exec(words)?.map(Number) ?? [];
  if (length !== undefined && taken !== undefined) return { tokens: length - taken, holds: "now" };
  const limit = /max_tokens\W+\d+ > (\d+)/.exec(words)?.[1];
  return limit === undefined ? undefined : { tokens: Number(limit), holds: "always" };
}

/** The tool among those sent that the server's words name, by its number or its name; undefined when they name none. */
export function refusedTool(error: unknown, { tools = [] }: SentParts): string | undefined {
  const words = refusalOf(error) ?? "";
  const number = /\btools[.[](\d+)/.exec(words)?.[1];
  const names = tools.flatMap(({ name }) => name ?? []);
  if (number !== undefined) return names[Number(number)];
  const isNamed = (name: string): boolean => new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(words);
  return /schema|function/i.test(words) ? names.find(isNamed) : undefined;
}

/** The block with the picture that the server's words are about: the one they name, or else the newest. */
export function refusedPicture(error: unknown, { messages }: SentParts): object | undefined {
  const words = refusalOf(error) ?? "";
  if (!/\bimages?\b/i.test(words)) return undefined;
  const [, message, place] = /messages\.(\d+)\.content\.(\d+)/.exec(words)?.map(Number) ?? [];
  const blocks = messages.map(({ content }) => (typeof content === "string" ? [] : content));
  const named = blocks[message ?? -1]?.[place ?? -1];
  return [named, ...blocks.flat().toReversed()].find((block) => block?.type === "image");
}

/** The server's own words, for people. */
export function refusalWords(error: unknown): string {
  return error instanceof APIError ? (error.apiMessage ?? error.message) : "";
}

function refusalOf(error: unknown): string | undefined {
  return error instanceof APIError && (error.status === 400 || error.status === 422) ? error.message : undefined;
}
