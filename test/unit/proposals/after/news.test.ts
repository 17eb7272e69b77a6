/** What the person does with a proposal besides deciding its hunks once: files and the model's words stay true all along. */
import { expect, it } from "vitest";
import type { ProposalOutcome } from "../../../../server/src/proposals/proposal.ts";
import { describeOutcome } from "../../../../server/src/proposals/describe-outcome.ts";
import { Reviewer } from "../reviewer.ts";

const base = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
const target = "ONE\ntwo\nthree\nFOUR\nfive\nsix\nSEVEN\n";

interface Reviewing {
  readonly reviewer: Reviewer;
  readonly id: string;
  readonly outcome: Promise<ProposalOutcome>;
}

/** A proposal of a tool's call, of three hunks. */
async function reviewing(): Promise<Reviewing> {
  const reviewer = new Reviewer();
  reviewer.open("a.ts", base);
  const documents = [reviewer.proposed("a.ts", base, target)];
  const request = { title: "Shout", why: "because", documents, sessionId: "s1", toolCallId: "call" };
  const outcome = reviewer.store.propose(request, reviewer.cancel.signal);
  await expect.poll(() => reviewer.told).toHaveLength(1);
  return { reviewer, id: reviewer.proposal.proposalId, outcome };
}

const news = ({ reviewer }: Reviewing): Promise<string[]> => reviewer.store.takeNews("s1");

async function decide({ reviewer, id }: Reviewing, ...hunks: [string, "accept" | "reject"][]): Promise<void> {
  for (const [hunk, decision] of hunks) {
    const { edit } = await reviewer.store.review(id).decide({ hunks: [{ id: hunk, decision }] });
    if (edit === null) continue;
    reviewer.apply(edit);
    await reviewer.store.review(id).didApply();
  }
}

async function takeBack({ reviewer, id }: Reviewing, ...hunks: string[]): Promise<void> {
  await reviewer.store.undo(id, hunks);
  for (const hunk of reviewer.proposal.hunks) await reviewer.carryOut(hunk.id, "accept");
}

it("a rewind brings nothing back of what was taken back while the review was open", async () => {
  const open = await reviewing();
  const { reviewer, outcome } = open;
  await decide(open, ["h1", "accept"], ["h2", "accept"]);
  await takeBack(open, "h1");
  await decide(open, ["h3", "reject"]);
  await outcome;
  const rewind = async () => reviewer.store.rewind(await reviewer.store.known.ofSession("s1"), "Rewind", "s1");
  expect(await rewind()).toMatchObject({ left: [] });
  expect(reviewer.proposal.hunks).toMatchObject([{ oldText: "FOUR\n", newText: "four\n" }]);
  await reviewer.carryOut("h1", "accept");
  expect(reviewer.text("a.ts")).toBe(base);
  await expect.poll(async () => (await rewind()).proposalId).toBeUndefined();
});

it("a hunk that was rejected, opened again and accepted before the review ends is told as applied", async () => {
  const open = await reviewing();
  const { reviewer, id, outcome } = open;
  await decide(open, ["h1", "reject"]);
  await reviewer.store.reopen(id, ["h1"]);
  await reviewer.carryOut("h1", "accept");
  await expect.poll(() => reviewer.store.open(id).hunks[0]?.state).toBe("accepted");
  await decide(open, ["h2", "accept"], ["h3", "reject"]);
  const said = describeOutcome(await outcome);
  expect(said).toContain(
    "PARTIALLY APPLIED: 2 of 3 hunks.\n- hunk h1 (a.ts:1): applied\n- hunk h2 (a.ts:4): applied\n",
  );
  expect(await news(open)).toEqual([]);
  // The hunk is one like the others from then on.
  await takeBack(open, "h1", "h2");
  expect(reviewer.text("a.ts")).toBe(base);
});

