import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { describeOutcome } from "../../../../server/src/proposals/describe-outcome.ts";
import type { ProposalOutcome } from "../../../../server/src/proposals/proposal.ts";
import { sha256 } from "../../../../server/src/workspace/documents.ts";
import { Reviewer } from "../reviewer.ts";

const base = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
const target = "ONE\ntwo\nthree\nFOUR\nfive\nsix\nSEVEN\n";

let person: Reviewer;
let outcome: Promise<ProposalOutcome>;

beforeEach(() => {
  person = new Reviewer();
  person.open("a.ts", base);
  outcome = person.propose(person.proposed("a.ts", base, target));
});

async function told(): Promise<string> {
  return describeOutcome(await outcome);
}

/** The answer about one hunk; the other two are rejected first. */
async function toldOfSecond(): Promise<string> {
  await person.decide("h1", "reject");
  await person.decide("h3", "reject");
  const lines = (await told()).split("\n");
  const first = lines.findIndex((line) => line.includes("hunk h2"));
  return lines
    .slice(
      first,
      lines.findIndex((line) => line.includes("hunk h3")),
    )
    .join("\n");
}

describe("a document that changes while its proposal is reviewed", () => {
  it("moves the untouched hunks, and names the text that their ranges are of", async () => {
    const now = `// typed\n${base}`;
    person.type("a.ts", now);
    await person.untilHunk("h2", {
      state: "pending",
      range: { start: { line: 4, character: 0 }, end: { line: 5, character: 0 } },
    });
    expect(person.proposal.documents).toEqual([{ uri: person.uri("a.ts"), version: 2, sha256: sha256(now) }]);
    expect(person.proposal.edit.documentChanges?.[0]).toMatchObject({ textDocument: { version: 2 } });
  });

  it("makes the touched hunk a conflict with its three texts, and the others stay as they are", async () => {
    person.type("a.ts", base.replace("four", "mine\nand mine"));
    await person.untilHunk("h2", {
      state: "conflict",
      oldText: "four\n",
      newText: "FOUR\n",
      currentText: "mine\nand mine\n",
    });
    expect(person.hunk("h2").range).toEqual({ start: { line: 3, character: 0 }, end: { line: 5, character: 0 } });
    expect(person.hunk("h3")).toMatchObject({ state: "pending", range: { start: { line: 7, character: 0 } } });
    expect(person.proposal.edit.changeAnnotations).not.toHaveProperty("h2");
  });

  it("takes the conflict back when the person undoes their change", async () => {
    person.type("a.ts", base.replace("four", "mine"));
    await person.untilHunk("h2", { state: "conflict" });
    person.type("a.ts", base);
    await person.untilHunk("h2", { state: "pending" });
    expect(person.hunk("h2")).not.toHaveProperty("currentText");
    await person.carryOut("h2", "accept");
    expect(await toldOfSecond()).toBe("- hunk h2 (a.ts:4): applied");
  });

  it("is told once for many keys", async () => {
    const before = person.told.length;
    for (let key = 1; key <= 20; key += 1) person.type("a.ts", `${"\n".repeat(key)}${base}`);
    await person.untilHunk("h1", { range: { start: { line: 20, character: 0 }, end: { line: 21, character: 0 } } });
    expect(person.told.length).toBe(before + 1);
  });

  it("is not told for keys that move no hunk", async () => {
    const before = person.told.length;
    person.type("a.ts", base.replace("five", "fife"));
    await sleep(300);
    expect(person.told.length).toBe(before);
  });

  it("takes no edit of the proposal itself for a foreign one, also where its lines are like their neighbours", async () => {
    const before = "x\ny\n";
    person.open("b.ts", before);
    void person.propose(person.proposed("b.ts", before, "A\nx\nB\ny\n"));
    const { proposalId } = person.proposal;
    const { edit } = await person.decide("h1", "edit", { newText: "x\n" });
    person.apply(edit ?? {});
    expect(person.text("b.ts")).toBe("x\nx\ny\n");
    await sleep(300);
    expect(person.proposal.hunks.map(({ state }) => state)).toEqual(["edited", "pending"]);
    await person.store.review(proposalId).didApply();
    expect(person.hunk("h2")).toMatchObject({ state: "pending", range: { start: { line: 2 } } });
  });

  it("follows a file that no editor has open, and a file that comes to the place of a new one", async () => {
    const file = path.join(person.folder, "b.ts");
    writeFileSync(file, base);
    void person.propose(person.proposed("b.ts", base, target), person.proposed("new.ts", null, "new\n"));
    writeFileSync(file, base.replace("one", "uno"));
    writeFileSync(path.join(person.folder, "new.ts"), "somebody else's\n");
    person.store.didChangeFiles([{ uri: person.uri("b.ts") }, { uri: person.uri("new.ts") }]);
    await person.untilHunk("h1", { state: "conflict", currentText: "uno\n" });
    await person.untilHunk("h4", {
      state: "conflict",
      conflict: "new.ts exists by now.",
      currentText: "somebody else's\n",
    });
  });

  it("follows files that are to be deleted or moved: into a conflict with what is in the way, and out of one", async () => {
    const [old, goal] = ["old.ts", "goal.ts"].map((name) => path.join(person.folder, name)) as [string, string];
    writeFileSync(old, base);
    person.open("gone.ts", base);
    const movedTo = { uri: person.uri("goal.ts"), path: "goal.ts" };
    void person.propose(person.proposed("gone.ts", base, null), { ...person.proposed("old.ts", base, base), movedTo });
    person.type("gone.ts", `// mine\n${base}`);
    await person.untilHunk("h1", {
      kind: "delete",
      state: "conflict",
      conflict: "the file changed since you read it.",
    });
    person.type("gone.ts", base);
    await person.untilHunk("h1", { state: "pending" });
    writeFileSync(goal, "theirs\n");
    person.store.didChangeFiles([movedTo]);
    await person.untilHunk("h2", { kind: "rename", state: "conflict", conflict: "goal.ts exists by now." });
    expect(person.hunk("h2")).not.toHaveProperty("currentText");
    rmSync(goal);
    person.store.didChangeFiles([movedTo]);
    await person.untilHunk("h2", { state: "pending" });
    rmSync(old);
    person.store.didChangeFiles([{ uri: person.uri("old.ts") }]);
    await person.untilHunk("h2", { state: "conflict", conflict: "the file does not exist any more." });
  });

  it("makes every hunk a conflict when another proposal that was applied took their lines", async () => {
    const other = person.propose(person.proposed("a.ts", base, base.replace("four", "vier")));
    const [first, second] = [person.told[0]?.proposalId, person.proposal.proposalId];
    expect(second).not.toBe(first);
    await person.carryOut("h1", "accept");
    expect((await other).state).toBe("applied");
    // Which of the two is told last is left to chance.
    const news = () => person.told.findLast(({ proposalId }) => proposalId === first)?.hunks;
    await expect.poll(news).toContainEqual(expect.objectContaining({ state: "conflict", currentText: "vier\n" }));
  });
});

