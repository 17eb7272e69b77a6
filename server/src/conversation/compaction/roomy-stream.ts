/** A conversation's requests, each with room enough: a full context does not end a conversation. */
import { given } from "../../base/given.ts";
import type { ModelEvent, ModelReply, ModelRequest } from "../../model/model-port.ts";
import { ModelFailure, TooLong } from "../../model/model-port.ts";
import { usageEvent } from "../spending/usage-event.ts";
import { cannotFitWords, failedWords, NOTHING_LEFT_OUT } from "./compaction-words.ts";
import { sizeOf } from "./cut.ts";
import { makeRoom, windowOf, type RoomFor } from "./make-room.ts";
import type { Occasion } from "./plan.ts";
import { viewOf } from "./view.ts";

type Request = Omit<ModelRequest, "messages">;

const FULL = "the context was full before the reply ended";

/**
 * Contract: that of `ModelPort.stream`, for the history of the conversation. A request that is refused as too long is sent
 * again with less of it, and so is one whose reply filled the context.
 */
export async function* streamWithRoom(
  where: RoomFor,
  request: Request,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const { session, model, turn } = where;
  await beforeRequest(where, signal);
  const occasions: Occasion[] = ["tooLong", "stillTooLong"];
  for (let hasFilled = false; ;) {
    let reply: ModelReply;
    try {
      reply = yield* streamInRoom(where, request, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof TooLong)) throw error;
      session.sent.learn(model.name, error.window);
      await afterRefusal(where, { error, occasions }, signal);
      continue;
    }
    const isFull = reply.stopReason === "contextFull" && !hasFilled;
    const room = isFull ? await makeRoom(where, { occasion: "tooLong" }, signal) : "nothing";
    if (room === "nothing" || "failure" in room) return yield reply;
    hasFilled = true;
    turn.events.emit(usageEvent(where, reply.usage));
    yield { kind: "retrying", attempt: 1, waitMs: 0, reason: FULL };
  }
}

/** Everything but the reply's end, which is answered. */
async function* streamInRoom(
  { session, model }: RoomFor,
  request: Request,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, ModelReply> {
  const { messages: history, sent } = session;
  const messages = viewOf(history, sent.now);
  for await (const event of model.port.stream({ ...request, messages }, signal)) {
    if (event.kind !== "done") {
      yield event;
      continue;
    }
    const reply = { role: "assistant", content: event.content } as const;
    sent.meter.count(event.usage, {
      messages: history.length + (reply.content.length > 0 ? 1 : 0),
      fixed: request.system.length + JSON.stringify(request.tools).length,
      size: sizeOf([...messages, reply]),
      ...given({ window: await windowOf(session, model, signal) }),
    });
    return event;
  }
  signal.throwIfAborted();
  throw new ModelFailure("The model's reply ended without a reason.", "cut");
}

/** Where the person asked for room, or the request would fill more of the window than they allow. */
async function beforeRequest(where: RoomFor, signal: AbortSignal): Promise<void> {
  const { session, model, ports, turn } = where;
  const { sent, messages } = session;
  const wanted = sent.takeWanted();
  const window = await windowOf(session, model, signal);
  const tokens = sent.meter.tokensOf(messages);
  const isFull = window !== undefined && tokens !== undefined && tokens > ports.compactAt * window;
  if (wanted === undefined && !(isFull && sent.mayMakeRoom(turn.id))) return;
  const occasion = wanted === undefined ? "share" : "byHand";
  const room = await makeRoom(where, { occasion, wish: wanted?.wish }, signal);
  if (room === "nothing" || "made" in room) return;
  sent.failed(turn.id);
  turn.events.emit({ kind: "notice", level: "warning", message: `${failedWords(room.failure)} ${NOTHING_LEFT_OUT}` });
}

/** Throws what the turn ends with where nothing more can be left out. */
async function afterRefusal(
  where: RoomFor,
  { error, occasions }: { readonly error: TooLong; readonly occasions: Occasion[] },
  signal: AbortSignal,
): Promise<void> {
  for (let occasion = occasions.shift(); occasion !== undefined; occasion = occasions.shift()) {
    const room = await makeRoom(where, { occasion }, signal);
    if (room !== "nothing" && "made" in room) return;
  }
  const window = await windowOf(where.session, where.model, signal);
  throw new ModelFailure(cannotFitWords(error.message, window), error.kind);
}
