/** Histories as conversations leave them: turns of any length, calls with their results, thoughts, cut replies. */
import fc from "fast-check";
import type { AssistantBlock, ModelMessage, UserBlock } from "../../../../server/src/model/model-port.ts";

/** One round of a turn: what the model said, and how long the results of its calls are. */
interface Round {
  readonly words: string;
  readonly thinks: boolean;
  readonly results: readonly number[];
  readonly queued: boolean;
}

interface AnyTurn {
  readonly prompt: number;
  readonly rounds: readonly Round[];
  /** The model's last words; absent where the turn failed before them. */
  readonly last: string | undefined;
}

const round: fc.Arbitrary<Round> = fc.record({
  words: fc.constantFrom("", "I look.", "Now the tests."),
  thinks: fc.boolean(),
  results: fc.array(fc.constantFrom(0, 40, 1_990, 2_010, 30_000), { minLength: 1, maxLength: 4 }),
  queued: fc.boolean(),
});

const turn: fc.Arbitrary<AnyTurn> = fc.record({
  prompt: fc.constantFrom(5, 300, 20_000),
  rounds: fc.array(round, { maxLength: 5 }),
  last: fc.option(fc.constantFrom("Done.", "It is in src/tax.ts."), { nil: undefined, freq: 4 }),
});

export const anyHistory: fc.Arbitrary<ModelMessage[]> = fc.array(turn, { maxLength: 8 }).map((turns) => {
  const messages: ModelMessage[] = [];
  let calls = 0;
  for (const [index, { prompt, rounds, last }] of turns.entries()) {
    messages.push(user(text(`${index}: ${"p".repeat(prompt)}`)));
    for (const { words, thinks, results, queued } of rounds) {
      const ids = results.map(() => `call_${(calls += 1)}`);
      messages.push({
        role: "assistant",
        content: [
          ...(thinks
            ? [{ kind: "opaque", value: { type: "thinking", thinking: "Hm.", signature: "s" } } as const]
            : []),
          ...(words === "" ? [] : [text(words)]),
          ...ids.map((id): AssistantBlock => ({ kind: "toolUse", id, name: "read_file", arguments: { path: "a.ts" } })),
        ],
      });
      messages.push(
        user(...ids.map((id, at) => result(id, results[at] ?? 0)), ...(queued ? [text("And the other one?")] : [])),
      );
    }
    if (last !== undefined) messages.push({ role: "assistant", content: [text(last)] });
  }
  return messages;
});

function user(...content: readonly UserBlock[]): ModelMessage {
  return { role: "user", content };
}

function text(words: string): { readonly kind: "text"; readonly text: string } {
  return { kind: "text", text: words };
}

function result(toolCallId: string, length: number): UserBlock {
  return {
    kind: "toolResult",
    toolCallId,
    content: "line of a file\n".repeat(length / 15) || "(empty)",
    isError: false,
  };
}
