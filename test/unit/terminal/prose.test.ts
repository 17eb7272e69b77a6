import { expect, it } from "vitest";
import { Prose } from "../../../server/src/terminal/prose.ts";
import { widthOf, type Screen } from "../../../server/src/terminal/screen.ts";

const SIGNS: Readonly<Record<string, string>> = { bold: "!", italic: "/", cyan: "'", dim: "" };

/** What a screen of that width shows; where it has styles, signs stand for them. */
function shown(chunks: readonly string[], { width = 40, hasStyles = true } = {}): string {
  let text = "";
  const screen: Screen = {
    width,
    hasStyles,
    paint: (style, part) => (hasStyles ? `${SIGNS[style] ?? ""}${part}${SIGNS[style] ?? ""}` : part),
    write: (part) => void (text += part),
    line: (part = "") => void (text += `${part}\n`),
  };
  const prose = new Prose(screen);
  for (const chunk of chunks) prose.write(chunk);
  prose.end();
  return text;
}

const ANSWER = `## What went wrong

The tax is **rounded twice**: once in \`gross(…)\`, and *once* in the receipt (2*3*4, snake_case, a * b).

1. Round in \`gross\` alone, which all of the receipts of the shop ask.
2. Leave [the receipt](https://e.org/receipt) as it is.
   It reads the sum.
- [ ] a task
> It is said that money is never rounded twice anywhere.

\`\`\`ts
const a = "**kept**";   // with   spaces, and a line that is longer than the screen
\`\`\`

| what | count |
|:--|--:|
| \`gross\` | 12 |
| ✅ a cell with **so many words** that they do not fit | 3 |

---
- **first**: done`;

it("shows headings, lists, code, quotes, links and tables as what they are", () => {
  expect(`\n${shown([ANSWER])}`).toBe(`
  !What! !went! !wrong!

  The tax is !rounded! !twice!: once in
  'gross(…)', and /once/ in the receipt
  (2*3*4, snake_case, a * b).

  1. Round in 'gross' alone, which all
     of the receipts of the shop ask.
  2. Leave the receipt
     (https://e.org/receipt) as it is.
     It reads the sum.
  - [ ] a task
  │ It is said that money is never
  │ rounded twice anywhere.

    'const a = "**kept**";   // with   spaces, and a line that is longer than the screen'

  what                           │ count
  ───────────────────────────────┼──────
  'gross'                          │    12
  ✅ a cell with so many words   │     3
  that they do not fit           │

  ────────────────────────
  - !first!: done
`);
});

it("shows the same however the text comes", () => {
  for (const size of [1, 2, 3, 7]) {
    const chunks = Array.from({ length: Math.ceil(ANSWER.length / size) }, (_, at) =>
      ANSWER.slice(at * size, (at + 1) * size),
    );
    expect(shown(chunks)).toBe(shown([ANSWER]));
  }
});

it("keeps every mark where no style would show instead", () => {
  const text = "## Head\n\n**a** `b` *c* [d](https://e.org)\n> f\n```\ng\n```\n";
  expect(shown([text], { hasStyles: false })).toBe(
    "  ## Head\n\n  **a** `b` *c* [d](https://e.org)\n  > f\n  ```\n    g\n  ```\n",
  );
});

it.each([
  ["a mark that never ends", "**a word `and code\n\nthe next paragraph", ["the next paragraph"]],
  ["a bracket that never ends", `x[0 ${"word ".repeat(60)}`, ["x[0"]],
  ["a fence that never ends", "```\ncode", ["'code'"]],
  ["a table without its rule", "| a | b |\n| c | d |", ["| a | b |", "| c | d |"]],
  ["two signs of arithmetic", "a * b * c ** d", ["a * b * c ** d"]],
  ["a line that is a mark alone", "-\n#\n1.\n*\n``", ["-", "#", "1.", "*"]],
  ["a number", "1.5 is not 2) and 2024 is a year", ["1.5 is not 2) and 2024 is a year"]],
])("loses nothing of %s", (_what, text, lines) => {
  const all = shown([text]);
  for (const line of lines) expect(all).toContain(line);
  expect(all.endsWith("\n")).toBe(true);
});

it("shows links and stress in the cells of a table as everywhere else", () => {
  const rows = [
    "| [docs](https://e.org) | ***both*** | _two words_ | `a_b_` |",
    "|---|---|---|---|",
    "| a * b | so *c* | snake_case_name | [x](src/_x_/a.ts) |",
    "| **b c** | d | and ***e f*** too | _g_ `h` |",
  ];
  expect(shown([rows.join("\n")], { width: 90 })).toBe(
    [
      "  docs (https://e.org) │ /!both!/ │ /two/ /words/       │ 'a_b_'",
      "  ─────────────────────┼──────┼─────────────────┼─────────────────",
      "  a * b                │ so /c/ │ snake_case_name │ x (src/_x_/a.ts)",
      "  !b! !c!                  │ d    │ and /!e!/ /!f!/ too     │ /g/ 'h'",
      "",
    ].join("\n"),
  );
});

it("stresses what stands between underscores, and no names, however the text comes", () => {
  const text = "It is _very important_, (_so_), **_both_** and _private, src/_x_/a.ts, __init__ `_code_`.";
  const lines = "  It is /very/ /important/, (/so/), /!both!/ and _private, src/_x_/a.ts, __init__\n  '_code_'.\n";
  expect([shown([text], { width: 90 }), shown(Array.from(text), { width: 90 })]).toEqual([lines, lines]);
  expect(shown([text], { width: 90, hasStyles: false })).toContain("It is _very important_, (_so_), **_both_** and");
});

it("keeps the columns of a table under each other where the marks show", () => {
  expect(shown(["| name | value |\n|---|--:|\n| `a` | **b** |\n| longer name | 1 |"], { hasStyles: false })).toBe(
    ["  name        │ value", "  ────────────┼──────", "  `a`         │ **b**", "  longer name │     1", ""].join("\n"),
  );
});

it("never writes a line of words wider than the screen", () => {
  const text = "- " + "word and `some code` or **strong words** 漢字漢字 ".repeat(20);
  const lines = shown([text], { width: 32 }).split("\n");
  expect(Math.max(...lines.map((line) => widthOf(line.replaceAll(/[!'/]/g, ""))))).toBeLessThanOrEqual(32);
});
