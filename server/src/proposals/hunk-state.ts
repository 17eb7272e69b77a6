/** What is known of one hunk, state by state, and the one function through which that changes. Pure. */
import type { Range } from "vscode-languageserver-protocol";
import { given } from "../base/given.ts";
import type { HunkDecision, HunkState } from "../protocol/proposal-shapes.ts";
import type { Stretch, TextChange } from "./texts/hunks.ts";
import type { HunkPlace } from "./texts/standing.ts";

/** `undone`: the old text is back; `changed`: neither the old nor the approved text stands there. */
export type Later = "undone" | "changed";

/** Why the person has to decide about a hunk again. */
export interface Trouble {
  /**
   * `changed`: the hunk's place is not what the proposal was made for; `unconfirmed`: after the hunk was accepted, the place
   * held neither the old nor the approved text.
   */
  readonly kind: "changed" | "unconfirmed";
  /** Absent where the reason is text that changed at the hunk's place. */
  readonly why?: string;
  /** What stands at the hunk's place; absent where that is no text, or too long to be shown. */
  readonly text?: string;
}

interface AnyState {
  /** The change that the hunk makes of `TrackedDocument.base`; a rename makes none. */
  readonly change: TextChange;
  /** Where the hunk stands in the text that `TrackedDocument.shown` is about. */
  readonly range: Range;
  /** The hunks without which this one brings errors in. */
  readonly requires?: readonly string[];
  /** What was in the hunk's way when somebody looked last; a decision leaves that as it is. */
  readonly trouble?: Trouble;
}

interface Decided extends AnyState {
  readonly reason?: string;
  /** Who decided, where that was no person. */
  readonly by?: "program";
}

interface Agreed extends Decided {
  /** What the person wrote in place of the proposed text. */
  readonly editedText?: string;
}

interface OnceApplied extends Agreed {
  /** The document when the approved text was last seen to stand in it, and where. */
  readonly seen?: { readonly text: string; readonly place: HunkPlace };
  /**
   * The hunk came in or was taken back after its call was answered, and the model has not heard of that: whether the model
   * takes the hunk to be in place, and whether the person had it proposed again and accepted it.
   */
  readonly turned?: { readonly wasInPlace: boolean; readonly isAcceptedAgain?: true };
}

type Pending = AnyState & { readonly is: "pending" };
type Conflict = AnyState & { readonly is: "conflict"; readonly trouble: Trouble };
type Rejected = Decided & { readonly is: "rejected" };

/** The edit with the hunk was not seen in the document yet. */
interface Accepted extends Agreed {
  readonly is: "accepted";
  /** What the person's own text takes the place of, where `oldText` does not stand any more. */
  readonly over?: string;
  /** What the hunk replaces in `TrackedDocument.base`, where that is another stretch than that of `change`. */
  readonly wide?: Stretch;
}

/** The document was seen to hold the approved text; `later`, where somebody has taken that back since. */
type Applied = OnceApplied & { readonly is: "applied"; readonly later?: "undone" };
/** The approved text was applied, and did not stand in the document when the review ended. */
type Gone = OnceApplied & { readonly is: "gone"; readonly later: Later };

export type Known = OnceApplied & { readonly later?: Later };
export type HunkNow = Pending | Conflict | Rejected | Accepted | Applied | Gone;

export type HunkEvent =
  /** The person decided; of a decision about some lines the pieces hear, each without `lines`. */
  | { readonly is: "decided"; readonly decision: HunkDecision }
  /** The hunk is part of an edit, which replaces this stretch of the document's base. */
  | { readonly is: "composed"; readonly wide: Stretch }
  /** The edit cannot be made, or was made otherwise. Without `kind` the trouble is of the kind that it was. */
  | { readonly is: "refused"; readonly why: string | undefined; readonly kind?: Trouble["kind"] }
  /** The edit did not reach the document. */
  | { readonly is: "notApplied" }
  | { readonly is: "applied" }
  | { readonly is: "seen"; readonly text: string; readonly place: HunkPlace }
  /** Somebody took the approved text back. */
  | { readonly is: "takenBack" }
  /** The approved text stands in the document. */
  | { readonly is: "stands" }
  /** The review ends without the approved text. */
  | { readonly is: "gone"; readonly later: Later }
  /** An editor ended with text that was not saved. */
  | { readonly is: "lost"; readonly change: TextChange }
  /** The approved text of another hunk, which proposed this one again, is this one's. */
  | { readonly is: "putIn"; readonly of: HunkNow; readonly id: string }
  /** Nothing is in the way of a hunk that waits. */
  | { readonly is: "free" }
  /** What stands at the place of a hunk that waits is in its way. */
  | { readonly is: "blocked"; readonly why: string | undefined; readonly text: string | undefined }
  | { readonly is: "shown"; readonly range: Range }
  /** The document's base became longer above the hunk. */
  | { readonly is: "shifted"; readonly by: number }
  /** The document's base holds the edit of the hunk, or another one that took the hunk's place along. */
  | { readonly is: "rebased"; readonly change: TextChange }
  | { readonly is: "required"; readonly requires: readonly string[] | undefined }
  /** The hunk came in or was taken back after its call was answered. */
  | { readonly is: "turned"; readonly wasInPlace: boolean; readonly isAcceptedAgain?: true }
  /** The model has heard of all that. */
  | { readonly is: "told" };

type Rules = {
  readonly [Is in HunkEvent["is"]]: (now: HunkNow, event: Extract<HunkEvent, { readonly is: Is }>) => HunkNow;
};

