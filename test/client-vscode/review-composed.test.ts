/** What a review in VS Code shows of a file, and what the review says of hunks. */
import fc from "fast-check";
import { TextDocument } from "vscode-languageserver-textdocument";
import { describe, expect, it } from "vitest";
import { compose, hunkAt } from "../../client-vscode/review/composed.ts";
import { escaped, hunkWords } from "../../client-vscode/review/texts.ts";
import { byFile, openHunks, Waiting, withRequired } from "../../client-vscode/review/waiting.ts";
import type { Hunk, Proposal } from "../../server/src/protocol/proposal-shapes.ts";
import { fuzz } from "../support/fuzz.ts";

const uri = "file:///src/a.ts";
const line = fc.constantFrom("", "a", "const b = 1;", "  é🙂", "\t// c");
const texts = fc.array(line, { maxLength: 4 }).map((lines) => lines.map((text) => `${text}\n`).join(""));

function hunk(id: string, more: Partial<Hunk> = {}): Hunk {
  const nowhere = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
  return { id, uri, range: nowhere, oldText: "", newText: "", kind: "edit", title: id, state: "pending", ...more };
}

function proposal(hunks: readonly Hunk[], more: Partial<Proposal> = {}): Proposal {
  const check = { state: "done" as const, introduced: [], resolved: [] };
  const rest = { at: "2026-01-01T00:00:00Z", title: "t", why: "why", edit: {}, documents: [], check };
  return { proposalId: "p", ...rest, hunks, state: "pending", ...more };
}

/** A text in pieces that stay and pieces that are replaced, in turn: hunks of one file never touch. */
const files = fc.array(fc.record({ kept: texts, oldText: texts, newText: texts }), { maxLength: 5 }).map((pieces) => {
  const text = pieces.map(({ kept, oldText }) => `=\n${kept}${oldText}`).join("");
  const document = TextDocument.create(uri, "", 0, text);
  let at = 0;
  const hunks = pieces.map(({ kept, oldText, newText }, index) => {
    const start = at + 2 + kept.length;
    at = start + oldText.length;
    const range = { start: document.positionAt(start), end: document.positionAt(at) };
    return hunk(`h${index}`, { range, oldText, newText });
  });
  return { text, hunks };
});

describe("compose", () => {
  it("is the text with the edits of the hunks that were not rejected, whichever those are", () => {
    fc.assert(
      fc.property(files, fc.array(fc.boolean()), ({ text, hunks }, rejected) => {
        const left = hunks.filter((_, index) => rejected[index] !== true);
        const document = TextDocument.create(uri, "", 0, text);
        const composed = compose(text, left, () => undefined);
        expect(composed.text).toBe(TextDocument.applyEdits(document, [...left]));
        const lines = composed.text.split("\n");
        for (const { id, newText } of left) {
          const { first, last } = composed.places.get(id)?.after ?? { first: -1, last: -1 };
          if (newText !== "") expect(lines.slice(first, last + 1).join("\n")).toBe(newText.slice(0, -1));
          expect(hunkAt(composed.places, last, "after")).toBeDefined();
        }
      }),
      fuzz(300),
    );
  });

  it("leaves the text as it is where a hunk's old text does not stand at its place", () => {
    const range = { start: { line: 1, character: 0 }, end: { line: 2, character: 0 } };
    const moved = hunk("h", { range, oldText: "b\n", newText: "B\n" });
    expect(compose("x\na\nb\n", [moved], () => undefined).text).toBe("x\na\nb\n");
  });

  it("shows a hunk in conflict over what is there now, and the person's own text in place of a proposed one", () => {
    const range = { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } };
    const conflict = hunk("h", { range, oldText: "a\n", newText: "A\n", state: "conflict", currentText: "b\n" });
    expect(compose("b\n", [conflict], () => undefined).text).toBe("A\n");
    expect(compose("b\n", [conflict], () => "mine\n").text).toBe("mine\n");
  });

  it("shows a deletion as an empty text, and a move beside the hunks of the file that moves", () => {
    expect(compose("a\n", [hunk("h", { kind: "delete", oldText: "a\n" })], () => undefined).text).toBe("");
    const range = { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } };
    const edit = hunk("e", { range, oldText: "a\n", newText: "b\n" });
    const { text, places } = compose("a\n", [edit, hunk("m", { kind: "rename" })], () => undefined);
    expect(text).toBe("b\n");
    expect([...places.keys()].toSorted()).toEqual(["e", "m"]);
  });
});

describe("what waits", () => {
  it("forgets a proposal that is settled, and one that the next server does not have", () => {
    const waiting = new Waiting();
    waiting.put(proposal([hunk("a")]));
    waiting.put(proposal([hunk("a")], { proposalId: "q" }));
    waiting.doubt();
    expect(waiting.take([proposal([hunk("a", { state: "conflict" })])]).map(({ proposalId }) => proposalId)).toEqual([
      "q",
    ]);
    expect(waiting.count).toBe(1);
    waiting.put(proposal([hunk("a", { state: "accepted" })], { state: "applied" }));
    expect(waiting.all).toEqual([]);
  });

  it("has the open hunks by their files, and takes along what an accepted hunk requires, and not what a rejected one does", () => {
    const other = "file:///src/b.ts";
    const hunks = [
      hunk("a"),
      hunk("b", { uri: other, requires: ["c"] }),
      hunk("c", { requires: ["d", "e"] }),
      hunk("d"),
      hunk("e", { state: "rejected" }),
    ];
    const given = proposal(hunks);
    expect([...byFile(given)].map(([file, ofFile]) => [file, ofFile.map(({ id }) => id)])).toEqual([
      [uri, ["a", "c", "d"]],
      [other, ["b"]],
    ]);
    expect(openHunks(given)).toHaveLength(4);
    const ids = (decision: "accept" | "reject") => withRequired(given, [{ id: "b", decision }]).map(({ id }) => id);
    expect(ids("accept")).toEqual(["b", "c", "d"]);
    expect(ids("reject")).toEqual(["b"]);
  });
});

describe("what is said at a hunk", () => {
  const pathOf = (name: string): string => name.replace("file:///", "");

  it("is the reason and the verdict at the first, and at the others what they need and their own errors", () => {
    const range = { start: { line: 4, character: 0 }, end: { line: 4, character: 1 } };
    const introduced = [{ uri, range, severity: "error" as const, message: "Cannot find name 'x'." }];
    const check = { state: "done" as const, introduced, resolved: [] };
    const given = proposal([hunk("a"), hunk("b", { requires: ["a"] })], { check });
    const [first, second] = given.hunks.map((each, index) =>
      hunkWords(given, each, { lines: { first: 3, last: 5 }, isFirst: index === 0 }, pathOf),
    );
    expect(first).toContain("why");
    expect(first).toMatch(/1 new error:[^]*src\/a\\\.ts:5: Cannot find name/);
    expect(second).toMatch(/Needs hunk 1[^]*Cannot find name/);
    expect(
      hunkWords(given, given.hunks[1] as Hunk, { lines: { first: 9, last: 9 }, isFirst: false }, pathOf),
    ).not.toContain("Cannot");
  });

  it("makes no link, picture, icon or hidden character of a model's words", () => {
    expect(escaped("[x](command:agentq.acceptAll) ![i](u) $(check) \u202Eabc <b>")).not.toMatch(
      /[^\\][[\]()!$<>]|\u202E/,
    );
  });
});
