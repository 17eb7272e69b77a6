import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { step, type HunkEvent, type HunkNow } from "../../../server/src/proposals/hunk-state.ts";

const change = { start: 4, end: 8, newText: "two\n" };
const range = { start: { line: 1, character: 0 }, end: { line: 2, character: 0 } };
const trouble = { kind: "unconfirmed", why: "nobody can say.", text: "2\n" } as const;
const place = { id: "h1", start: 4, end: 8, oldText: "one\n" };
const known = {
  change,
  range,
  requires: ["h2"],
  trouble,
  reason: "because",
  by: "program",
  editedText: "zwei\n",
} as const;
const once = { ...known, seen: { text: "top\ntwo\n", place }, turned: { wasInPlace: true } } as const;

/** Each state with all that the state may know. */
const states: { readonly [Is in HunkNow["is"]]: Extract<HunkNow, { readonly is: Is }> } = {
  pending: { is: "pending", change, range, requires: ["h2"], trouble },
  conflict: { is: "conflict", change, range, requires: ["h2"], trouble },
  rejected: { is: "rejected", change, range, requires: ["h2"], trouble, reason: "because", by: "program" },
  accepted: { is: "accepted", ...known, over: "2\n", wide: { start: 0, end: 8 } },
  applied: { is: "applied", ...once, later: "undone" },
  gone: { is: "gone", ...once, later: "changed" },
};

const events: Readonly<Record<string, HunkEvent>> = {
  accept: { is: "decided", decision: { id: "h1", decision: "accept" } },
  edit: { is: "decided", decision: { id: "h1", decision: "edit", newText: "drei\n" } },
  reject: { is: "decided", decision: { id: "h1", decision: "reject", reason: "no" } },
  composed: { is: "composed", wide: { start: 1, end: 9 } },
  refused: { is: "refused", why: "the file is gone." },
  notApplied: { is: "notApplied" },
  applied: { is: "applied" },
  seen: { is: "seen", text: "two\n", place },
  takenBack: { is: "takenBack" },
  stands: { is: "stands" },
  gone: { is: "gone", later: "undone" },
  lost: { is: "lost", change: { start: 4, end: 6, newText: "two\n" } },
  putIn: { is: "putIn", of: states.applied, id: "h1" },
  free: { is: "free" },
  blocked: { is: "blocked", why: undefined, text: "3\n" },
  shown: { is: "shown", range: { start: range.end, end: range.end } },
  shifted: { is: "shifted", by: 3 },
  rebased: { is: "rebased", change: { start: 0, end: 3, newText: "two\n" } },
  required: { is: "required", requires: undefined },
  turned: { is: "turned", wasInPlace: false, isAcceptedAgain: true },
  told: { is: "told" },
};

/** The state after each event; `=` where nothing changes. */
const TABLE = `
              pending   conflict  rejected  accepted  applied   gone
  accept      accepted  accepted  =         =         =         =
  edit        accepted  accepted  =         =         =         =
  reject      rejected  rejected  =         =         =         =
  composed    =         =         =         accepted  =         =
  refused     conflict  conflict  =         conflict  =         =
  notApplied  =         =         =         pending   =         =
  applied     =         =         =         applied   =         =
  seen        =         =         =         =         applied   =
  takenBack   =         =         =         =         =         =
  stands      =         =         =         =         applied   applied
  gone        =         =         =         =         gone      =
  lost        =         =         =         =         pending   =
  putIn       applied   applied   applied   applied   applied   applied
  free        pending   pending   =         =         =         =
  blocked     conflict  conflict  =         =         =         =
  shown       pending   conflict  rejected  accepted  applied   gone
  shifted     pending   conflict  rejected  accepted  applied   gone
  rebased     pending   conflict  rejected  accepted  applied   gone
  required    pending   conflict  rejected  accepted  applied   gone
  turned      =         =         =         =         applied   gone
  told        =         =         =         =         applied   gone
`;

describe("the state of a hunk", () => {
  const [names = [], ...rows] = TABLE.trim()
    .split("\n")
    .map((row) => row.trim().split(/\s+/));

  it("has a row for each event and a column for each state", () => {
    expect(names).toEqual(Object.keys(states));
    expect(rows.map(([name]) => name)).toEqual(Object.keys(events));
  });

  it.each(rows.map(([name = "", ...after]) => [name, after] as const))(
    "after %s is what the table says",
    (name, after) => {
      const event = events[name] ?? { is: "told" };
      const found = Object.values(states).map((now) => {
        const next = step(now, event);
        return JSON.stringify(next) === JSON.stringify(now) ? "=" : next.is;
      });
      expect(found).toEqual(after);
    },
  );

  it("knows nothing that belongs to another state, whatever happens to it", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...Object.values(events)), { maxLength: 12 }), (some) => {
        let now: HunkNow = { is: "pending", change, range };
        for (const event of some) {
          now = step(now, event);
          expect(Object.keys(states[now.is])).toEqual(expect.arrayContaining(Object.keys(now)));
        }
      }),
    );
  });

  it("takes the person's text for a place that they saw, in a conflict or by their own word", () => {
    const edit = (currentText?: string): HunkEvent => ({
      is: "decided",
      decision: {
        id: "h1",
        decision: "edit",
        newText: "\ud800drei\n",
        ...(currentText === undefined ? {} : { currentText }),
      },
    });
    expect(step(states.pending, edit())).not.toHaveProperty("over");
    expect(step(states.conflict, edit())).toMatchObject({ editedText: "\ufffddrei\n", over: "2\n" });
    expect(step(states.conflict, edit("3\n"))).toMatchObject({ over: "3\n" });
  });

  it("keeps why an accepted hunk is unconfirmed for as long as something is in the hunk's way", () => {
    const blocked: HunkEvent = { is: "blocked", why: undefined, text: "3\n" };
    expect(step(states.conflict, blocked)).toMatchObject({ trouble: { ...trouble, text: "3\n" } });
    expect(step(step(states.conflict, { is: "free" }), blocked)).toMatchObject({
      trouble: { kind: "changed", text: "3\n" },
    });
    expect(step(states.accepted, { is: "refused", why: "no.", kind: "changed" })).toMatchObject({
      trouble: { kind: "changed", why: "no.", text: "2\n" },
    });
  });

  it("knows that the approved text was taken back until that text stands again", () => {
    const inPlace = step(states.gone, { is: "stands" });
    expect(inPlace).not.toHaveProperty("later");
    expect(step(inPlace, { is: "takenBack" })).toEqual({ ...inPlace, later: "undone" });
  });

  it("moves what an edit replaces together with the hunk, and forgets it once the edit is in the base", () => {
    expect(step(states.accepted, { is: "shifted", by: 3 })).toMatchObject({
      change: { start: 7, end: 11, newText: "two\n" },
      wide: { start: 3, end: 11 },
    });
    expect(step(states.accepted, { is: "rebased", change })).not.toHaveProperty("wide");
  });

  it("has the other hunk's text under its own name once that hunk put it in", () => {
    const now = step(states.rejected, { is: "putIn", of: states.applied, id: "h7" });
    const seen = { ...states.applied.seen, place: { ...place, id: "h7" } };
    expect(now).toEqual({ is: "applied", change, range, requires: ["h2"], editedText: "zwei\n", seen });
  });
});
