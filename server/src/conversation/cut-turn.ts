/** The history of a turn that ended without its end: what the person saw of it stays, and every call in it is answered. */
import { callsIn } from "../agent/unanswered-calls.ts";
import type { AssistantBlock, ModelMessage, ToolUseBlock, UserBlock } from "../model/model-port.ts";
import type { ToolResult } from "../protocol/tool-shapes.ts";
import type { TurnEvent } from "../protocol/turn-shapes.ts";
import { showHidden } from "../workspace/hidden-characters.ts";

export interface CutTurn {
  /** The last message of the turn that was written; undefined when there is none. */
  readonly last: ModelMessage | undefined;
  /** What the editor was shown of the turn. */
  readonly events: readonly TurnEvent[];
  /** That of it which came after the last message. */
  readonly tail: readonly TurnEvent[];
  /** Why the rest is missing, as the end of a sentence: "the server ended". */
  readonly why: string;
}

type Card = Extract<TurnEvent, { readonly kind: "toolCall" }>;

/** The messages that make the history valid again, to be added behind the others. */
export function mendedMessages(turn: CutTurn): ModelMessage[] {
  const { last, events, tail } = turn;
  const added: ModelMessage[] = [];
  const [began] = events;
  if (began?.kind === "turnStarted" && began.isCommand === true) return [];
  if (last === undefined && began?.kind === "turnStarted") added.push(user([text(began.text)]));
  let calls: ToolUseBlock[] = [];
  if (last?.role === "assistant") calls = callsIn(last.content);
  else {
    const content = replyIn(tail);
    if (content.length > 0) added.push({ role: "assistant", content });
    calls = callsIn(content);
  }
  const blocks = [...calls.map((call) => answerTo(call, turn)), ...queuedIn(tail)];
  if (blocks.length > 0) added.push(user(blocks));
  return added;
}

/** What of a reply had arrived. A reply that was to be asked for again is void. */
function replyIn(tail: readonly TurnEvent[]): AssistantBlock[] {
  const blocks: AssistantBlock[] = [];
  const seen = new Set<string>();
  for (const event of tail.slice(tail.findLastIndex(({ kind }) => kind === "retrying") + 1)) {
    if (event.kind === "text") {
      const before = blocks.at(-1);
      if (before?.kind === "text") blocks[blocks.length - 1] = text(before.text + event.text);
      else blocks.push(text(event.text));
    } else if (event.kind === "toolCall" && event.arguments !== undefined && !seen.has(event.toolCallId)) {
      seen.add(event.toolCallId);
      blocks.push({ kind: "toolUse", id: event.toolCallId, name: event.name, arguments: event.arguments });
    }
  }
  return blocks;
}

function answerTo({ id }: ToolUseBlock, { events, why }: CutTurn): UserBlock {
  const shown = events.findLast((event) => event.kind === "toolResult" && event.toolCallId === id);
  if (shown?.kind === "toolResult") return resultBlock(id, shown.result);
  const states = events.filter((event): event is Card => event.kind === "toolCall" && event.toolCallId === id);
  const hasRun = states.some(({ state }) => state === "running");
  const content = !hasRun
    ? `NOT RUN: ${why} before this call.`
    : states.at(-1)?.state === "waitingApproval"
      ? `INTERRUPTED: ${why} while this call waited for the person. Nothing was done that they had not accepted by then.`
      : `INTERRUPTED: ${why} while this call ran. What it had done by then is not known.`;
  return { kind: "toolResult", toolCallId: id, content, isError: true };
}

function resultBlock(toolCallId: string, { success, content, error = "failed", metadata }: ToolResult): UserBlock {
  const { notes = [], nextCursor } = metadata;
  const lines = [...notes, ...(nextCursor === undefined ? [] : [`More with cursor: "${nextCursor}"`])];
  const extra = lines.length === 0 ? "" : `\nNotes:\n${lines.map((line) => `- ${line}`).join("\n")}`;
  const told = `${success ? content : error}${extra}` || "(empty)";
  return { kind: "toolResult", toolCallId, content: showHidden(told), isError: !success };
}

/** What the person said meanwhile, and the model had not got. */
function queuedIn(tail: readonly TurnEvent[]): UserBlock[] {
  return tail.flatMap((event) => (event.kind === "queuedPrompt" ? [text(event.text)] : []));
}

function user(content: readonly UserBlock[]): ModelMessage {
  return { role: "user", content };
}

function text(said: string): { readonly kind: "text"; readonly text: string } {
  return { kind: "text", text: said };
}
