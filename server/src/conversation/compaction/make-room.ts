/** Makes room in a conversation's context: what the model is sent becomes less, what is kept stays as it is. */
import { given } from "../../base/given.ts";
import type { ModelMessage } from "../../model/model-port.ts";
import type { Model } from "../../model/models.ts";
import type { Session, SessionPorts, Turn } from "../session.ts";
import { stateOf } from "../take-up-session.ts";
import {
  compactedWords,
  failedWords,
  LEFT_OUT,
  NO_SUMMARY,
  number,
  SHORTENED,
  SUMMARISING,
  type CompactedEvent,
} from "./compaction-words.ts";
import { sizeOf, turnStarts } from "./cut.ts";
import { planOf, type Occasion, type Plan } from "./plan.ts";
import { summarise, type SummaryPorts } from "./summarise.ts";
import { shortenedResults, viewOf, type View } from "./view.ts";
import { wordForWord } from "./word-for-word.ts";

export interface RoomFor {
  readonly session: Session;
  /** The one that answers in the conversation. */
  readonly model: Model;
  readonly ports: SessionPorts;
  readonly turn: Turn;
}

/** In characters, and as a share of the window: what of the person's words, and what of their decisions, is told again. */
const MOST_WORDS = 6_000;
const SHARE_OF_WORDS = 0.08;

export type Room = { readonly made: CompactedEvent } | { readonly failure: string } | "nothing";

/** The window of a model in tokens, the smallest of what is known of it; undefined where nobody knows. */
export async function windowOf(session: Session, model: Model, signal: AbortSignal): Promise<number | undefined> {
  const entry = await model.port.about(model.name, signal);
  const known = [entry?.maxInputTokens, model.contextWindow, session.sent.learnt(model.name)];
  const window = Math.min(...known.filter((each) => each !== undefined));
  return window === Infinity ? undefined : window;
}

/** Rejects with the signal's reason alone; then, and where it fails, nothing is changed. */
export async function makeRoom(
  where: RoomFor,
  { occasion, wish }: { readonly occasion: Occasion; readonly wish?: string | undefined },
  signal: AbortSignal,
): Promise<Room> {
  const { session, model, ports, turn } = where;
  const { sent, messages } = session;
  const window = await windowOf(session, model, signal);
  const capacity = window === undefined ? undefined : window * sent.meter.charactersPerToken();
  const plan = planOf({
    history: messages,
    view: sent.now,
    occasion,
    isAsking: turn.isCommand !== true,
    capacity,
    fixed: sent.meter.fixed,
    openCalls: new Set(ports.proposals.known.openCalls(session.id)),
  });
  if (plan === undefined) return "nothing";
  const before = sent.now.summarised;
  const tokensBefore = sent.meter.tokensOf(messages);
  const view = await viewFor(where, { plan, wish, tokensBefore, occasion, capacity }, signal);
  if ("failure" in view) return view;
  become(where, view);
  const what = {
    kind: "compacted",
    by: occasion === "byHand" ? "person" : "server",
    ...given({ tokensBefore, tokens: sent.meter.tokensOf(messages), contextWindow: window }),
    turns: turnStarts(messages.slice(0, view.summarised)).length,
    results: shortenedResults(messages, view),
    ...(plan.summarised > before ? given({ summary: view.summary }) : {}),
  } as const;
  const made: CompactedEvent = { ...what, message: compactedWords(what) };
  turn.events.emit(made);
  return { made };
}

interface Wanted {
  readonly plan: Plan;
  readonly wish: string | undefined;
  readonly tokensBefore: number | undefined;
  readonly occasion: Occasion;
  readonly capacity: number | undefined;
}

/** With a summary where the plan needs one. */
async function viewFor(
  where: RoomFor,
  { plan, wish, tokensBefore, occasion, capacity }: Wanted,
  signal: AbortSignal,
): Promise<View | { readonly failure: string }> {
  const { session, ports, turn } = where;
  const { now } = session.sent;
  if (plan.summarised === now.summarised) return { ...now, ...plan };
  const size = tokensBefore === undefined ? "" : ` (about ${number(tokensBefore)} tokens)`;
  turn.events.emit({ kind: "notice", level: "info", message: `${SUMMARISING}${size} …` });
  const part = viewOf(session.messages.slice(0, plan.summarised), { ...now, again: [], shortened: 0 });
  const summary = await summarise(part, { wish, ports: summaryPorts(where) }, signal);
  const isRefused = occasion === "tooLong" || occasion === "stillTooLong";
  if ("failure" in summary && !isRefused) return summary;
  // The server takes the conversation no longer: shorter results, and then a part that nobody reports, are a way on.
  if ("failure" in summary && occasion === "tooLong" && plan.shortened > now.shortened) {
    turn.events.emit({ kind: "notice", level: "warning", message: `${failedWords(summary.failure)} ${SHORTENED}` });
    return { ...now, shortened: plan.shortened };
  }
  if ("failure" in summary)
    turn.events.emit({ kind: "notice", level: "warning", message: `${failedWords(summary.failure)} ${LEFT_OUT}` });
  const again = await toldAgain(where, plan, capacity);
  signal.throwIfAborted();
  const words = "failure" in summary ? NO_SUMMARY : summary.summary;
  return ports.keptSessions.withoutKeys({ ...plan, summary: words, again });
}

function summaryPorts({ session, model, ports, turn }: RoomFor): SummaryPorts {
  const small = ports.models.small(session.choice);
  const isOther = !("unavailable" in small) && (small.name !== model.name || small.place !== model.place);
  const counted = { sessionId: session.id, turnId: turn.id };
  return {
    models: isOther ? [ports.spending.metered(small, counted), model] : [model],
    windowOf: (each, signal) => windowOf(session, each, signal),
    onUsage: (asked, usage) => {
      const cost = ports.spending.costs(asked, usage, session.id);
      turn.events.emit({ kind: "usage", model: asked.name, ...usage, ...cost, purpose: "summary" });
    },
    onRetry: (reason) =>
      turn.events.emit({ kind: "notice", level: "warning", message: `The summary is asked for again: ${reason}.` }),
  };
}

/** The parts of the summarised turns that no summary replaces. */
async function toldAgain(
  { session, turn }: RoomFor,
  { summarised }: Plan,
  capacity: number = Infinity,
): Promise<string[]> {
  const { sight, instructions, messages } = session;
  const [surroundings, rules] = await Promise.all([sight.again(), instructions.again()]);
  const start = turnStarts(messages).at(-1) ?? 0;
  const isWithin = turn.isCommand !== true && start < summarised;
  const words = isWithin ? [`[The developer's message that you are at work on, word for word:]\n${turn.text}`] : [];
  const longest = Math.min(MOST_WORDS, Math.floor(capacity * SHARE_OF_WORDS));
  return [surroundings, ...rules, ...wordForWord(messages.slice(0, summarised), longest), ...words];
}

/**
 * The record is written before anybody hears of the view. Texts that left the view are unseen again, and notes
 * untold.
 */
export function become({ session, ports, turn }: Omit<RoomFor, "model">, view: View | undefined): void {
  const { sent, messages, record, sight, toldNotes } = session;
  if (view === undefined) sent.takeBack();
  else sent.become(view);
  record.view(turn.id, view);
  const left: readonly ModelMessage[] = viewOf(messages, sent.now);
  sent.meter.changed(sizeOf(left), messages.length);
  record.state(stateOf(ports.keptSessions, session));
  if (view === undefined) return;
  sight.keepOnly(left);
  toldNotes.clear();
}
