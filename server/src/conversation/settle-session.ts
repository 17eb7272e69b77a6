/** The end of a turn that has none, because its server was killed or a fork leaves the rest out. */
import type { TurnEvent } from "../protocol/turn-shapes.ts";
import type { ItemRow } from "../storage/session-items.ts";
import type { SessionRows } from "../storage/session-rows.ts";
import { mendedMessages } from "./cut-turn.ts";
import { eventOf, messageOf, type KeptSessions } from "./kept-sessions.ts";

const KILLED = { why: "the server ended", message: "The server ended while the turn ran." };
const FORKED = { why: "the conversation was forked", message: "The conversation was forked here." };

/** Ends the turn of a server that runs no more, once, whichever server looks first. */
export function settleKilled(kept: KeptSessions, id: string): void {
  kept.try((rows) => {
    const cutBy = rows.continued(id)?.cutBy;
    if (cutBy === undefined) return;
    rows.atOnce(() => {
      if (rows.letGo(id, cutBy)) endTurn(kept, rows, id, KILLED);
    });
  });
}

export function settleFork(kept: KeptSessions, rows: SessionRows, id: string): void {
  endTurn(kept, rows, id, FORKED);
}

function endTurn(kept: KeptSessions, rows: SessionRows, id: string, words: typeof KILLED): void {
  const items = rows.log.lastTurn(id);
  const shown = items.filter(({ kind }) => kind !== "message");
  const events = shown.map(eventOf);
  const turn = shown[0]?.turn;
  if (turn === undefined || events.at(-1)?.kind === "turnEnded") return;
  const spoken = items.findLastIndex(({ kind }) => kind === "message");
  const last = items[spoken];
  const tail = items.slice(spoken + 1).map(eventOf);
  const at = new Date().toISOString();
  const mended = mendedMessages({ last: last && messageOf(last), events, tail, why: words.why });
  for (const message of mended) rows.log.append(kept.messageItem(id, turn, message), at);
  joinPieces(kept, rows, id, shown);
  const end: TurnEvent = { kind: "turnEnded", reason: "cut", message: words.message };
  rows.log.append(kept.eventItem(id, turn, end), at);
}

/** The text that streamed last is in pieces yet. */
function joinPieces(kept: KeptSessions, rows: SessionRows, id: string, shown: readonly ItemRow[]): void {
  const events = shown.map(eventOf);
  const kind = events.at(-1)?.kind;
  if (kind !== "text" && kind !== "thinking") return;
  const start = events.findLastIndex((event) => event.kind !== kind) + 1;
  const [first, last] = [shown[start], shown.at(-1)];
  if (first === undefined || last === undefined) return;
  const text = events
    .slice(start)
    .map((event) => ("text" in event ? event.text : ""))
    .join("");
  rows.log.join(id, { first: first.seq, last: last.seq }, kept.eventItem(id, first.turn, { kind, text }));
}
