/** A client hears which hunks of a proposal are taken back, so that what it says of the proposal stays true. */
import { expect, it } from "vitest";
import { Reviewer } from "../reviewer.ts";

const base = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
const target = "ONE\ntwo\nthree\nFOUR\nfive\nsix\nSEVEN\n";

/** A proposal of three hunks of which the first two are accepted and the last is rejected. */
async function decided(): Promise<{ reviewer: Reviewer; takenBack: () => string[]; id: string }> {
  const reviewer = new Reviewer();
  reviewer.open("a.ts", base);
  void reviewer.propose(reviewer.proposed("a.ts", base, target));
  await expect.poll(() => reviewer.told).toHaveLength(1);
  await reviewer.carryOut("h1", "accept");
  await reviewer.carryOut("h2", "accept");
  await reviewer.decide("h3", "reject");
  const id = reviewer.proposal.proposalId;
  await expect.poll(() => reviewer.store.open(id).state).toBe("partiallyApplied");
  const takenBack = (): string[] =>
    (reviewer.told.findLast(({ proposalId }) => proposalId === id)?.hunks ?? [])
      .filter((hunk) => hunk.takenBack === true)
      .map((hunk) => hunk.id);
  return { reviewer, takenBack, id };
}

it("tells a hunk that an undo took out of its file, and that it is in the file again once the undo is taken back", async () => {
  const { reviewer, takenBack, id } = await decided();
  expect(takenBack()).toEqual([]);
  const undo = await reviewer.store.undo(id, ["h2"]);
  expect(takenBack()).toEqual([]);
  await reviewer.carryOut("h1", "accept");
  await expect.poll(() => takenBack()).toEqual(["h2"]);
  expect(reviewer.text("a.ts")).toBe("ONE\ntwo\nthree\nfour\nfive\nsix\nseven\n");
  await reviewer.store.undo(undo.proposalId ?? "");
  await reviewer.carryOut("h1", "accept");
  await expect.poll(() => takenBack()).toEqual([]);
});

it("tells the hunks that a rewind took back, but none of an undo that was rejected", async () => {
  const { reviewer, takenBack, id } = await decided();
  await reviewer.store.undo(id, ["h1"]);
  await reviewer.decide("h1", "reject");
  await expect.poll(() => reviewer.proposal.state).toBe("rejected");
  expect(takenBack()).toEqual([]);
  await reviewer.store.rewind(await reviewer.store.known.ofSession("s1"), "Rewind", "s1");
  for (const { id: hunk } of reviewer.proposal.hunks) await reviewer.carryOut(hunk, "accept");
  await expect.poll(() => takenBack()).toEqual(["h1", "h2"]);
});

it("tells a hunk of a review that is not over, and one that the person took back by hand before its end", async () => {
  const reviewer = new Reviewer();
  reviewer.open("a.ts", base);
  void reviewer.propose(reviewer.proposed("a.ts", base, target));
  await expect.poll(() => reviewer.told).toHaveLength(1);
  const id = reviewer.proposal.proposalId;
  const hunks = (): unknown[] => reviewer.store.open(id).hunks.map((hunk) => hunk.takenBack ?? hunk.state);
  await reviewer.carryOut("h1", "accept");
  await reviewer.store.undo(id, ["h1"]);
  await reviewer.carryOut("h1", "accept");
  await expect.poll(() => hunks()).toEqual([true, "pending", "pending"]);
  await reviewer.store
    .review(id)
    .decide({ hunks: [{ id: "h2", decision: "accept" }] })
    .then(async ({ edit }) => {
      if (edit !== null) reviewer.apply(edit);
      await reviewer.store.review(id).didApply();
    });
  reviewer.type("a.ts", base);
  await reviewer.store.review(id).decide({ hunks: [{ id: "h3", decision: "reject" }] });
  await expect.poll(() => hunks()).toEqual([true, true, "rejected"]);
});

it("tells a hunk that the person undoes by hand after the review, and that it is there again once they redo it", async () => {
  const { reviewer, takenBack, id } = await decided();
  const accepted = reviewer.text("a.ts");
  reviewer.type("a.ts", accepted.replace("FOUR", "four"));
  await expect.poll(() => takenBack()).toEqual(["h2"]);
  const again = await reviewer.store.reopen(id);
  expect(reviewer.store.open(again.proposalId ?? "").hunks.map(({ newText }) => newText)).toEqual([
    "FOUR\n",
    "SEVEN\n",
  ]);
  reviewer.type("a.ts", accepted);
  await expect.poll(() => takenBack()).toEqual([]);
});

it("is not told of what the person writes elsewhere, or over a hunk, after the review", async () => {
  const { reviewer, takenBack } = await decided();
  const told = reviewer.told.length;
  reviewer.type("a.ts", `// mine\n${reviewer.text("a.ts").replace("FOUR", "vier")}`);
  reviewer.type("a.ts", reviewer.text("a.ts").replace("ONE", "one"));
  await expect.poll(() => takenBack()).toEqual(["h1"]);
  expect(reviewer.told).toHaveLength(told + 1);
});

it("verifies the last hunk that goes in, though another one was taken back before", async () => {
  const reviewer = new Reviewer();
  reviewer.open("a.ts", base);
  void reviewer.propose(reviewer.proposed("a.ts", base, target));
  await expect.poll(() => reviewer.told).toHaveLength(1);
  const { proposalId } = reviewer.proposal;
  await reviewer.carryOut("h1", "accept");
  reviewer.type("a.ts", base);
  await reviewer.decide("h2", "reject");
  const { edit } = await reviewer.decide("h3", "accept");
  reviewer.apply(edit ?? {});
  expect(await reviewer.store.review(proposalId).didApply()).toEqual({ verified: true, mismatched: [] });
});
