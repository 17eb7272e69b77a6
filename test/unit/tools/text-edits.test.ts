import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { placeAsItLooks } from "../../../server/src/tools/answers/as-it-looks.ts";
import { insertBeside, replaceOnce } from "../../../server/src/tools/edit/text-edits.ts";

const edit = (text: string, original: string, modified = "new") => ({ path: "a.ts", text, original, modified });

async function replaced(text: string, original: string, modified = "new"): Promise<string> {
  const { start, end, newText } = await replaceOnce(edit(text, original, modified));
  return text.slice(0, start) + newText + text.slice(end);
}

describe("the place of an edit", () => {
  it.each([
    ["mixed line ends", "one\r\ntwo\nthree\r\n", "one\ntwo", "new\nthree\r\n"],
    ["a no-break space", "a\u00A0= 1;\n", "a = 1;", "new\n"],
    ["é in two characters", "cafe\u0301 = 1;\n", "café = 1;", "new\n"],
    ["é in one character", "café = 1;\n", "cafe\u0301 = 1;", "new\n"],
    ["a last line with a carriage return", "x\na\u00A0b\r\nc\n", "a b", "x\nnew\r\nc\n"],
  ])("is found where the text only looks the same: %s", async (_title, text, original, result) => {
    expect(await replaced(text, original)).toBe(result);
  });

  it("is none where several places look the same, and the lines are told that differ to the eye", async () => {
    await expect(replaced("a\u00A0b\na\u202Fb\n", "a b")).rejects.toThrow("`original` does not occur in a.ts");
    const told = replaced("const a = 1;\r\nconst b = 2;\nconst c = 3;\r\n", "const a = 1;\nconst b = 9;\nconst c = 3;");
    await expect(told).rejects.toThrow(/- const b = 9;\n\+const b = 2;|-const b = 9;\n\+const b = 2;/);
    await expect(told).rejects.not.toThrow(/-const a = 1;/);
  });

  it("counts places that overlap", async () => {
    await expect(replaced("aaa\naa", "aa")).rejects.toThrow("`original` occurs 3 times in a.ts (lines 1, 1, 2)");
  });

  it("finds any part of any text, or says that there are several", () => {
    const texts = fc.string({ unit: fc.constantFrom("a", "b", "\r\n", "\n", "\u00A0", "é", "e\u0301", " ") });
    fc.assert(
      fc.property(texts, fc.nat(), fc.nat(), (text, from, length) => {
        const start = text.length === 0 ? 0 : from % text.length;
        const place = placeAsItLooks(text, text.slice(start, start + 1 + (length % 5)));
        if (place !== undefined) expect(text.slice(place.start, place.end)).not.toBe("");
      }),
    );
  });

  it("is before an empty first line for what is inserted before it", async () => {
    for (const [text, original] of [
      ["\nfirst\n", "\nfirst"],
      ["\n\nfirst\n", "\n\nfirst"],
      ["\n", "\n"],
    ] as const) {
      expect(await insertBeside(edit(text, original), "before")).toMatchObject({ start: 0, end: 0, newText: "new\n" });
    }
  });
});
