import fc from "fast-check";
import { expect, it } from "vitest";
import { wellFormedJson } from "../../../server/src/base/well-formed-json.ts";

/** What is read back is the value with every text made well-formed, and nothing else changed. */
const text = fc
  .array(fc.constantFrom("\ud83d", "\ude00", "😀", "\\", "\\ud83d", '"', "u", "é", "\n"))
  .map((all) => all.join(""));

it("writes any value so that no half of a surrogate pair is left, and changes nothing else", () => {
  fc.assert(
    fc.property(text, text, (key, value) => {
      const json = wellFormedJson({ [key]: [value], n: 1 });
      expect(json.isWellFormed()).toBe(true);
      const expected = JSON.stringify({ [key.toWellFormed()]: [value.toWellFormed()], n: 1 });
      expect(JSON.parse(json)).toEqual(JSON.parse(expected));
      expect(json).not.toMatch(/(?<!\\)(?:\\\\)*\\ud/);
    }),
  );
});
