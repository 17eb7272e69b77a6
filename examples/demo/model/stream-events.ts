/** Turns a reply into the events of a Messages API stream, and into the message that they add up to. */
import { signatureOf } from "./signature.ts";
import type { Block, Reply, StopReason } from "./script.ts";

export type StreamEvent = Readonly<Record<string, unknown>> & { readonly type: string };

export interface MessageFrame {
  readonly id: string;
  readonly model: string;
  /** What stands before the reply, as `prefixOf` has it. */
  readonly prefix: string;
  readonly inputTokens: number;
  readonly newToolId: () => string;
}

export function streamEvents(reply: Reply, frame: MessageFrame): StreamEvent[] {
  const start = { ...messageOf(reply, frame), content: [], stop_reason: null };
  return [
    { type: "message_start", message: { ...start, usage: { ...usageOf(reply, frame), output_tokens: 1 } } },
    { type: "ping" },
    ...reply.blocks.flatMap((block, index) => blockEvents(block, index, reply.chunkSize ?? 12, frame)),
    {
      type: "message_delta",
      delta: { stop_reason: stopReasonOf(reply), stop_sequence: null, stop_details: reply.stopDetails ?? null },
      usage: { output_tokens: usageOf(reply, frame).output_tokens },
    },
    { type: "message_stop" },
  ];
}

/** The whole message, for a request without streaming. */
export function messageOf(reply: Reply, frame: MessageFrame): Readonly<Record<string, unknown>> {
  return {
    id: frame.id,
    type: "message",
    role: "assistant",
    model: frame.model,
    content: reply.blocks.map((block) => contentOf(block, frame)),
    stop_reason: stopReasonOf(reply),
    stop_sequence: null,
    usage: usageOf(reply, frame),
  };
}

function contentOf(block: Block, frame: MessageFrame): Readonly<Record<string, unknown>> {
  if (block.type === "text") return { type: "text", text: block.text };
  if (block.type === "redacted_thinking") return block;
  if (block.type === "other") return block.content;
  if (block.type === "thinking") {
    return {
      type: "thinking",
      thinking: block.thinking,
      signature: `${signatureOf(block.thinking, frame.model)}.${frame.prefix}`,
    };
  }
  const input = typeof block.input === "string" ? {} : block.input;
  return { type: "tool_use", id: frame.newToolId(), name: block.name, input };
}

function blockEvents(block: Block, index: number, chunkSize: number, frame: MessageFrame): StreamEvent[] {
  const start = (content: Readonly<Record<string, unknown>>): StreamEvent => ({
    type: "content_block_start",
    index,
    content_block: content,
  });
  const delta = (change: Readonly<Record<string, unknown>>): StreamEvent => ({
    type: "content_block_delta",
    index,
    delta: change,
  });
  const stop: StreamEvent = { type: "content_block_stop", index };
  switch (block.type) {
    case "text":
      return [
        start({ type: "text", text: "" }),
        ...chunks(block.text, chunkSize).map((text) => delta({ type: "text_delta", text })),
        stop,
      ];
    case "thinking":
      return [
        start({ type: "thinking", thinking: "", signature: "" }),
        ...chunks(block.thinking, chunkSize).map((thinking) => delta({ type: "thinking_delta", thinking })),
        delta({ type: "signature_delta", signature: `${signatureOf(block.thinking, frame.model)}.${frame.prefix}` }),
        stop,
      ];
    case "redacted_thinking":
      return [start(block), stop];
    case "other":
      return [start(block.content), stop];
    case "tool_use": {
      const json = typeof block.input === "string" ? block.input : JSON.stringify(block.input);
      return [
        start({ type: "tool_use", id: frame.newToolId(), name: block.name, input: {} }),
        ...["", ...chunks(json, chunkSize * 4)].map((part) => delta({ type: "input_json_delta", partial_json: part })),
        stop,
      ];
    }
  }
}

/** Pieces of so many characters; a character is never cut. */
function chunks(text: string, size: number): string[] {
  const characters = Array.from(text);
  const pieces: string[] = [];
  for (let start = 0; start < characters.length; start += size) {
    pieces.push(characters.slice(start, start + size).join(""));
  }
  return pieces;
}

function stopReasonOf(reply: Reply): StopReason {
  return reply.stopReason ?? (reply.blocks.some((block) => block.type === "tool_use") ? "tool_use" : "end_turn");
}

/** Four characters a token: near enough for a meter to have something to show. */
function usageOf(reply: Reply, frame: MessageFrame) {
  const outputTokens = Math.ceil(JSON.stringify(reply.blocks).length / 4);
  return {
    input_tokens: frame.inputTokens,
    output_tokens: outputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  };
}
