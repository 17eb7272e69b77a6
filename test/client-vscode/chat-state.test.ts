/** What the page of VS Code's chat is told of a turn, of what waits, and of completion. */
import { describe, expect, it } from "vitest";
import { candidatesOf } from "../../client-vscode/chat/completion.ts";
import { ConversationState } from "../../client-vscode/chat/conversation-state.ts";
import { Waiting } from "../../client-vscode/chat/waiting.ts";
import type { Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import type { ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import type { TurnEvent } from "../../server/src/protocol/turn-shapes.ts";

const started: TurnEvent = { kind: "turnStarted", text: "What does it book?" };
const usage: TurnEvent = {
  kind: "usage",
  model: "m",
  inputTokens: 10,
  outputTokens: 5,
  cacheReadTokens: 25,
  cacheWriteTokens: 10,
  contextWindow: 100,
  sessionCost: 0.5,
};

function told(...events: readonly TurnEvent[]): ConversationState {
  const state = new ConversationState("s");
  for (const [seq, event] of events.entries()) state.take({ turnId: "t", seq, event, at: 1000 + seq });
  return state;
}

function result(content: string): ToolResult {
  return { id: "c", success: true, content, metadata: { executionTimeMs: 3, safetyLevel: "safe", complete: true } };
}

function proposal(id: string): Proposal {
  const hunk = {
    id: "h1",
    uri: "file:///a.ts",
    range: { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } },
    oldText: "a\n",
    newText: "b\n",
    kind: "edit",
    title: "a.ts:1",
    state: "pending",
  } as const;
  return {
    proposalId: id,
    sessionId: "s",
    toolCallId: "c",
    at: "2026-01-01T00:00:00.000Z",
    title: "Edit a.ts",
    why: "Better",
    edit: {},
    documents: [],
    hunks: [hunk, { ...hunk, id: "h2", uri: "file:///b.ts" }],
    check: { state: "done", introduced: [{ severity: "error", message: "No b." }], resolved: [] },
    state: "pending",
  };
}

describe("a conversation", () => {
  it("is told to the page in pieces: first the item, then only what grew", () => {
    const state = told(started, { kind: "text", text: "It **books" });
    expect(state.patch().items).toEqual([
      { id: "i1", kind: "you", text: "What does it book?", attached: [] },
      { id: "i2", kind: "text", text: "It **books" },
    ]);
    state.take({ turnId: "t", seq: 2, event: { kind: "text", text: " -9" }, at: 1100 });
    state.take({ turnId: "t", seq: 3, event: { kind: "text", text: ".99**." }, at: 1120 });
    expect(state.patch()).toEqual({ items: [], added: [{ id: "i2", text: " -9.99**." }] });
    expect(state.patch()).toEqual({ items: [], added: [] });
    expect(state.items[1]).toMatchObject({ text: "It **books -9.99**." });
  });

  it("keeps a paragraph together around a notice that comes while it is written", () => {
    const notice: TurnEvent = { kind: "notice", level: "info", message: "Rules were read." };
    const { items } = told(started, { kind: "text", text: "one " }, notice, { kind: "text", text: "sentence" });
    expect(items.map((item) => ("text" in item ? item.text : ""))).toEqual([
      "What does it book?",
      "one sentence",
      "Rules were read.",
    ]);
  });

  it("takes back the reply of an attempt that failed, and nothing of the replies before", () => {
    const call = { kind: "toolCall", toolCallId: "c", name: "eval_form" } as const;
    const state = told(
      started,
      { kind: "text", text: "First." },
      usage,
      { kind: "text", text: "Half a" },
      { ...call, state: "preparing" },
      { kind: "retrying", attempt: 1, waitMs: 800, reason: "overloaded" },
      { kind: "text", text: "Whole." },
    );
    expect(state.items.slice(1)).toMatchObject([
      { text: "First." },
      { text: "Half a", isVoid: true },
      { kind: "call", state: "void" },
      { kind: "notice", text: expect.stringContaining("overloaded") },
      { text: "Whole." },
    ]);
    expect(state.items[1]).not.toHaveProperty("isVoid");
  });

  it("shows a call in one line with its newest result, and the rest when it unfolds", () => {
    const form = 'import { a } from "./a.ts";\nallocate([1, 2])';
    const state = told(
      started,
      { kind: "toolCall", toolCallId: "c", name: "eval_form", state: "running", arguments: { form } },
      { kind: "toolResult", toolCallId: "c", name: "eval_form", result: result("[0]") },
      { kind: "toolResult", toolCallId: "c", name: "eval_form", result: result("[1, 2]\n: number[]") },
    );
    expect(state.items[1]).toMatchObject({ state: "done", brief: "allocate([1, 2])", outcome: "[1, 2]" });
    expect(state.detailsOf("c")).toEqual([
      { label: "form", text: form },
      { label: "result", text: "[1, 2]\n: number[]" },
    ]);
  });

  it("knows how full the context is, what the conversation costs, and that events were lost", () => {
    const state = told(started, usage);
    expect(state).toMatchObject({ model: "m", context: "ctx 50 %", cost: 0.5 });
    state.take({ turnId: "t", seq: 5, event: { kind: "turnEnded", reason: "endTurn" }, at: 3000 });
    expect(state.turn).toBeUndefined();
    expect(state.items.slice(-2)).toMatchObject([
      { kind: "notice", text: "3 events of this turn were lost." },
      { kind: "end", text: "done · 2.0 s · 45 tokens in, 5 out", isCalm: true },
    ]);
  });

  it("ends what runs when the server ends", () => {
    const state = told(started, { kind: "toolCall", toolCallId: "c", name: "run_tests", state: "running" });
    state.lose(2000);
    expect(state.turn).toBeUndefined();
    expect(state.items.slice(1)).toMatchObject([
      { kind: "call", state: "failed", words: "the server ended" },
      { kind: "notice", text: "The server ended." },
      { kind: "end", isCalm: false },
    ]);
  });

  it("tells on the line of a call what became of its proposal", () => {
    const call = { kind: "toolCall", toolCallId: "c", name: "propose_edits" } as const;
    const state = told(started, { ...call, state: "waitingApproval" });
    expect(state.isWaiting()).toBe(true);
    const [first, second] = proposal("p").hunks;
    if (first === undefined || second === undefined) throw new Error("no hunks");
    state.tellProposal({
      ...proposal("p"),
      state: "partiallyApplied",
      hunks: [
        { ...first, state: "accepted" },
        { ...second, state: "rejected" },
      ],
    });
    expect(state.items[1]).toMatchObject({ brief: "Edit a.ts", words: "2 hunks: 1 accepted, 1 rejected" });
    expect(state.isWaiting()).toBe(false);
  });
});

describe("what waits", () => {
  it("is a card with all arguments, in which nothing hides, and only the answers that there are", () => {
    const waiting = new Waiting();
    const command = "echo a\n".repeat(40) + "rm \u202Etxt.exe";
    const asked = { tool: "run_command", arguments: { command, hosts: ["a.org"] }, why: "W", risk: "R" };
    waiting.ask({ approvalId: "a", sessionId: "s", toolCallId: "c", ...asked });
    waiting.ask({
      approvalId: "b",
      sessionId: "other",
      ...asked,
      question: "May it start?",
      answers: { approved: "Yes", denied: "No", always: "Always" },
    });
    const [card, second] = waiting.cards("s");
    expect(card).toMatchObject({ allow: "Allow", deny: "Deny", session: "Allow for this conversation", why: "W\nR" });
    const question = card?.kind === "approval" ? card.question : "";
    expect(question).toContain(command.replace("\u202E", "<U+202E>"));
    expect(question).toContain('hosts: ["a.org"]');
    expect(card).not.toHaveProperty("always");
    // What the person writes takes the place of the arguments; what they leave is as the model wrote it.
    const fields = card?.kind === "approval" ? card.fields : [];
    expect(waiting.changed("a", fields)).toBeUndefined();
    expect(waiting.changed("a", [{ name: "hosts", text: "[]" }])).toEqual({ command, hosts: [] });
    const [first, hosts] = fields;
    if (first === undefined || hosts === undefined) throw new Error("no fields");
    expect(
      waiting.changed("a", [
        { ...first, text: "ls" },
        { ...hosts, text: "[]" },
      ]),
    ).toEqual({ command: "ls", hosts: [] });
    expect(() => waiting.changed("a", [{ ...hosts, text: "all" }])).toThrow("hosts has to be JSON");
    expect(second).toMatchObject({
      fields: [],
      question: "May it start?",
      allow: "Yes",
      always: "Always",
      isOther: true,
    });
    expect(second).not.toHaveProperty("session");
    waiting.answered("a");
    expect(waiting.cards("s").map(({ id }) => id)).toEqual(["b"]);
  });

  it("is a proposal until it is decided, with its size and the compiler's verdict", () => {
    const waiting = new Waiting();
    waiting.propose(proposal("p"));
    expect(waiting.cards("s")).toMatchObject([
      { size: "2 hunks in 2 files", verdict: "The compiler finds 1 new error: No b.", isBad: true, isOther: false },
    ]);
    expect(waiting.loss("s")).toBe("1 proposal");
    expect(waiting.loss("other")).toBe("");
    const { hunks, documents, check } = proposal("p");
    const decided = hunks.slice(0, 1).map((hunk) => ({ ...hunk, state: "accepted" as const }));
    waiting.change({ proposalId: "p", hunks: decided, documents, check, state: "pending" });
    expect(waiting.cards("s")).toMatchObject([{ size: "1 of 2 hunks in 2 files" }]);
    waiting.change({ proposalId: "p", hunks: [], documents, check, state: "applied" });
    expect(waiting.size).toBe(0);
  });
});

it("completes in the place that the server names, also in a later line, in the server's order", () => {
  const range = { start: { line: 1, character: 4 }, end: { line: 1, character: 7 } };
  const items = [
    { label: "@b.ts", sortText: "001", textEdit: { range, newText: "@b.ts" } },
    { label: "@a.ts", sortText: "000", detail: "a file", textEdit: { range, newText: '@"a.ts"' } },
  ];
  const text = "first\nsee @a.";
  expect(candidatesOf(text, { isIncomplete: true, items })).toEqual([
    { label: "@a.ts", detail: "a file", insert: '@"a.ts"', start: text.indexOf("@") },
    { label: "@b.ts", detail: "", insert: "@b.ts", start: text.indexOf("@") },
  ]);
  expect(candidatesOf(text, null)).toEqual([]);
});
