import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkDecisions } from "../../../../server/src/proposals/apply/decisions.ts";
import type { ProposedDocument } from "../../../../server/src/proposals/proposal.ts";
import { chosenHunks, composeSubset, type SubsetTexts } from "../../../../server/src/proposals/subset/subset.ts";
import { createTracked } from "../../../../server/src/proposals/tracked-proposal.ts";
import type { HunkDecision } from "../../../../server/src/protocol/proposal-shapes.ts";
import { sha256 } from "../../../../server/src/workspace/documents.ts";

const uri = "file:///p/a.ts";
const created = "file:///p/new.ts";
const base = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
const target = "ONE\ntwo\nthree\nFOUR\nfive\nsix\nSEVEN\n";

const edited: ProposedDocument = { uri, path: "a.ts", base: { text: base, version: 1, sha256: sha256(base) }, target };
const fresh: ProposedDocument = { uri: created, path: "new.ts", base: null, target: "new\n" };

/** The texts with these decisions, in documents that have these texts now. */
function subset(
  documents: readonly ProposedDocument[],
  decisions: readonly HunkDecision[],
  now: Readonly<Record<string, string>> = { [uri]: base },
): SubsetTexts {
  const tracked = createTracked("p", { title: "", why: "", documents });
  const chosen = chosenHunks(checkDecisions(tracked, decisions));
  return composeSubset(tracked.documents, chosen, (each) => {
    const text = now[each];
    return text === undefined ? null : { text, version: 1 };
  });
}

const accept = (...ids: readonly string[]): HunkDecision[] => ids.map((id) => ({ id, decision: "accept" }));

describe("the texts of a subset", () => {
  it("hold exactly the accepted hunks: a rejected one and one that is not named are out", () => {
    const { texts } = subset([edited], [...accept("h1"), { id: "h2", decision: "reject" }]);
    expect(texts.get(uri)).toBe("ONE\ntwo\nthree\nfour\nfive\nsix\nseven\n");
  });

  it("hold the person's own text of an edited hunk", () => {
    const { texts } = subset([edited], [{ id: "h2", decision: "edit", newText: "vier\nvier\n" }]);
    expect(texts.get(uri)).toBe("one\ntwo\nthree\nvier\nvier\nfive\nsix\nseven\n");
  });

  it("stand on the documents as they are now", () => {
    const now = "zero\none\ntwo and a half\nthree\nfour\nfive\nsix\nseven\n";
    const { texts, conflicts } = subset([edited], accept("h2", "h3"), { [uri]: now });
    expect(conflicts).toEqual([]);
    expect(texts.get(uri)).toBe("zero\none\ntwo and a half\nthree\nFOUR\nfive\nsix\nSEVEN\n");
  });

  it("are without a hunk whose place was changed, which is named", () => {
    const { texts, conflicts } = subset([edited], accept("h1", "h2"), { [uri]: base.replace("four", "4") });
    expect(conflicts).toEqual(["h2"]);
    expect(texts.get(uri)).toBe("ONE\ntwo\nthree\n4\nfive\nsix\nseven\n");
  });

  it("tell a file that only its own hunk creates from one that is not there", () => {
    expect(subset([edited, fresh], accept("h1")).texts.get(created)).toBeNull();
    expect(subset([edited, fresh], accept("h4")).texts.get(created)).toBe("new\n");
  });

  it("leave the hunks themselves undecided", () => {
    const tracked = createTracked("p", { title: "", why: "", documents: [edited] });
    const decisions: HunkDecision[] = [{ id: "h1", decision: "edit", newText: "eins\n" }];
    composeSubset(tracked.documents, chosenHunks(checkDecisions(tracked, decisions)), () => ({
      text: base,
      version: 1,
    }));
    expect(tracked.hunks.every(({ now }) => now.is === "pending")).toBe(true);
    expect(tracked.documents[0]?.base).toBe(base);
  });

  it("are the target with all hunks and the base with none, whatever the texts", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c", "{", "}"), { maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const [from, to] = [`${before.join("\n")}\n`, `${after.join("\n")}\n`];
        const document = { uri, path: "a.ts", base: { text: from, version: 1, sha256: sha256(from) }, target: to };
        const ids = createTracked("p", { title: "", why: "", documents: [document] }).hunks.map(({ id }) => id);
        expect(subset([document], accept(...ids), { [uri]: from }).texts.get(uri)).toBe(to);
        expect(subset([document], [], { [uri]: from }).texts.get(uri)).toBe(from);
      }),
    );
  });
});
