import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changesSince, changesSinceInSteps } from "../../../../server/src/proposals/texts/changes-since.ts";
import { applyChanges, moveThrough } from "../../../../server/src/proposals/texts/hunks.ts";

const text = fc
  .tuple(fc.array(fc.constantFrom("a\n", "b\n", "\n", "c\r\n"), { maxLength: 12 }), fc.constantFrom("", "a", "end"))
  .map(([lines, last]) => lines.join("") + last);

describe("the changes of a text since a proposal was made for it", () => {
  it("turn the one text into the other, by whole lines and in order, at once or in steps", async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (base, now) => {
        const changes = changesSince(base, now);
        expect(applyChanges(base, changes)).toBe(now);
        let end = 0;
        for (const change of changes) {
          expect(change.start).toBeGreaterThanOrEqual(end);
          expect(change.start === 0 || base[change.start - 1] === "\n").toBe(true);
          ({ end } = change);
        }
        expect(await changesSinceInSteps(base, now)).toEqual(changes);
      }),
    );
  });

  it("are the same in steps for texts that differ in many places", async () => {
    const base = Array.from({ length: 600 }, (_each, index) => `line ${index}\n`).join("");
    const now = base.replaceAll(/line (\d*7)\n/g, "changed $1\nand more\n");
    const changes = changesSince(base, now);
    expect(changes).toHaveLength(60);
    expect(await changesSinceInSteps(base, now)).toEqual(changes);
  });

  it("are a single key's for a long text with one more character", () => {
    const base = "line\n".repeat(10_000);
    const now = `${base.slice(0, 25_000)}x${base.slice(25_000)}`;
    expect(changesSince(base, now)).toEqual([{ start: 25_000, end: 25_005, newText: "xline\n" }]);
  });
});

describe("a stretch of a text", () => {
  it("takes along what was changed together with it, and is what stands there now", () => {
    const base = "a\nb\nc\nd\n";
    const edits = [{ start: 2, end: 6, newText: "X\nY\nZ\n" }];
    expect(moveThrough({ start: 4, end: 6 }, edits)).toEqual({
      isWhole: false,
      before: { start: 2, end: 6 },
      after: { start: 2, end: 8 },
    });
    expect(moveThrough({ start: 6, end: 8 }, edits)).toEqual({
      isWhole: true,
      before: { start: 6, end: 8 },
      after: { start: 8, end: 10 },
    });
    expect(applyChanges(base, edits).slice(2, 8)).toBe("X\nY\nZ\n");
  });
});
