/** `first-version.json` is what the first version wrote of a review in which each hunk had another state. */
import { expect, it } from "vitest";
import { KeptProposals } from "../../../../server/src/proposals/kept/kept-proposals.ts";
import { Review } from "../../../../server/src/proposals/review.ts";
import { toProposal } from "../../../../server/src/proposals/tracked-proposal.ts";
import { Documents } from "../../../../server/src/workspace/documents.ts";
import first from "./first-version.json" with { type: "json" };

it("goes on with a review that the first version kept", async () => {
  const kept = new KeptProposals({ onTrouble: (message) => expect(message).toBe("") });
  const row = { id: "p", session: "s", at: "", isPending: true, body: JSON.stringify(first), texts: [] };
  kept.keepIn({
    prepare: () => undefined,
    write: () => undefined,
    read: () => row,
    takeOrphans: () => [],
    hasOthersPending: () => false,
    decided: () => [],
  });
  const tracked = kept.read("p");
  if (tracked === undefined) throw new Error("it cannot be read");
  expect(tracked.hunks.map(({ now }) => now.is)).toEqual([
    "applied",
    "applied",
    "rejected",
    "conflict",
    "applied",
    "accepted",
  ]);
  const shown = toProposal(tracked).hunks.map(({ id, state, takenBack, currentText, newText }) =>
    [id, state, newText, takenBack, currentText].filter((each) => each !== undefined),
  );
  expect(shown).toEqual([
    ["h1", "accepted", "A\n"],
    ["h2", "edited", "own\n"],
    ["h3", "rejected", "C\n"],
    ["h4", "conflict", "D\n", "typed\n"],
    ["h5", "accepted", "E\n", true],
    ["h6", "accepted", "F\n"],
  ]);
  const documents = new Documents();
  const uri = "file:///project/a.ts";
  const text = "A\n-\nown\n-\nc\n-\ntyped\n-\ne\n-\nF\n";
  documents.open({ uri, languageId: "typescript", version: 1, text });
  const review = new Review(tracked, { documents, whyMoved: () => undefined, onChanged: () => undefined });
  await review.takeUp(0);
  await review.decide({
    hunks: [
      { id: "h4", decision: "reject" },
      { id: "h5", decision: "reject" },
    ],
  });
  const { state, hunks } = await tracked.settled.promise;
  expect(hunks.map(({ id, applied, reason }) => [id, applied, reason])).toEqual([
    ["h1", true, undefined],
    ["h2", true, undefined],
    ["h3", false, "no"],
    ["h4", false, undefined],
    ["h5", false, undefined],
    ["h6", true, undefined],
  ]);
  expect(state).toBe("partiallyApplied");
});
