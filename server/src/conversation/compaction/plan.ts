/** What of a conversation is left out next: long results first, then whole turns. Pure. */
import type { ModelMessage } from "../../model/model-port.ts";
import { cutPoints, sizeOf, turnOfCalls, turnStarts } from "./cut.ts";
import { viewOf, type View } from "./view.ts";

/**
 * Why room is made: the next request would pass the share of the window that the person allows; the person says so; the
 * server refused a request as too long; the server refused it again.
 */
export type Occasion = "share" | "byHand" | "tooLong" | "stillTooLong";

export interface Situation {
  readonly history: readonly ModelMessage[];
  readonly view: View;
  readonly occasion: Occasion;
  /** The model is about to answer the last message. */
  readonly isAsking: boolean;
  /** In characters: what the window holds; undefined where nobody knows. */
  readonly capacity: number | undefined;
  /** In characters: tools and prompt, which no view makes shorter. */
  readonly fixed: number;
  /** Calls whose proposals wait for the person. */
  readonly openCalls: ReadonlySet<string>;
}

/** A summary is needed where `summarised` is more than before. */
export type Plan = Pick<View, "summarised" | "shortened">;

/** The last turns stay as they are. */
const KEPT_TURNS = 2;
/** Shortened results are enough where the request is below this share of the window then: the next boundary is to be far. */
const ENOUGH = 0.5;
/** What stays beside a summary, as a share of the window. */
const TAIL = 0.25;
/** By itself room is made only where that frees so much of the window. */
const WORTH = 0.15;
/** In characters: as long as a summary with what is told again becomes. */
const SUMMARY = 10_000;

/** Undefined when nothing is there to be left out, or nothing that is worth it. */
export function planOf(situation: Situation): Plan | undefined {
  const { history, view, occasion, fixed } = situation;
  const before = fixed + sizeOf(viewOf(history, view));
  const capacity = situation.capacity ?? before;
  const freed = (plan: Plan): number => before - sizeAfter(situation, plan);
  const isWorth = (plan: Plan): boolean => freed(plan) >= (occasion === "share" ? WORTH * capacity : 1);
  const shortened = shortenedTo(situation);
  if (occasion === "share") {
    const plan = { summarised: view.summarised, shortened };
    if (isWorth(plan) && before - freed(plan) <= ENOUGH * capacity) return plan;
  }
  const summarised = cutOf(situation, shortened, TAIL * capacity) ?? view.summarised;
  const plan = { summarised, shortened: Math.max(shortened, summarised) };
  const isMore = summarised > view.summarised;
  return (occasion === "byHand" && isMore) || isWorth(plan) ? plan : undefined;
}

function sizeAfter({ history, view, fixed }: Situation, plan: Plan): number {
  const size = fixed + sizeOf(viewOf(history, { ...view, ...plan }));
  return plan.summarised > view.summarised ? size - sizeOf(viewOf([], view)) + SUMMARY : size;
}

/** Results stay whole in the last turns and from the oldest proposal on that waits, until nothing else helps. */
function shortenedTo({ history, view, occasion, openCalls }: Situation): number {
  if (occasion === "stillTooLong") return history.length;
  const starts = turnStarts(history);
  const kept = starts.at(-KEPT_TURNS) ?? starts[0] ?? 0;
  return Math.max(view.shortened, Math.min(kept, turnOfCalls(history, openCalls) ?? kept));
}

/** Where the rest begins that stays beside a summary; undefined when nothing more can be summarised. */
function cutOf(situation: Situation, shortened: number, tail: number): number | undefined {
  const { history, view, occasion, isAsking } = situation;
  const end = isAsking ? history.length - 1 : history.length;
  const points = cutPoints(history).filter(
    (point) => point > view.summarised && point <= end && isAllowed(situation, point),
  );
  const starts = turnStarts(history).filter((start) => start >= view.summarised);
  const isShort = occasion === "byHand" && starts.length <= KEPT_TURNS;
  if (isShort && !isAsking && points.at(-1) === history.length) return history.length;
  const kept = occasion === "stillTooLong" || isShort ? 1 : KEPT_TURNS;
  const first = starts.at(-kept) ?? starts[0] ?? 0;
  const inside = points.filter((point) => point >= first && point < history.length);
  const sizes = sizesFrom(viewOf(history, { summarised: 0, again: [], shortened }));
  const fits = (point: number): boolean => (sizes[point] ?? 0) <= tail;
  return (
    inside.filter((point) => starts.includes(point)).find(fits) ?? inside.find(fits) ?? inside.at(-1) ?? points.at(-1)
  );
}

/** A proposal that waits stays with its turn; where nothing else helps, the turn is summarised and not shortened. */
function isAllowed({ history, openCalls, occasion }: Situation, point: number): boolean {
  const open = turnOfCalls(history, openCalls);
  if (open === undefined) return true;
  return occasion === "stillTooLong" ? point > open : point <= open;
}

/** By index: how many characters the messages have from there on. */
function sizesFrom(messages: readonly ModelMessage[]): number[] {
  const sizes: number[] = [];
  let size = 0;
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    size += message === undefined ? 0 : sizeOf([message]);
    sizes[index] = size;
  }
  return sizes;
}
