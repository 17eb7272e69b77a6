import { describe, expect, it } from "vitest";
import { describeOutcome } from "../../../server/src/proposals/describe-outcome.ts";
import type { ProposalOutcome } from "../../../server/src/proposals/proposal.ts";

function edited(newText: string, editedText: string): ProposalOutcome {
  const hunk = {
    id: "h1",
    kind: "edit",
    document: 0,
    path: "a.ts",
    title: "a.ts:1",
    state: "edited",
    applied: true,
    oldText: "",
  } as const;
  return {
    state: "applied",
    hunks: [{ ...hunk, newText, editedText }],
    mismatched: [],
    documents: [],
    then: "continue",
  };
}

describe("what the model is told of a hunk that a program left out", () => {
  const { hunks, ...rest } = edited("a", "b");
  const refused = hunks.map(
    (hunk) => ({ ...hunk, state: "rejected", applied: false, by: "program", reason: "no" }) as const,
  );

  it("names no person", () => {
    expect(describeOutcome({ ...rest, hunks: refused })).toContain("- hunk h1 (a.ts:1): NOT applied: no");
    const conflicts = refused.map((hunk) => ({ ...hunk, trouble: "changed" }) as const);
    const told = describeOutcome({ ...rest, hunks: [...refused, ...conflicts] });
    expect(told).toContain('and it was left at that: "no". Read it again.');
    expect(told).not.toContain("person");
  });
});

describe("what the model is told of a hunk that the person edited", () => {
  const long = Array.from({ length: 30 }, (_each, index) => `line ${index}`).join("\n");

  it("is what they changed in its text, where that is shorter", () => {
    const lines = describeOutcome(edited(`${long}\n`, `${long.replace("line 7\n", "line seven\n")}\n`)).split("\n");
    expect(lines.slice(1)).toEqual([
      "- hunk h1 (a.ts:1): applied with the person's changes to your text:",
      "    @@ -8,1 +8,1 @@",
      "    -line 7",
      "    +line seven",
    ]);
  });

  it("is their whole text, where that is shorter", () => {
    expect(describeOutcome(edited(`${long}\n`, "short\n"))).toContain(
      "applied with the person's own text instead of yours:\n    | short",
    );
  });
});

describe("what the model is told of many hunks", () => {
  const { hunks, ...rest } = edited("a", "b");
  const rejected = (id: number, path: string, reason: string) =>
    hunks.map(
      (hunk) =>
        ({ ...hunk, id: `h${id}`, path, title: `${path}:${id}`, state: "rejected", applied: false, reason }) as const,
    );
  const accepted = (id: number) => hunks.map((hunk) => ({ ...hunk, id: `h${id}`, state: "accepted" }) as const);

  it("says once what holds of many, with their files, and each of few by itself", () => {
    const all = [
      ...rejected(1, "a.ts", "no"),
      ...rejected(2, "a.ts", "no"),
      ...accepted(3),
      ...rejected(4, "b.ts", "no"),
      ...rejected(5, "b.ts", "too long"),
      ...rejected(6, "b.ts", "too long"),
    ];
    expect(describeOutcome({ ...rest, state: "partiallyApplied", hunks: all }, { countApplied: true })).toBe(
      [
        "PARTIALLY APPLIED: 1 of 6 hunks.",
        '- hunks h1–h2, h4 (a.ts ×2, b.ts): NOT applied, the person rejected it: "no"',
        '- hunk h5 (b.ts:5): NOT applied, the person rejected it: "too long"',
        '- hunk h6 (b.ts:6): NOT applied, the person rejected it: "too long"',
        "- applied: h3",
      ].join("\n"),
    );
  });

  it("costs little where one no holds of all", () => {
    const all = Array.from({ length: 64 }, (_each, index) =>
      rejected(index + 1, `src/f${index % 20}.ts`, "not now"),
    ).flat();
    const told = describeOutcome({ ...rest, state: "rejected", hunks: all }, { countApplied: true });
    expect(told).toContain("- hunks h1–h64 (src/f0.ts ×4, ");
    expect(told).toContain(' and 10 more files): NOT applied, the person rejected it: "not now"');
    expect(told.length).toBeLessThan(400);
  });
});
