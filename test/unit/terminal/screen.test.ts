import { expect, it } from "vitest";
import { hiddenCharacters } from "../../../server/src/workspace/hidden-characters.ts";
import { plain } from "../../../server/src/terminal/screen.ts";

it("writes out what drives the terminal, hides, or turns the order of a text", () => {
  expect(plain("a\u001b[2Jb\u0007c\u202Egpj\u200B\u2066\uFEFF\n\tgrüße 👩\u200D💻")).toBe(
    "a<U+001B>[2Jb<U+0007>c<U+202E>gpj<U+200B><U+2066><U+FEFF>\n  grüße 👩\u200D💻",
  );
});

/** Beginnings and ends between which a terminal shows nothing, or shows something else. */
const BRACKETS = {
  "a title": ["\u001b]0;", "\u0007"],
  "a title that a string terminator ends": ["\u001b]", "\u001b\\"],
  "a title in one byte": ["\u009d", "\u009c"],
  "a device string": ["\u001bP", "\u001b\\"],
  "a private message": ["\u001b^", "\u001b\\"],
  "an application's command": ["\u001b_", "\u001b\\"],
  "a start of string": ["\u001bX", "\u001b\\"],
  "concealed text": ["\u001b[8m", "\u001b[28m"],
  "text in the colour of the ground": ["\u001b[30;40m", "\u001b[0m"],
  "text that is written over": ["", "\r"],
  "text that is deleted": ["", "\b\b\b\b\u001b[K"],
  "another character set": ["\u000e", "\u000f"],
  "a link": ["\u001b]8;;http://x\u0007", "\u001b]8;;\u0007"],
} as const;

it.each(Object.entries(BRACKETS))("leaves nothing out that stands in %s", (_what, [begin, end]) => {
  for (const hidden of ["evil()", "evil();\nmore()", `${begin}evil()`])
    for (const text of [`const ok = /${begin}${hidden}${end}/; // tidy`, `${begin}${hidden}`, `${hidden}${end}x`]) {
      const shown = plain(text);
      for (const part of hidden.split("\n")) expect(shown).toContain(part.replace(begin, ""));
      expect(hiddenCharacters(shown)).toEqual([]);
      expect(shown).not.toContain("\r");
    }
});

it.each(["\u3164", "\uFFA0", "\u115F", "\u2800", "\u034F", "\uFE01", "\u{E0100}", "\u{E0041}", "\u200D", "\u200C"])(
  "writes out a letter that does not show: %j",
  (letter) => {
    const code = letter.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0");
    expect(plain(`const { timeout,${letter}} = query`)).toBe(`const { timeout,<U+${code}>} = query`);
  },
);