describe("a conflict", () => {
  beforeEach(async () => {
    person.type("a.ts", base.replace("four", "mine"));
    await person.untilHunk("h2", { state: "conflict" });
  });

  it("stays one with fresh texts while it is accepted and does not fit, and is applied once it fits", async () => {
    person.type("a.ts", base.replace("four", "mine again"));
    const first = await person.decide("h2", "accept");
    expect(first).toEqual({ edit: null, conflicts: ["h2"], remaining: ["h1", "h2", "h3"] });
    expect(person.hunk("h2").currentText).toBe("mine again\n");
    person.type("a.ts", base);
    await person.carryOut("h2", "accept");
    expect(person.text("a.ts")).toBe(base.replace("four", "FOUR"));
    expect(await toldOfSecond()).toBe("- hunk h2 (a.ts:4): applied");
  });

  it("takes the person's own text at the place as it is now", async () => {
    person.type("a.ts", `// typed\n${person.text("a.ts")}`);
    await person.carryOut("h2", "edit", { newText: "mine and FOUR\n" });
    expect(person.text("a.ts")).toBe(`// typed\n${base.replace("four", "mine and FOUR")}`);
    expect(await toldOfSecond()).toBe(
      "- hunk h2 (a.ts:4): applied, merged by the person with what came to that place since you read it. This stands there now:\n" +
        "    | mine and FOUR",
    );
  });

  it("takes no text that was written over another one than stands there now", async () => {
    person.type("a.ts", base.replace("four", "mine, and more"));
    for (const rest of [{}, { currentText: "mine\n" }, { currentText: "four\n" }]) {
      const { edit, conflicts } = await person.decide("h2", "edit", { newText: "merged\n", ...rest });
      expect([edit, conflicts]).toEqual([null, ["h2"]]);
      person.type("a.ts", person.text("a.ts").replace("more", "more and more"));
    }
    await person.carryOut("h2", "edit", {
      newText: "merged\n",
      currentText: "mine, and more and more and more and more\n",
    });
    expect(person.text("a.ts")).toBe(base.replace("four", "merged"));
  });

  it("takes no single lines and is not split, which would be parts of another text", async () => {
    const { proposalId } = person.proposal;
    const hunks = [{ id: "h2", decision: "accept" as const, lines: { old: [0] } }];
    await expect(person.store.review(proposalId).decide({ hunks })).rejects.toMatchObject({ message: /in conflict/ });
    expect(() => person.store.review(proposalId).split("h2")).toThrow(/in conflict/);
    expect(person.hunk("h2").state).toBe("conflict");
  });

  it("is told as a conflict that the person left, never as a plain rejection", async () => {
    await person.decide("h2", "reject", { reason: "mine is better" });
    expect(await toldOfSecond()).toBe(
      "- hunk h2 (a.ts:4): NOT applied: the document changed at that place since you read it, and the person left it at that: " +
        '"mine is better". Read it again.',
    );
  });

  it("keeps the proposal open, and is told as undecided when the turn is cancelled", async () => {
    await person.decide("h1", "reject");
    expect((await person.decide("h3", "reject")).remaining).toEqual(["h2"]);
    expect(person.proposal.state).toBe("pending");
    person.cancel.abort();
    expect(await told()).toContain(
      "- hunk h2 (a.ts:4): NOT applied, not decided: the document changed at that place since you read it. Read it again.",
    );
  });

  it("counts as applied when the proposed text came there by another hand", async () => {
    person.type("a.ts", base.replace("four", "FOUR"));
    await person.untilHunk("h2", {
      state: "conflict",
      conflict: "the proposed text stands there already.",
    });
    await person.carryOut("h2", "accept");
    expect(person.text("a.ts")).toBe(base.replace("four", "FOUR"));
    expect(await toldOfSecond()).toBe("- hunk h2 (a.ts:4): applied");
  });
});

