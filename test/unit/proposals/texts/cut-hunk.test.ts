import { describe, expect, it } from "vitest";
import { cutByLines, cutSmaller, type ChosenLines } from "../../../../server/src/proposals/texts/cut-hunk.ts";
import { applyChanges } from "../../../../server/src/proposals/texts/hunks.ts";
import { linesOf, rowsBetween } from "../../../../server/src/proposals/texts/line-rows.ts";

/** The text with the chosen lines taken, or the sentence why they cannot be. */
function taken(oldText: string, newText: string, lines: ChosenLines): string {
  const pieces = cutByLines({ oldText, newText }, lines);
  if (typeof pieces === "string") return pieces;
  expect(applyChanges(oldText, pieces)).toBe(newText);
  return applyChanges(
    oldText,
    pieces.filter(({ isTaken }) => isTaken),
  );
}

function smaller(oldText: string, newText: string): string[] {
  const pieces = cutSmaller({ oldText, newText });
  if (pieces.length > 0) expect(applyChanges(oldText, pieces)).toBe(newText);
  return pieces.map(({ start, end, newText: text }) => `${oldText.slice(start, end)}→${text}`);
}

describe("lines of a hunk", () => {
  it("are taken one by one where both sides have as many", () => {
    expect(taken("a\nb\nc\n", "A\nB\nC\n", { old: [1], new: [1] })).toBe("a\nB\nc\n");
    expect(taken("a\nb\nc\n", "A\nB\nC\n", { old: [0, 2], new: [0, 2] })).toBe("A\nb\nC\n");
  });

  it("go without their partner, or come after it, where exactly that was chosen", () => {
    expect(taken("a\nb\n", "A\nB\n", { old: [0], new: [] })).toBe("b\n");
    expect(taken("a\nb\n", "A\nB\n", { old: [], new: [0] })).toBe("a\nA\nb\n");
  });

  it("bring along the lines that stand for them where one side was chosen alone", () => {
    expect(taken("a\nb\nc\n", "A\nB\nC\n", { old: [1] })).toBe("a\nB\nc\n");
    expect(taken("a\nb\nc\n", "A\nB\nC\n", { new: [2] })).toBe("a\nb\nC\n");
    expect(taken("", "x\ny\nz\n", { new: [0, 2] })).toBe("x\nz\n");
  });

  it("stand for the lines that are most alike where the sides differ in length", () => {
    const [oldText, newText] = [
      "const total = sum(a);\nreturn total;\n",
      "log(a);\nconst total = sum(a, b);\nreturn total * 2;\n",
    ];
    expect(rowsBetween(linesOf(oldText), linesOf(newText))).toEqual([
      { new: 0 },
      { old: 0, new: 1 },
      { old: 1, new: 2 },
    ]);
    expect(taken(oldText, newText, { old: [1] })).toBe("const total = sum(a);\nreturn total * 2;\n");
    expect(taken(oldText, newText, { new: [0] })).toBe(`log(a);\n${oldText}`);
  });

  it("keep line endings as they are, and are never joined at the end of a file without a newline", () => {
    expect(taken("a\r\nb\r\n", "A\r\nB\r\n", { old: [0] })).toBe("A\r\nb\r\n");
    expect(taken("use x\nb", "use X\nb\nc", { new: [2] })).toBe("use x\nb\nc");
    expect(taken("use x\nb", "use X\nb\nc", { old: [0] })).toBe("use X\nb");
    expect(taken("b", "B\nc", { old: [], new: [1] })).toBe(
      "all or none of old line 0 and new lines 0, 1: the text ends there without a newline, so these lines go together",
    );
  });
});

describe("a hunk", () => {
  it("is cut at lines that stay, then by changed line, then by paragraph, then by line", () => {
    expect(smaller("a\nsame\nb\n", "A\nsame\nB\n")).toEqual(["a\n→A\n", "b\n→B\n"]);
    expect(smaller("one two\nthree four\n", "one 2\nthree 4\nfive\nsix\n")).toEqual([
      "one two\n→one 2\n",
      "three four\n→three 4\n",
      "→five\nsix\n",
    ]);
    expect(smaller("", "f();\n\n\ng();\n")).toEqual(["→f();\n\n\n", "→g();\n"]);
    expect(smaller("a\nb\n", "")).toEqual(["a\n→", "b\n→"]);
  });

  it("is not cut where one line changes, and into 32 pieces at most", () => {
    expect(smaller("a\n", "A\n")).toEqual([]);
    const many = Array.from({ length: 100 }, (_, index) => `${index}\n`).join("");
    expect(smaller("", many)).toHaveLength(25);
  });
});
