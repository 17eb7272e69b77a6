/** `/compact` and `/compact undo`, in the turn of the command. Both throw a sentence for the person. */
import { given } from "../../base/given.ts";
import type { Session, SessionPorts, Turn } from "../session.ts";
import { failedWords, NOTHING_LEFT_OUT, number } from "./compaction-words.ts";
import { become, makeRoom } from "./make-room.ts";

const NOTHING_YET = "The model has heard nothing here yet.";

/** Answers what became of it. While the model is at work, room is made before its next request. */
export async function compact(
  session: Session,
  { ports, wish }: { readonly ports: SessionPorts; readonly wish: string | undefined },
  signal: AbortSignal,
): Promise<string> {
  const { sent, messages } = session;
  if (messages.length === 0) throw new Error(NOTHING_YET);
  const model = ports.models.model(session.choice);
  if ("unavailable" in model) throw new Error(model.unavailable);
  const turn = commandTurn(session);
  if (turn === undefined) {
    sent.want(wish);
    return "The conversation is compacted before the model's next request.";
  }
  if (sent.isBusy) throw new Error("The conversation is being compacted already.");
  sent.isBusy = true;
  try {
    const counted = ports.spending.metered(model, { sessionId: session.id, turnId: turn.id });
    const room = await makeRoom({ session, model: counted, ports, turn }, { occasion: "byHand", wish }, signal);
    if (room === "nothing") throw new Error("There is nothing that could be left out.");
    if ("failure" in room) throw new Error(`${failedWords(room.failure)} ${NOTHING_LEFT_OUT}`);
    // The event, which comes before the answer, tells what was left out.
    return "`/compact undo` takes that back.";
  } finally {
    sent.isBusy = false;
  }
}

export function undoCompaction(session: Session, ports: SessionPorts): string {
  const { sent, messages } = session;
  const turn = commandTurn(session);
  if (turn === undefined) throw new Error("The model is at work: say /compact undo when its turn has ended.");
  if (sent.isBusy) throw new Error("The conversation is being compacted; cancel it first.");
  if (sent.count === 0) throw new Error("Nothing was compacted in this conversation.");
  become({ session, ports, turn }, undefined);
  const tokens = sent.meter.tokensOf(messages);
  const contextWindow = sent.meter.counted?.window;
  turn.events.emit({ kind: "compactionUndone", ...given({ tokens, contextWindow }) });
  const size = tokens === undefined ? "" : ` That is about ${number(tokens)} tokens.`;
  return `The model is sent again what it was sent before.${size} Nothing is left out by itself any more until the model's server refuses a request as too long, or you say /compact.`;
}

/** Undefined while a turn of the model's runs. */
function commandTurn({ turn }: Session): Turn | undefined {
  return turn?.isCommand === true ? turn : undefined;
}
