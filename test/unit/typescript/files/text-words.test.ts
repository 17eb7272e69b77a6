import { describe, expect, it } from "vitest";
import { ANY_WORD, wordOf, wordsIn } from "../../../../server/src/typescript/files/text-words.ts";

const numbersOf = (text: string): number[] => [...wordsIn(Buffer.from(text))];

describe("the words of a text", () => {
  it("are its runs of letters, digits, $ and _, each once", () => {
    const words = ["class", "Circle$2", "extends", "_base", "area"];
    expect(numbersOf("class Circle$2 extends _base { area() {} /* area */ }")).toEqual(words.map(wordOf));
  });

  it("end at the end of the text", () => {
    expect(numbersOf("area")).toEqual([wordOf("area")]);
    expect(numbersOf("")).toEqual([]);
  });

  it("are those of this text alone, whatever was read before", () => {
    numbersOf("first second");
    expect(numbersOf("second third")).toEqual(["second", "third"].map(wordOf));
  });

  it("have a name with other letters by its longest part of ASCII", () => {
    expect(numbersOf("class Größe {}")).toContain(wordOf("Größe"));
    expect(numbersOf("«Größe»")).toContain(wordOf("Größe"));
    expect(wordOf("大小")).toBe(ANY_WORD);
  });

  it("are all there in a text with very many", () => {
    const words = Array.from({ length: 60_000 }, (_, index) => `word${index}`);
    expect(numbersOf([...words, ...words].join(" "))).toEqual(words.map(wordOf));
  });

  it.each([
    ["an escape", String.raw`class \u0043ircle {}`],
    ["more than a person writes", "word ".repeat(2_000_000)],
  ])("may be any after %s", (_what, text) => {
    expect(numbersOf(text)).toEqual([ANY_WORD]);
  });
});