it("what is taken back after the review is told once, whoever did it, and nothing where it came again", async () => {
  const open = await reviewing();
  const { reviewer, outcome } = open;
  await decide(open, ["h1", "accept"], ["h2", "accept"], ["h3", "accept"]);
  await outcome;
  expect(await news(open)).toEqual([]);
  const whole = reviewer.text("a.ts");
  await takeBack(open, "h1", "h2");
  await expect
    .poll(() => news(open))
    .toEqual(['Taken back since: h1 (a.ts:1), h2 (a.ts:4) of "Shout". What stood there before stands there again.']);
  expect(await news(open)).toEqual([]);
  reviewer.type("a.ts", whole.replace("FOUR", "four"));
  await expect.poll(() => news(open)).toEqual(['In the file again: h1 (a.ts:1) of "Shout".']);
  const isBack = (hunk: number): boolean => reviewer.store.open(open.id).hunks[hunk]?.takenBack === true;
  reviewer.type("a.ts", whole);
  await expect.poll(() => isBack(1)).toBe(false);
  reviewer.type("a.ts", whole.replace("FOUR", "four"));
  await expect.poll(() => isBack(1)).toBe(true);
  expect(await news(open)).toEqual([]);
  reviewer.type("a.ts", base);
  await expect.poll(() => isBack(0) && isBack(2)).toBe(true);
  expect(await news(open)).toEqual([
    'Taken back since: h1 (a.ts:1), h3 (a.ts:7) of "Shout". What stood there before stands there again.',
  ]);
});

it("what is accepted after all is told with whether it has the person's own text, and can be taken back", async () => {
  const open = await reviewing();
  const { reviewer, id, outcome } = open;
  await decide(open, ["h1", "reject"], ["h2", "reject"], ["h3", "reject"]);
  await outcome;
  const again = await reviewer.store.reopen(id);
  await reviewer.carryOut("h1", "accept");
  await reviewer.carryOut("h2", "edit", { newText: "Four!\n" });
  expect(await news(open)).toEqual([]);
  await reviewer.carryOut("h3", "reject");
  await expect
    .poll(() => news(open))
    .toEqual([
      'The person accepted after all: h1 (a.ts:1), h2 (a.ts:4) of "Shout", with text of their own. Read it again.',
    ]);
  expect(reviewer.store.open(again.proposalId ?? "").state).toBe("partiallyApplied");
  expect(reviewer.store.open(id).hunks.map(({ state }) => state)).toEqual(["accepted", "edited", "rejected"]);
  await takeBack(open, "h1", "h2");
  expect(reviewer.text("a.ts")).toBe(base);
});

it("of many proposals that a checkout turns at once some are told, and how many more there are", async () => {
  const reviewer = new Reviewer();
  const names = Array.from({ length: 12 }, (_each, index) => `f${index}.ts`);
  for (const name of names) {
    reviewer.open(name, base);
    const request = {
      title: name,
      why: "w",
      documents: [reviewer.proposed(name, base, "ONE\n")],
      sessionId: "s1",
      toolCallId: name,
    };
    const outcome = reviewer.store.propose(request, reviewer.cancel.signal);
    await expect.poll(() => reviewer.told.at(-1)?.title).toBe(name);
    await reviewer.carryOut("h1", "accept");
    await outcome;
  }
  for (const name of names) reviewer.type(name, base);
  await expect
    .poll(async () => (await reviewer.store.known.list()).every(({ hunks }) => hunks[0]?.takenBack))
    .toBe(true);
  const told = await reviewer.store.takeNews("s1");
  expect(told).toHaveLength(11);
  expect(told[0]).toMatch(/^Taken back since: h1 .* of "f0\.ts"\./);
  expect(told[10]).toBe("What became of 2 more of your proposals is not told: read their files again.");
  expect(await reviewer.store.takeNews("s1")).toEqual([]);
});

it("a hunk whose text somebody typed meanwhile is not proposed again", async () => {
  const open = await reviewing();
  const { reviewer, id, outcome } = open;
  await decide(open, ["h1", "reject"], ["h2", "reject"], ["h3", "reject"]);
  await outcome;
  reviewer.type("a.ts", base.replace("four", "FOUR"));
  const { left } = await reviewer.store.reopen(id, ["h1", "h2"]);
  expect(left.map((each) => each.id)).toEqual(["h2"]);
  expect(reviewer.proposal.hunks).toMatchObject([{ newText: "ONE\n" }]);
});
