/** Back to before a message: which messages there are, and what was done to the files since one of them. */
import type { KnownProposals } from "../proposals/known-proposals.ts";
import type { ProposalStore } from "../proposals/proposal-store.ts";
import { AgentqError, InvalidParamsError } from "../base/errors.ts";
import type { RequestParams } from "../protocol/methods.ts";
import type { RewindResult, TurnInfo } from "../protocol/proposal-shapes.ts";
import type { Sessions } from "./sessions.ts";

const NOTE =
  "Only files are brought back: the REPL's state is as it was, and the model keeps what it has read and said.";
const SHOWN = 60;

/** Oldest first. Conversations of earlier servers are known by what they proposed. */
export async function listTurns(
  sessions: Pick<Sessions, "turns">,
  proposals: Pick<KnownProposals, "turns">,
  sessionId?: string,
): Promise<TurnInfo[]> {
  const turns = new Map<string, TurnInfo>();
  for (const { id, isCommand, ...turn } of sessions.turns(sessionId)) {
    if (isCommand !== true) turns.set(id, { ...turn, turnId: id, applied: 0 });
  }
  for (const { sessionId: session, turn, applied } of await proposals.turns(sessionId)) {
    const known = turns.get(turn.id);
    const before = known ?? { sessionId: session, turnId: turn.id, text: turn.text, at: turn.at, applied: 0 };
    turns.set(turn.id, { ...before, applied: before.applied + applied });
  }
  return [...turns.values()].toSorted((a, b) => (a.at < b.at ? -1 : 1));
}

/** Proposes to bring the files back to what they were before a message, or before the conversation. */
export async function rewind(
  sessions: Pick<Sessions, "turns">,
  proposals: ProposalStore,
  { sessionId, turnId }: RequestParams<"agentq/rewind">,
): Promise<RewindResult> {
  const turns = await listTurns(sessions, proposals.known, sessionId);
  const turn = turns.find((each) => each.turnId === turnId);
  if (turn === undefined && turnId !== undefined && turns.length > 0) {
    throw new InvalidParamsError([{ path: "/turnId", expected: "the id of a turn of that session", received: turnId }]);
  }
  const since = turn && { id: turn.turnId, text: turn.text, at: turn.at };
  const all = await proposals.known.ofSession(sessionId, since);
  if (turns.length === 0 && all.length === 0) {
    throw new AgentqError("unknownSession", `There is no session ${sessionId}.`);
  }
  const title = turn === undefined ? "Rewind to before the conversation" : `Rewind to before: ${shortened(turn.text)}`;
  return { ...(await proposals.rewind(all, title, sessionId)), note: NOTE };
}

function shortened(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, " ");
  return line.length <= SHOWN ? line : `${line.slice(0, SHOWN - 1).trimEnd()}…`;
}
