import { expect, it } from "vitest";
import { answerForEditor, plainAnswer } from "../../../../server/src/typescript/session/answer-shapes.ts";

const range = { start: { line: 0, character: 1 }, end: { line: 0, character: 2 } };
const edits = [{ range, newText: "b" }];

it("gives the tools locations where the editor wants links", () => {
  const link = { targetUri: "file:///a.ts", targetRange: range, targetSelectionRange: range };
  expect(plainAnswer([link])).toEqual([{ uri: "file:///a.ts", range }]);
  expect(plainAnswer(link)).toEqual({ uri: "file:///a.ts", range });
});

it("gives the tools plain changes where the editor wants versioned ones, in code actions too", () => {
  const versioned = { documentChanges: [{ textDocument: { uri: "file:///a.ts", version: null }, edits }] };
  const plain = { changes: { "file:///a.ts": edits } };
  expect(plainAnswer(versioned)).toEqual(plain);
  expect(plainAnswer([{ title: "Fix", edit: versioned }])).toEqual([{ title: "Fix", edit: plain }]);
});

it("leaves edits that create files, and every other answer, as they are", () => {
  const creating = { documentChanges: [{ kind: "create", uri: "file:///b.ts" }] };
  for (const answer of [creating, null, [], "text", 3, { contents: { kind: "markdown", value: "x" } }]) {
    expect(plainAnswer(answer)).toEqual(answer);
  }
});

it("takes the fences out of a hover for an editor that shows plain text", () => {
  const hover = { contents: { kind: "markdown", value: "```typescript\nconst a: 1\n```\nOne." }, range };
  const plain = { contents: { kind: "plaintext", value: "const a: 1\nOne." }, range };
  const wants = (...contentFormat: string[]) => ({ textDocument: { hover: { contentFormat } } });
  expect(answerForEditor("textDocument/hover", {}, hover, wants("plaintext"))).toEqual(plain);
  expect(answerForEditor("textDocument/hover", {}, hover, {})).toEqual(plain);
  expect(answerForEditor("textDocument/hover", {}, hover, wants("markdown", "plaintext"))).toBe(hover);
  expect(answerForEditor("textDocument/hover", {}, null, {})).toBe(null);
});