describe("one change of the person at the places of several hunks", () => {
  it("is merged by one of them, and the others see the merge in their way", async () => {
    person.type("a.ts", "mine\nseven\n");
    await person.untilHunk("h1", { state: "conflict", currentText: "mine\n" });
    await person.untilHunk("h2", { state: "conflict", currentText: "mine\n" });
    await person.untilHunk("h3", {
      state: "pending",
      range: { start: { line: 1, character: 0 }, end: { line: 2, character: 0 } },
    });
    const { proposalId } = person.proposal;
    const both = await person.store
      .review(proposalId)
      .decide({ hunks: ["h1", "h2"].map((id) => ({ id, decision: "edit" as const, newText: `${id} and mine\n` })) });
    expect(both.conflicts).toEqual(["h2"]);
    person.apply(both.edit ?? {});
    await person.store.review(proposalId).didApply();
    expect(person.text("a.ts")).toBe("h1 and mine\nseven\n");
    await person.untilHunk("h2", { state: "conflict", currentText: "h1 and mine\n" });
    await person.carryOut("h2", "edit", { newText: "h1, h2 and mine\n" });
    await person.carryOut("h3", "accept");
    expect(person.text("a.ts")).toBe("h1, h2 and mine\nSEVEN\n");
    const lines = await told();
    expect(lines).toContain(
      "h1 (a.ts:1): NOT there any more: it was applied, then the text at that place was changed.",
    );
    expect(lines).toContain("    | h1, h2 and mine\n- hunk h3 (a.ts:7): applied");
  });
});

describe("an edit that went wrong", () => {
  it("can be tried again, and the model hears of the end alone", async () => {
    const { edit } = await person.decide("h2", "accept");
    person.apply(edit ?? {});
    person.type("a.ts", base.replace("four", "Four"));
    const { proposalId } = person.proposal;
    expect(await person.store.review(proposalId).didApply()).toEqual({
      verified: false,
      mismatched: [person.uri("a.ts")],
    });
    const conflict = "it was accepted, but the text there now is neither the old nor the approved one.";
    expect(person.hunk("h2")).toMatchObject({ state: "conflict", currentText: "Four\n", conflict });
    person.type("a.ts", base);
    await person.carryOut("h2", "accept");
    expect(await toldOfSecond()).toBe("- hunk h2 (a.ts:4): applied");
    expect(await told()).not.toContain("UNCERTAIN");
  });
});

