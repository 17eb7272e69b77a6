import { expect, it } from "vitest";
import type { TextDocumentEdit, TextEdit } from "vscode-languageserver-protocol";
import { TextDocument } from "vscode-languageserver-textdocument";
import { Review } from "../../../../server/src/proposals/review.ts";
import { createTracked } from "../../../../server/src/proposals/tracked-proposal.ts";
import type { HunkDecision } from "../../../../server/src/protocol/proposal-shapes.ts";
import { Documents, sha256 } from "../../../../server/src/workspace/documents.ts";

const uri = "file:///project/a.ts";

const base = "top\nconst total = one;\nend\n";

/** A review of `base` in an open document, and an editor that applies what is accepted. */
function reviewOf(target: string) {
  const documents = new Documents();
  const open = (text: string): void => documents.open({ uri, languageId: "typescript", version: 1, text });
  open(base);
  const document = { uri, path: "a.ts", base: { text: base, version: 1, sha256: sha256(base) }, target };
  const tracked = createTracked("p", { title: "t", why: "w", documents: [document] });
  const review = new Review(tracked, { documents, whyMoved: () => undefined, onChanged: () => undefined });
  void review.run(() => undefined, new AbortController().signal);
  const text = (): string => documents.get(uri)?.text ?? "";
  const decide = async (...hunks: HunkDecision[]): Promise<void> => {
    const { edit } = await review.decide({ hunks });
    for (const change of (edit?.documentChanges ?? []) as TextDocumentEdit[]) {
      const now = TextDocument.create(uri, "typescript", 1, text());
      documents.change(uri, (documents.get(uri)?.version ?? 0) + 1, [
        { text: TextDocument.applyEdits(now, change.edits as TextEdit[]) },
      ]);
    }
    await review.didApply();
  };
  const states = (): string[] => tracked.hunks.map(({ id, now }) => `${id} ${now.is}`);
  return { review, documents, open, text, decide, states };
}

it("keeps the order of pieces at one place when what was applied is lost with the editor", async () => {
  const target = "top\nlog();\nconst total = two;\nend\n";
  const { review, documents, open, text, decide, states } = reviewOf(target);
  // Of the pieces, in this order: a line that comes, a line that goes, a line that comes.
  await decide({ id: "h1", decision: "accept", lines: { old: [0], new: [] } });
  expect(text()).toBe("top\nend\n");
  documents.close(uri);
  open(base);
  await review.takeUp(0);
  expect(states()).toEqual(["h1.1 pending", "h1.2 pending", "h1.3 pending"]);
  await decide({ id: "h1.1", decision: "accept" });
  expect(text()).toBe("top\nlog();\nconst total = one;\nend\n");
  await decide({ id: "h1.2", decision: "accept" }, { id: "h1.3", decision: "accept" });
  expect(text()).toBe(target);
});

it("does not take applied lines for lost when its file is not there, as in the middle of a move", async () => {
  const { review, documents, decide, states } = reviewOf("top\nlog();\nconst total = one;\nEND\n");
  await decide({ id: "h1", decision: "accept" });
  documents.close(uri);
  await review.takeUp(0);
  expect(states()[0]).toBe("h1 applied");
});

it("lets the person decide again about a hunk that they took back before the editor ended", async () => {
  const { review, documents, open, decide, states } = reviewOf("TOP\nconst total = one;\nEND\n");
  await decide({ id: "h1", decision: "accept" });
  documents.change(uri, 3, [{ text: base }]);
  review.touch(uri);
  await review.openNewest();
  documents.close(uri);
  open(base);
  await review.takeUp(0);
  review.touch(uri);
  expect((await review.openNewest()).hunks[0]).not.toHaveProperty("takenBack");
  expect(states()).toEqual(["h1 pending", "h2 pending"]);
});

it("keeps the place of what an editor was applying behind lines that are lost with that editor", async () => {
  const target = "a much longer top\nconst total = one;\nEND\n";
  const { review, documents, open, text, decide, states } = reviewOf(target);
  await decide({ id: "h1", decision: "accept" });
  await review.decide({ hunks: [{ id: "h2", decision: "accept" }] });
  documents.close(uri);
  open(base.replace("end", "END"));
  await review.takeUp(0);
  expect(states()).toEqual(["h1 pending", "h2 applied"]);
  expect(review.tracked.documents[0]?.base).toBe(text());
  await decide({ id: "h1", decision: "accept" });
  expect(text()).toBe(target);
});
