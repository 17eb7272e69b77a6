/** A prompt as the model reads it: what the person attached, what the text mentions, and the text. */
import type { UserBlock } from "../../model/model-port.ts";
import { shortened } from "../../base/cut-text.ts";
import { InvalidParamsError } from "../../base/errors.ts";
import type { ContextRef } from "../../protocol/shapes.ts";
import { plainLine } from "../../workspace/plain-text.ts";
import { itemOf } from "./context-item.ts";
import type { ContextPorts } from "./context-ports.ts";
import { MAX_ITEM, type Item } from "./item.ts";
import { mentionedIn } from "./mention-refs.ts";

/** Something that was looked up before, such as what a conversation's list of context holds. */
export interface ReadyRef extends ContextRef {
  readonly ready?: Item;
}

export interface PromptText {
  readonly forModel: string;
  /** Pictures, which come before the text. */
  readonly pictures?: readonly UserBlock[];
  /** What went along, by names for people. */
  readonly attached?: readonly string[];
  /** What could not be read, and mentions that mean nothing, as sentences for the person. */
  readonly missing: readonly string[];
}

export const MAX_ITEMS = 50;
const LABEL = 120;

export async function promptText(text: string, context: readonly ReadyRef[], ports: ContextPorts): Promise<PromptText> {
  if (context.length > MAX_ITEMS) {
    const expected = `at most ${MAX_ITEMS} items`;
    throw new InvalidParamsError([{ path: "/context", expected, received: `${context.length} items` }]);
  }
  const { refs, unknown } = await mentionedIn(text, ports);
  const all: readonly ReadyRef[] = [...context, ...refs];
  const items: Item[] = [];
  for (const [index, ref] of all.entries()) {
    items.push(ref.ready ?? (await itemOf(ref, `/context/${index}`, ports)));
  }
  const missing = [...items.flatMap((item) => ("missing" in item ? item.missing : [])), ...unknown];
  if (items.length === 0) return { forModel: text, missing };
  const parts = new Set(items.map((item) => ("missing" in item ? plainLine(item.missing, MAX_ITEM) : item.text)));
  const had = items.filter((item): item is Exclude<Item, { readonly missing: string }> => !("missing" in item));
  const pictures = had.flatMap(({ picture }) => picture ?? []);
  const attached = [...new Set(had.map(({ label }) => shortened(plainLine(label, LABEL), LABEL)))];
  return {
    forModel: `## Context\n\n${[...parts].join("\n\n")}\n\n## Request\n\n${text}`,
    missing,
    ...(pictures.length === 0 ? {} : { pictures }),
    ...(attached.length === 0 ? {} : { attached }),
  };
}