it("is one for the touched piece of a split hunk alone, and the other pieces go in", async () => {
  const [before, after] = ["a1\na2\nx\n", "b1\nb2\nx\n"];
  person.open("b.ts", before);
  const split = person.propose(person.proposed("b.ts", before, after));
  const { proposalId } = person.proposal;
  person.store.review(proposalId).split("h1");
  person.type("b.ts", "a1\nmine\nx\n");
  await person.untilHunk("h1.2", { state: "conflict", currentText: "mine\n" });
  expect(person.hunk("h1.1")).toMatchObject({ state: "pending", range: { start: { line: 0 } } });
  await person.carryOut("h1.1", "accept");
  await person.carryOut("h1.2", "edit", { newText: "b2 and mine\n" });
  expect(person.text("b.ts")).toBe("b1\nb2 and mine\nx\n");
  expect((await split).state).toBe("applied");
});

it("claims nothing of an edit that went wrong when the turn is cancelled then", async () => {
  const { edit } = await person.decide("h2", "accept");
  person.apply(edit ?? {});
  person.type("a.ts", base.replace("four", "Four"));
  await person.store.review(person.proposal.proposalId).didApply();
  person.cancel.abort();
  const lines = await told();
  expect(lines).not.toContain("Nothing");
  expect(lines).toContain(
    "h2 (a.ts:4): NOT confirmed: it was accepted, but the text there is neither the old nor the approved one.",
  );
});

it("keeps what one document's two edits on their way have moved", async () => {
  const { edit: first } = await person.decide("h1", "edit", { newText: "one\nand a half\n" });
  person.apply(first ?? {});
  const { edit: second } = await person.decide("h3", "accept");
  person.apply(second ?? {});
  expect(await person.store.review(person.proposal.proposalId).didApply()).toMatchObject({ mismatched: [] });
  expect(person.hunk("h2").range.start.line).toBe(4);
  await person.carryOut("h2", "accept");
  expect(person.text("a.ts")).toBe("one\nand a half\ntwo\nthree\nFOUR\nfive\nsix\nSEVEN\n");
});

it("makes a file over one that came to its place, with the person's own text", async () => {
  const created = person.propose(person.proposed("new.ts", null, "new\n"));
  person.open("new.ts", "theirs\n");
  await person.untilHunk("h1", { state: "conflict", currentText: "theirs\n" });
  await person.carryOut("h1", "edit", { newText: "theirs\nnew\n" });
  expect(person.text("new.ts")).toBe("theirs\nnew\n");
  expect((await created).state).toBe("applied");
});

it("takes a file that was made by hand as it is proposed for applied, once that is accepted", async () => {
  const created = person.propose(person.proposed("new.ts", null, "new\n"));
  person.open("new.ts", "new\n");
  await person.untilHunk("h1", { state: "conflict", currentText: "new\n" });
  expect(person.hunk("h1").conflict).toBe("the proposed text stands there already.");
  await person.carryOut("h1", "accept");
  expect(await created).toMatchObject({ state: "applied", hunks: [{ state: "accepted", applied: true }] });
  expect(person.text("new.ts")).toBe("new\n");
});

it("takes a file that was deleted by hand for deleted, once that is accepted", async () => {
  const file = path.join(person.folder, "old.ts");
  writeFileSync(file, "old\n");
  const deleted = person.propose(person.proposed("old.ts", "old\n", null));
  await expect.poll(() => person.told.at(-1)?.hunks.at(-1)?.kind).toBe("delete");
  rmSync(file);
  person.store.didChangeFiles([{ uri: person.uri("old.ts") }]);
  await person.untilHunk("h1", { state: "conflict", conflict: "the file is gone already." });
  await person.carryOut("h1", "accept");
  expect(await deleted).toMatchObject({ state: "applied", documents: [{ path: "old.ts", isDeleted: true }] });
});

it.each(["", "\n", "\r\n"])(
  "puts a new file into the buffer that the editor opened for it, which says %j while it is empty",
  async (empty) => {
    void person.propose(person.proposed("new.ts", null, "new\n"));
    person.open("new.ts", empty);
    const { edit, conflicts } = await person.decide("h1", "accept");
    expect(conflicts).toEqual([]);
    const end = { line: empty === "" ? 0 : 1, character: 0 };
    expect(edit?.documentChanges?.at(-1)).toMatchObject({
      textDocument: { version: 1 },
      edits: [{ range: { start: { line: 0, character: 0 }, end }, newText: "new\n" }],
    });
  },
);
