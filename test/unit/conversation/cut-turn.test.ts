import { describe, expect, it } from "vitest";
import { mendedMessages } from "../../../server/src/conversation/cut-turn.ts";
import type { AssistantBlock, ModelMessage } from "../../../server/src/model/model-port.ts";
import type { TurnEvent } from "../../../server/src/protocol/turn-shapes.ts";

const began: TurnEvent = { kind: "turnStarted", text: "Please." };
const asked: ModelMessage = { role: "user", content: [{ kind: "text", text: "Please." }] };
const why = "the server ended";

const card = (toolCallId: string, state: "preparing" | "running" | "done"): TurnEvent => {
  const call = { kind: "toolCall", toolCallId, name: "read_file", state } as const;
  return state === "preparing" ? call : { ...call, arguments: { path: toolCallId } };
};

const answered = (toolCallId: string): TurnEvent => {
  const metadata = { executionTimeMs: 1, safetyLevel: "safe", complete: true } as const;
  const result = { id: toolCallId, success: true, content: `text of ${toolCallId}`, metadata };
  return { kind: "toolResult", toolCallId, name: "read_file", result };
};

const use = (id: string): AssistantBlock => ({ kind: "toolUse", id, name: "read_file", arguments: { path: id } });

function mended(last: ModelMessage | undefined, tail: readonly TurnEvent[], before: readonly TurnEvent[] = []) {
  return mendedMessages({ last, events: [began, ...before, ...tail], tail, why });
}

describe("a turn that was cut", () => {
  it("before anything reached the model still holds what the person said", () => {
    expect(mendedMessages({ last: undefined, events: [began], tail: [began], why })).toEqual([asked]);
  });

  it("between two messages needs nothing", () => {
    expect(mended(asked, [])).toEqual([]);
    expect(mended({ role: "assistant", content: [{ kind: "text", text: "Done." }] }, [])).toEqual([]);
  });

  it("within a reply holds the text that was seen, without what was to be asked for again", () => {
    const retrying: TurnEvent = { kind: "retrying", attempt: 1, waitMs: 5, reason: "529" };
    const text = (said: string): TurnEvent => ({ kind: "text", text: said });
    expect(
      mended(asked, [text("Void."), retrying, text("One "), { kind: "thinking", text: "Hm." }, text("two.")]),
    ).toEqual([{ role: "assistant", content: [{ kind: "text", text: "One two." }] }]);
  });

  it("answers calls by their results, as interrupted, or as not run", () => {
    const last: ModelMessage = { role: "assistant", content: [use("a"), use("b"), use("c")] };
    // The first call was answered while the reply still streamed.
    const [, message] = [last, ...mended(last, [card("b", "running")], [card("a", "running"), answered("a")])];
    expect(message?.content).toEqual([
      expect.objectContaining({
        toolCallId: "a",
        isError: false,
        content: expect.stringContaining("text of a") as string,
      }),
      expect.objectContaining({
        toolCallId: "b",
        content: expect.stringMatching(/^INTERRUPTED: the server/) as string,
      }),
      expect.objectContaining({ toolCallId: "c", content: "NOT RUN: the server ended before this call." }),
    ]);
  });

  it("within a reply keeps calls whose arguments were whole, and no other", () => {
    const tail = [
      card("a", "preparing"),
      card("a", "running"),
      card("a", "done"),
      answered("a"),
      card("b", "preparing"),
    ];
    expect(mended(asked, tail)).toMatchObject([
      { role: "assistant", content: [{ kind: "toolUse", id: "a", arguments: { path: "a" } }] },
      { role: "user", content: [{ kind: "toolResult", toolCallId: "a" }] },
    ]);
  });

  it("tells what the person said meanwhile", () => {
    const last: ModelMessage = { role: "assistant", content: [use("a")] };
    const [message] = mended(last, [card("a", "running"), answered("a"), { kind: "queuedPrompt", text: "Wait!" }]);
    expect(message?.content.map(({ kind }) => kind)).toEqual(["toolResult", "text"]);
    expect(message?.content[1]).toEqual({ kind: "text", text: "Wait!" });
  });
});
