/** The questions of a plain editor: nothing of what a yes accepts is hidden from whoever reads them. */
import { expect, it } from "vitest";
import { approvalQuestion, hunkQuestion } from "../../../server/src/client/questions.ts";
import type { Hunk, Proposal } from "../../../server/src/protocol/proposal-shapes.ts";

const place = { line: 0, character: 0 };
const hunk = (newText: string): Hunk => ({
  id: "h1",
  uri: "file:///p/a.ts",
  range: { start: place, end: place },
  oldText: "",
  newText,
  kind: "edit",
  title: "a.ts:1",
  state: "pending",
});
const proposalOf = (one: Hunk): Proposal => ({
  proposalId: "p1",
  at: "2026-11-28T12:00:00.000Z",
  title: "",
  why: "",
  edit: {},
  documents: [],
  hunks: [one],
  check: { state: "unavailable", introduced: [], resolved: [] },
  state: "pending",
});
const asked = (text: string, isBeside: boolean): string =>
  hunkQuestion(proposalOf(hunk(text)), proposalOf(hunk(text)).hunks[0] as Hunk, () => "a.ts", isBeside);

it("writes out characters that do not show, in hunks and in arguments", () => {
  expect(asked("if (a\u202E) b();\n", false)).toContain("<U+202E>");
  const approval = { approvalId: "1", tool: "eval_form", arguments: { form: "a\u202E" }, why: "", risk: "" };
  expect(approvalQuestion(approval, false)).toContain("<U+202E>");
});

it("keeps the name of an argument on its line", () => {
  const approval = { approvalId: "1", tool: "send", arguments: { "to\nRisk: none": "x" }, why: "Why.", risk: "Risk." };
  expect(approvalQuestion(approval, false)).toBe("May the agent call send?\nto Risk: none: x\nWhy.\nRisk.");
});

it("cuts a long hunk only where all of it stands in a document beside the question", () => {
  const text = Array.from({ length: 50 }, (_, index) => `line ${index}\n`).join("");
  expect(asked(text, false)).toContain("+ line 49");
  expect(asked(text, true)).not.toContain("+ line 49");
  expect(asked(text, true)).toContain("38 more lines");
});
