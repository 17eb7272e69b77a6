import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  applyChanges,
  changesBetween,
  mapThrough,
  rangeOf,
  withLineEndingsOf,
} from "../../../../server/src/proposals/texts/hunks.ts";

const line = fc.constantFrom("a", "b", "c", "", "  return 1;", "}", "déjà vu 😀");
const text = fc
  .tuple(fc.array(line, { maxLength: 30 }), fc.constantFrom("\n", "\r\n"), fc.boolean())
  .map(([lines, eol, last]) => lines.join(eol) + (last && lines.length > 0 ? eol : ""));

describe("changesBetween", () => {
  it("gives changes that turn the base into the target, for any two texts", () => {
    fc.assert(
      fc.property(text, text, (base, target) => {
        expect(applyChanges(base, changesBetween(base, target))).toBe(target);
      }),
    );
  });

  it("keeps at least one shared line between two changes, so that any subset can be applied", () => {
    fc.assert(
      fc.property(text, text, (base, target) => {
        const changes = changesBetween(base, target);
        for (const [index, change] of changes.entries()) {
          const next = changes[index + 1];
          if (next !== undefined) expect(next.start).toBeGreaterThan(change.end);
        }
      }),
    );
  });

  it("separates two edits that stand a few lines apart", () => {
    const base = ["one", "two", "three", "four", "five", ""].join("\n");
    const target = ["ONE", "two", "three", "four", "FIVE", ""].join("\n");
    expect(changesBetween(base, target)).toHaveLength(2);
  });

  it("treats a change of the last line break as a change of the last line only", () => {
    expect(changesBetween("a\nb", "a\nb\n")).toEqual([{ start: 2, end: 3, newText: "b\n" }]);
  });
});

describe("mapThrough", () => {
  it("moves a stretch with the text around it, for any edit that leaves it alone", () => {
    fc.assert(
      fc.property(text, text, (base, target) => {
        const edits = changesBetween(base, target);
        for (let start = 0; start <= base.length; start += 3) {
          const end = Math.min(base.length, start + 2);
          const place = mapThrough({ start, end }, edits);
          if (place !== undefined) expect(target.slice(place.start, place.end)).toBe(base.slice(start, end));
        }
      }),
    );
  });

  it("does not map a stretch that an edit changed", () => {
    expect(mapThrough({ start: 2, end: 6 }, [{ start: 4, end: 5, newText: "x" }])).toBeUndefined();
    expect(mapThrough({ start: 2, end: 6 }, [{ start: 4, end: 4, newText: "x" }])).toBeUndefined();
  });

  it("does not guess where an insertion belongs when something else was inserted at the same place", () => {
    expect(mapThrough({ start: 4, end: 4 }, [{ start: 4, end: 4, newText: "x" }])).toBeUndefined();
  });

  it("keeps an insertion in front of text that was replaced behind it", () => {
    expect(mapThrough({ start: 4, end: 4 }, [{ start: 4, end: 8, newText: "x" }])).toEqual({ start: 4, end: 4 });
    expect(mapThrough({ start: 8, end: 8 }, [{ start: 4, end: 8, newText: "x" }])).toEqual({ start: 5, end: 5 });
  });
});

describe("rangeOf", () => {
  it("counts UTF-16 units from the line's start", () => {
    expect(rangeOf("a😀b\nc", 3, 6)).toEqual({ start: { line: 0, character: 3 }, end: { line: 1, character: 1 } });
  });
});

describe("withLineEndingsOf", () => {
  it("gives a model's text the line ending of the document", () => {
    expect(withLineEndingsOf("a\r\nb\r\n", "x\ny\n")).toBe("x\r\ny\r\n");
    expect(withLineEndingsOf("a\nb\n", "x\r\ny")).toBe("x\ny");
  });

  it("leaves the text alone where the document mixes line endings", () => {
    expect(withLineEndingsOf("a\r\nb\n", "x\ny\r\n")).toBe("x\ny\r\n");
  });
});
