/** What one thing that goes along with a prompt is to the model: fenced, and cut where it is long. */
import type { UserBlock } from "../../model/model-port.ts";
import { headOf } from "../../base/cut-text.ts";
import { fenced } from "../../base/fenced.ts";
import { showHidden } from "../../workspace/hidden-characters.ts";

/** In characters; about 12,000 tokens. */
export const MAX_ITEM = 50_000;

export type Item =
  | {
      /** For people, such as `src/cart.ts:12-15`. */
      readonly label: string;
      readonly text: string;
      readonly picture?: Extract<UserBlock, { readonly kind: "image" }>;
    }
  | { readonly missing: string };

/** What the person does not see in what they attach is written out for the model. */
export function fencedText(label: string, text: string): string {
  return fenced(showHidden(label), showHidden(text));
}

/** At most `longest` characters, and the label says how many there are. */
export function cutAndFenced(label: string, text: string, longest: number): string {
  if (text.length <= longest) return fencedText(label, text);
  return fencedText(`${label} (cut: the first ${longest} of ${text.length} characters)`, headOf(text, longest));
}
