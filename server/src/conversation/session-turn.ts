/** One turn of a conversation, from `turnStarted` to `turnEnded`: whatever it does, what the client sees is kept first. */
import { randomUUID } from "node:crypto";
import type { TurnEnd } from "../agent/loop.ts";
import { given } from "../base/given.ts";
import { AgentqError } from "../base/errors.ts";
import type { TurnEvent } from "../protocol/turn-shapes.ts";
import { EventStream, type NumberedEvent } from "./event-stream.ts";
import { unknownSession, type Session, type SessionPorts, type Turn, type Work } from "./session.ts";
import { stateOf } from "./take-up-session.ts";

export type TurnWords = Omit<Extract<TurnEvent, { readonly kind: "turnStarted" }>, "kind">;

export const ELSEWHERE =
  "The conversation runs in another server of this workspace, such as another editor's. It can be read here; say that again when its turn has ended.";

/** Begins a turn at once. Throws when the conversation is gone, or when another server runs it. */
export function beginTurn(
  session: Session,
  words: TurnWords,
  work: Work,
  ports: Pick<SessionPorts, "keptSessions" | "send">,
): { readonly turn: Turn; readonly ended: Promise<TurnEnd> } {
  hold(session);
  const id = randomUUID();
  const { text, isCommand } = words;
  const isOnlyCommands = session.turns.length > 0 && session.turns.every((each) => each.isCommand === true);
  if (isOnlyCommands && isCommand !== true) session.record.callBy(text);
  const start = { id, text, ...given({ isCommand }), at: new Date().toISOString() };
  const events = new EventStream(session.id, id, (batch) => keepAndSend(session, batch, ports));
  const turn: Turn = { ...start, abort: new AbortController(), stop: new AbortController(), events };
  session.turn = turn;
  session.turns.push(start);
  const ended = new Promise<TurnEnd>((resolve) => {
    // The answer to the request goes out before the turn's first event.
    setImmediate(() => void runToEnd(session, turn, { words, work, ports }).then(resolve));
  });
  return { turn, ended };
}

async function runToEnd(
  session: Session,
  turn: Turn,
  { words, work, ports }: { words: TurnWords; work: Work; ports: Pick<SessionPorts, "keptSessions"> },
): Promise<TurnEnd> {
  turn.events.emit({ kind: "turnStarted", ...words });
  const end = await work(turn);
  session.turn = undefined;
  session.record.state(stateOf(ports.keptSessions, session));
  turn.events.emit({ kind: "turnEnded", ...end });
  session.record.release();
  return end;
}

/** What the client sees, the disk has seen before. */
function keepAndSend(
  { record, messages }: Session,
  batch: readonly NumberedEvent[],
  { send }: Pick<SessionPorts, "send">,
): void {
  record.events(batch, messages);
  for (const params of batch) send("agentq/event", params);
}

/** One of the servers of a workspace runs a conversation. */
function hold({ id, record }: Session): void {
  const why = record.hold();
  if (why === "unknown") throw unknownSession(id);
  if (why !== undefined) throw new AgentqError("busy", ELSEWHERE);
}
