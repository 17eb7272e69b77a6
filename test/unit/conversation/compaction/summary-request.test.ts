/** What the writer of a summary reads: the turns as text, as long as its window allows. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { summaryRequest } from "../../../../server/src/conversation/compaction/summary-request.ts";
import type { ModelMessage } from "../../../../server/src/model/model-port.ts";
import { anyHistory } from "./any-history.ts";

/** The words around the turns. */
const FRAME = 200;

const turn: ModelMessage[] = [
  { role: "user", content: [{ kind: "text", text: "Round up, never down." }] },
  {
    role: "assistant",
    content: [
      { kind: "opaque", value: { type: "thinking", thinking: "A secret thought." } },
      { kind: "toolUse", id: "1", name: "read_file", arguments: { path: "src/tax.ts" } },
    ],
  },
  {
    role: "user",
    content: [{ kind: "toolResult", toolCallId: "1", content: `first\n${"x".repeat(90_000)}\nlast`, isError: false }],
  },
];

it("has what was said, called and answered, the middle of long answers cut, and no thoughts", () => {
  const text = summaryRequest(turn, { longest: 100_000, wish: "the rounding" });
  expect(text).toContain("Round up, never down.");
  expect(text).toContain('AGENT CALLS read_file {"path":"src/tax.ts"}');
  expect(text).toMatch(/ANSWER:\nfirst\nx+\n\[… \d+ characters …\]\nx+\nlast/);
  expect(text).toMatch(/The developer wants this kept above all: the rounding$/);
  expect(text).not.toContain("secret");
  expect(text.length).toBeLessThan(8_000);
});

it("is never longer than the window of its model allows", () => {
  fc.assert(
    fc.property(anyHistory, fc.constantFrom(500, 5_000, 50_000), (history, longest) => {
      expect(summaryRequest(history, { longest, wish: undefined }).length).toBeLessThan(longest + FRAME);
    }),
  );
});
