/** What the person has typed since a proposal was made is not the proposal's. */
import type { TrackedDocument } from "../proposal.ts";
import { mergeTexts } from "../texts/merge-texts.ts";

/**
 * A document as it is now, without the applied hunks; undefined where nobody has changed anything else. Where such a
 * change touches the proposal's own, nothing is taken out.
 */
export function withoutProposal(
  { base, from }: TrackedDocument,
  made: string | undefined,
  now: string | undefined,
): { readonly uri: string; readonly text: string } | undefined {
  if (made === undefined || now === undefined || now === base) return undefined;
  return { uri: from.uri, text: mergeTexts(base, now, made) ?? now };
}
