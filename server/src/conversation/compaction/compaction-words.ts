/** What the person reads about room that was made, or could not be. Pure. */
import type { TurnEvent } from "../../protocol/turn-shapes.ts";
import { capitalized } from "../../base/capitalized.ts";

export type CompactedEvent = Extract<TurnEvent, { readonly kind: "compacted" }>;

/** As in "12 turns are summarised and 3 long results shortened: about 40,000 tokens instead of 161,000." */
export function compactedWords({
  turns,
  results,
  summary,
  tokens,
  tokensBefore,
}: Omit<CompactedEvent, "message">): string {
  const parts = [
    ...(summary === undefined
      ? []
      : [turns === 0 ? "the beginning of the turn is summarised" : `${counted(turns, "turn")} summarised`]),
    ...(results === 0 ? [] : [`${counted(results, "long result")} shortened`]),
  ];
  const size =
    tokens === undefined
      ? ""
      : `: about ${number(tokens)} tokens${tokensBefore === undefined ? "" : ` instead of ${number(tokensBefore)}`}`;
  return `${capitalized(parts.join(", "))}${size}.`;
}

export const SUMMARISING = "The beginning of the conversation is being summarised to make room";

export function failedWords(failure: string): string {
  return `The conversation could not be summarised: ${failure.replace(/\.$/, "")}.`;
}

export const NOTHING_LEFT_OUT = "Nothing was left out.";
export const SHORTENED = "Long results in it are shortened instead.";
export const LEFT_OUT = "Its beginning is left out without a summary, as the model's server takes no more.";

/** What the model reads in the place of a summary. */
export const NO_SUMMARY =
  "(No summary could be made of it. Ask the developer for what you need of it, and read again what you need to know of files.)";

/** Nothing can be left out any more. `reason` is the server's, or none. */
export function cannotFitWords(reason: string, window: number | undefined): string {
  const holds = window === undefined ? "" : ` It holds ${number(window)} tokens.`;
  return (
    `This message does not fit the model's context, even alone. ${reason}${holds} Say it again with less: remove attachments ` +
    "(/context lists what goes along; name lines such as @src/a.ts:1-80 in place of a whole file or folder) or long pasted text, or choose a model with a larger context."
  );
}

export function number(value: number): string {
  return value.toLocaleString("en-US");
}

function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun} is` : `${number(count)} ${noun}s are`;
}
