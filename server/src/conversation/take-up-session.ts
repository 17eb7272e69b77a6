/** A conversation as it was kept, for a server that goes on with it. */
import { setImmediate as otherWork } from "node:timers/promises";
import { given } from "../base/given.ts";
import type { ModelMessage } from "../model/model-port.ts";
import type { ModelChoice } from "../protocol/model-shapes.ts";
import type { CountedContext } from "./compaction/context-meter.ts";
import { SentView } from "./compaction/sent-view.ts";
import type { Instructions, KnownInstructions } from "./instructions.ts";
import { eventOf, messageOf, viewIn, type KeptSessions } from "./kept-sessions.ts";
import type { Mode } from "./plan-mode.ts";
import { SessionRecord } from "./session-record.ts";
import { settleKilled } from "./settle-session.ts";
import type { TakenUp } from "./sight.ts";

/** A message of the person's, with which a turn began. */
export interface TurnStart {
  readonly id: string;
  readonly text: string;
  /** The model heard nothing of it. */
  readonly isCommand?: true;
  readonly at: string;
}

export interface TakenUpSession {
  readonly messages: ModelMessage[];
  readonly sent: SentView;
  readonly system: string | undefined;
  readonly turns: TurnStart[];
  /** Undefined where the model has heard nothing yet. */
  readonly takenUp: TakenUp | undefined;
  readonly instructions: KnownInstructions | undefined;
  readonly choice: ModelChoice | undefined;
  readonly mode: Mode | undefined;
  readonly record: SessionRecord;
}

/** What a server leaves beside the messages for the next one. */
interface State {
  readonly server?: string;
  readonly instructions?: KnownInstructions;
  readonly choice?: ModelChoice;
  readonly mode?: Mode;
  readonly context?: CountedContext;
}

interface Continuable {
  readonly instructions: Pick<Instructions, "known">;
  readonly choice: ModelChoice;
  readonly mode: Mode;
  readonly sent: Pick<SentView, "meter">;
}

/** So many messages are read at once, or fewer that are long: between the pages the server does other work. */
const PAGE = 400;

export function stateOf(kept: KeptSessions, { instructions, choice, mode, sent }: Continuable): string {
  const state: State = {
    instructions: instructions.known(),
    choice,
    mode,
    ...given({ context: sent.meter.counted }),
    ...(kept.isKeeping ? { server: kept.rows.server } : {}),
  };
  return JSON.stringify(state);
}

/** Undefined when there is no such conversation. */
export async function takeUpSession(kept: KeptSessions, id: string): Promise<TakenUpSession | undefined> {
  settleKilled(kept, id);
  const found = kept.try((rows) => rows.continued(id));
  if (found === undefined) return undefined;
  const messages = await messagesOf(kept, id);
  const state = JSON.parse(found.state) as State;
  const lastEvent = kept.try((rows) => rows.log.lastTurn(id))?.findLast(({ kind }) => kind !== "message");
  const end = lastEvent && eventOf(lastEvent);
  const views = kept.try((rows) => rows.log.views(id)) ?? [];
  return {
    messages,
    sent: new SentView(views.map(viewIn), state.context),
    system: found.system,
    turns: storedTurns(kept, id),
    takenUp:
      messages.length === 0
        ? undefined
        : {
            isCut: end?.kind === "turnEnded" && end.reason === "cut",
            isNewServer: state.server !== kept.try((rows) => rows.server),
          },
    instructions: state.instructions,
    choice: state.choice,
    mode: state.mode,
    record: new SessionRecord(kept, id, { messages: messages.length, last: found.last }),
  };
}

export async function messagesOf(kept: KeptSessions, id: string): Promise<ModelMessage[]> {
  const messages: ModelMessage[] = [];
  for (let after = 0; ;) {
    const page = kept.try((rows) => rows.log.items(id, "messages", { after, limit: PAGE })) ?? [];
    messages.push(...page.map(messageOf));
    after = page.at(-1)?.seq ?? after;
    if (page.length === 0) return messages;
    await otherWork();
  }
}

/** Oldest first. */
export function storedTurns(kept: KeptSessions, id: string): TurnStart[] {
  const turns = kept.try((rows) => rows.log.turns(id)) ?? [];
  return turns.map((row) => {
    const event = eventOf(row);
    const { text, isCommand } = event.kind === "turnStarted" ? event : { text: "" };
    return { id: row.turn, at: row.at, text, ...given({ isCommand }) };
  });
}
