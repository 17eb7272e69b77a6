import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ComposedDocument } from "../../../server/src/proposals/apply/compose-decision.ts";
import type { ProposalOutcome } from "../../../server/src/proposals/proposal.ts";
import {
  opened,
  proposalState,
  step,
  UNCHECKED,
  UNTESTED,
  type ProposalEvent,
  type ProposalNow,
} from "../../../server/src/proposals/proposal-state.ts";
import { createTracked } from "../../../server/src/proposals/tracked-proposal.ts";

function editOf(path: string): ComposedDocument {
  const base = { text: "one\n", version: 1, sha256: "" };
  const proposed = { uri: `file:///${path}`, path, base, target: "two\n" };
  const [document] = createTracked("p", { title: "", why: "", documents: [proposed] }).documents;
  if (document === undefined) throw new Error("there is no document");
  return { document, at: document.at, expected: "two\n", places: [], edits: [], operations: [] };
}

const [edit, other] = [editOf("a.ts"), editOf("b.ts")];
const outcome: ProposalOutcome = { state: "applied", hunks: [], mismatched: [], documents: [], then: "stop" };
const check = { ...UNCHECKED, state: "done" } as const;
const any = { check: UNCHECKED, tests: UNTESTED, awaited: [edit], cutOff: "untold" } as const;
const review = { ...any, message: "well", then: "continue", composedAt: 5, mismatched: ["c.ts"] } as const;

/** Each state with all that the state may know. */
const states: { readonly [Is in ProposalNow["is"]]: Extract<ProposalNow, { readonly is: Is }> } = {
  open: { is: "open", ...review },
  withdrawn: { is: "withdrawn", ...review },
  settled: { is: "settled", ...any, outcome },
};

const events: Readonly<Record<string, ProposalEvent>> = {
  checked: { is: "checked", check },
  tested: { is: "tested", tests: { ...UNTESTED, state: "done" } },
  decided: { is: "decided", message: "no", then: "stop" },
  composed: { is: "composed", edits: [other], at: 9 },
  confirmed: { is: "confirmed", edit },
  mismatched: { is: "mismatched", path: "a.ts" },
  withdrawn: { is: "withdrawn" },
  settled: { is: "settled", outcome: { ...outcome, state: "rejected" } },
  takenUp: { is: "takenUp", check },
  told: { is: "told" },
};

/** The state after each event; `=` where nothing changes. */
const TABLE = `
              open       withdrawn  settled
  checked     open       withdrawn  settled
  tested      open       withdrawn  settled
  decided     open       =          =
  composed    open       =          =
  confirmed   open       withdrawn  settled
  mismatched  open       withdrawn  =
  withdrawn   withdrawn  =          =
  settled     settled    settled    =
  takenUp     open       withdrawn  =
  told        open       withdrawn  settled
`;

describe("the state of a proposal", () => {
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
        let now = opened({});
        for (const event of some) {
          now = step(now, event);
          expect(Object.keys(states[now.is])).toEqual(expect.arrayContaining(Object.keys(now)));
        }
      }),
    );
  });

  it("is pending on the wire until there is an outcome, also once it is withdrawn", () => {
    expect(Object.values(states).map((now) => proposalState({ now }))).toEqual(["pending", "pending", "applied"]);
  });

  it("awaits each edit until that one is confirmed, also after the review has ended", () => {
    const both = step(states.open, { is: "composed", edits: [other], at: 9 });
    expect(both).toMatchObject({ awaited: [edit, other], composedAt: 5 });
    const late = step(step(both, { is: "settled", outcome }), { is: "confirmed", edit });
    expect(late.awaited).toEqual([other]);
  });

  it("remembers when the first edit was composed, and no decision without one", () => {
    const first = step(opened({}), { is: "composed", edits: [], at: 3 });
    expect(first).not.toHaveProperty("composedAt");
    expect(step(first, { is: "composed", edits: [edit], at: 4 })).toMatchObject({ composedAt: 4 });
  });

  it("keeps the person's words until there are others", () => {
    expect(step(states.open, { is: "decided" })).toEqual(states.open);
    expect(step(states.open, { is: "decided", then: "stop" })).toMatchObject({ message: "well", then: "stop" });
  });

  it("is told to the model once while it waits, and once when it has ended, where its server ended", () => {
    const own = opened({});
    expect(step(step(own, { is: "settled", outcome }), { is: "told" })).not.toHaveProperty("cutOff");
    const left = step(own, { is: "takenUp", check });
    expect(left).toMatchObject({ cutOff: "untold", check });
    const told = step(left, { is: "told" });
    expect(step(told, { is: "takenUp", check })).toMatchObject({ cutOff: "told" });
    expect(step(told, { is: "settled", outcome })).toMatchObject({ cutOff: "untold" });
  });
});
