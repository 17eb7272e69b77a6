/** Whatever a summary says, the person's own words and decisions go on with a conversation. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { wordForWord } from "../../../../server/src/conversation/compaction/word-for-word.ts";
import type { ModelMessage, UserBlock } from "../../../../server/src/model/model-port.ts";
import { anyHistory } from "./any-history.ts";

const text = (said: string): UserBlock => ({ kind: "text", text: said });
const user = (...content: UserBlock[]): ModelMessage => ({ role: "user", content });
const calling = (id: string, args: object): ModelMessage => ({
  role: "assistant",
  content: [{ kind: "toolUse", id, name: "propose_edits", arguments: { ...args } }],
});
const result = (toolCallId: string, content: string): UserBlock => ({
  kind: "toolResult",
  toolCallId,
  content,
  isError: false,
});

it("tells what the person said, without what the editor told beside it and without what was attached", () => {
  const [said] = wordForWord(
    [
      user(text("[About the project: …]"), text("Round the invoices.\nNever down.")),
      calling("a", {}),
      user(result("a", "…"), text("[Instructions: …]"), text("And not packages/worker.")),
      user(text("[Since your last turn: …]"), text("## Context\n\nsrc/a.ts\n\n## Request\n\nGo on.")),
    ],
    1_000,
  );
  expect(said?.split("\n").slice(1)).toEqual([
    "- Round the invoices. Never down.",
    "- And not packages/worker.",
    "- Go on.",
  ]);
});

it("tells what became of proposals, with the words of a rejection", () => {
  const outcome =
    'PARTIALLY APPLIED: 1 of 2 hunks.\n- hunk h2 (src/a.ts:4): NOT applied, the person rejected it: "no comments on one-liners"\n' +
    "- applied: h1\nsrc/a.ts: saved to disk.";
  const told = wordForWord(
    [
      user(text("Tidy up.")),
      calling("a", { description: "Tidy the sums" }),
      user(result("a", outcome)),
      calling("b", { symbol: "Money", new_name: "Amount" }),
      user(result("b", "APPLIED: all 9 of 9 hunks.\nAll 4 files saved to disk.")),
    ],
    1_000,
  );
  expect(told[1]?.split("\n").slice(1)).toEqual([
    "- Tidy the sums: PARTIALLY APPLIED: 1 of 2 hunks.",
    '  - hunk h2 (src/a.ts:4): NOT applied, the person rejected it: "no comments on one-liners"',
    "- Money → Amount: APPLIED: all 9 of 9 hunks.",
  ]);
});

it("keeps the first message and the newest ones where there is no room for all", () => {
  const all = Array.from({ length: 50 }, (_each, index) => user(text(`Message ${index}.`)));
  const [said = ""] = wordForWord(all, 100);
  expect(said.split("\n").slice(1)).toEqual([
    "- Message 0.",
    "(43 more are left out here)",
    ...[44, 45, 46, 47, 48, 49].map((index) => `- Message ${index}.`),
  ]);
});

it("is about as long as it may be, whatever was said", () => {
  fc.assert(
    fc.property(anyHistory, fc.constantFrom(600, 6_000), (history, longest) => {
      for (const each of wordForWord(history, longest)) expect(each.length).toBeLessThan(longest + 700);
    }),
  );
});
