import { describe, expect, it } from "vitest";
import { excerpt } from "../../../../../server/src/typescript/xref/references/line-text.ts";

describe("the part of a long line that is shown", () => {
  const words = Array.from({ length: 200 }, (_, index) => `w${index}`).join(" ");

  it.each([0, 1, 39, 40, 41, 42, 100, 400, words.length - 130, words.length - 100, words.length - 3])(
    "holds the place, at most 120 characters and a mark where it was cut: %i",
    (at) => {
      const shown = excerpt(words, at);
      expect(shown.length).toBeLessThanOrEqual(120);
      const kept = shown.replace(/^…/, "").replace(/…$/, "");
      const from = words.indexOf(kept);
      expect(from).toBeGreaterThanOrEqual(0);
      expect(from).toBeLessThanOrEqual(at);
      expect(from + kept.length).toBeGreaterThan(at + 1);
      expect(shown.startsWith("…")).toBe(from > 0);
      expect(shown.endsWith("…")).toBe(from + kept.length < words.length);
    },
  );

  it("is the whole line when that is short", () => {
    expect(excerpt("x".repeat(120), 119)).toBe("x".repeat(120));
  });

  it("does not cut a character in two", () => {
    const text = "😀".repeat(200);
    for (let at = 0; at < text.length; at += 1) expect(excerpt(text, at).isWellFormed()).toBe(true);
  });
});