const RULES: Rules = {
  decided: (now, { decision }) => (waits(now) ? decided(now, decision) : now),
  composed: (now, { wide }) => (now.is === "accepted" ? { ...now, wide } : now),
  refused: (now, { why, kind = now.trouble?.kind ?? "changed" }) =>
    waits(now) || now.is === "accepted" ? inConflict(now, { kind, ...given({ why, text: now.trouble?.text }) }) : now,
  notApplied: (now) => (now.is === "accepted" ? { ...anyOf(now), is: "pending" } : now),
  applied: (now) => {
    if (now.is !== "accepted") return now;
    const { over: _over, wide: _wide, ...rest } = now;
    return { ...rest, is: "applied" };
  },
  seen: (now, { text, place }) => (now.is === "applied" ? { ...now, seen: { text, place } } : now),
  takenBack: (now) => (now.is === "applied" ? { ...now, later: "undone" } : now),
  stands: (now) => {
    if (!wasOnce(now)) return now;
    const { later: _later, ...rest } = now;
    return { ...rest, is: "applied" };
  },
  gone: (now, { later }) => (now.is === "applied" ? { ...now, is: "gone", later } : now),
  lost: (now, { change }) => (now.is === "applied" ? { ...anyOf(now), is: "pending", change } : now),
  putIn: (now, { of, id }) => {
    if (of.is !== "applied") return now;
    const { trouble: _trouble, ...rest } = anyOf(now);
    const { editedText, seen } = of;
    const own = seen && { ...seen, place: { ...seen.place, id } };
    return { ...rest, is: "applied", ...given({ editedText, seen: own, turned: known({ now }).turned }) };
  },
  free: (now) => {
    if (!waits(now)) return now;
    const { trouble: _trouble, ...rest } = now;
    return { ...rest, is: "pending" };
  },
  blocked: (now, { why, text }) => {
    if (!waits(now)) return now;
    const { kind = "changed", why: before } = now.trouble ?? {};
    return inConflict(now, { kind, ...given({ why: why ?? (kind === "unconfirmed" ? before : undefined), text }) });
  },
  shown: (now, { range }) => ({ ...now, range }),
  shifted: (now, { by }) => {
    const change = { ...now.change, ...shifted(now.change, by) };
    const wide = now.is === "accepted" ? now.wide : undefined;
    return { ...now, change, ...given({ wide: wide && shifted(wide, by) }) };
  },
  rebased: (now, { change }) => {
    if (now.is !== "accepted") return { ...now, change };
    const { wide: _wide, ...rest } = now;
    return { ...rest, change };
  },
  required: ({ requires: _requires, ...rest }, { requires }) => ({ ...rest, ...given({ requires }) }),
  turned: (now, { wasInPlace, isAcceptedAgain }) =>
    wasOnce(now) ? { ...now, turned: { wasInPlace, ...now.turned, ...given({ isAcceptedAgain }) } } : now,
  told: (now) => {
    if (!wasOnce(now)) return now;
    const { turned: _turned, ...rest } = now;
    return rest;
  },
};

/** The next state. An event that means nothing in a state leaves the state as it is. */
export function step(now: HunkNow, event: HunkEvent): HunkNow {
  const rule = RULES[event.is] as (now: HunkNow, event: HunkEvent) => HunkNow;
  return rule(now, event);
}

/** The only way in which a hunk changes. */
export function raise(hunk: { now: HunkNow }, event: HunkEvent): void {
  hunk.now = step(hunk.now, event);
}

interface InState {
  readonly now: HunkNow;
}

/** In the words of the wire. */
export function stateOf({ now }: InState): HunkState {
  if (now.is === "pending" || now.is === "conflict" || now.is === "rejected") return now.is;
  return now.editedText === undefined ? "accepted" : "edited";
}

/** Whether the person still has to decide: a conflict is no end. */
export function isOpen({ now }: InState): boolean {
  return waits(now);
}

export function wasApplied({ now }: InState): boolean {
  return now.is === "applied";
}

/** Applied, and there still as far as anybody has looked. */
export function isInPlace({ now }: InState): boolean {
  return now.is === "applied" && now.later === undefined;
}

/** What a hunk's state knows; what it does not know is absent. */
export function known({ now }: InState): Known {
  return now;
}

/** The text that goes in for a decided hunk: the person's own words win over the proposed ones. */
export function textOf(hunk: InState & { readonly newText: string }): string {
  return known(hunk).editedText ?? hunk.newText;
}

function waits(now: HunkNow): now is Pending | Conflict {
  return now.is === "pending" || now.is === "conflict";
}

function wasOnce(now: HunkNow): now is Applied | Gone {
  return now.is === "applied" || now.is === "gone";
}

function anyOf({ change, range, requires, trouble }: HunkNow): AnyState {
  return { change, range, ...given({ requires, trouble }) };
}

function inConflict(now: HunkNow, trouble: Trouble): Conflict {
  return { ...anyOf(now), is: "conflict", trouble };
}

function decided(now: Pending | Conflict, { decision, reason, by, newText = "", currentText }: HunkDecision): HunkNow {
  const any = { ...anyOf(now), ...given({ reason, by }) };
  if (decision === "reject") return { ...any, is: "rejected" };
  if (decision === "accept") return { ...any, is: "accepted" };
  const over = currentText ?? (now.is === "conflict" ? now.trouble.text : undefined);
  return { ...any, is: "accepted", editedText: newText.toWellFormed(), ...given({ over }) };
}

function shifted({ start, end }: Stretch, by: number): Stretch {
  return { start: start + by, end: end + by };
}
