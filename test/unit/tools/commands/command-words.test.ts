import { expect, it } from "vitest";
import { printedLines } from "../../../../server/src/tools/commands/command-words.ts";

const lines = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index % 10));

it("shows what was printed as it is where that is short", () => {
  const short = lines(2_000);
  expect(printedLines({ text: short.join("\n"), left: 0 })).toEqual({
    lines: ["printed:", ...short.map((line) => `  ${line}`)],
    isWhole: true,
  });
  expect(printedLines({ text: " \n", left: 0 })).toEqual({ lines: ["It printed nothing."], isWhole: true });
});

it.each([
  ["short lines", lines(6_000)],
  ["a long last line", [...lines(3_000), "x".repeat(6_000)]],
  ["a long first line", ["x".repeat(6_000), ...lines(3_000)]],
  ["lines of which some are equal", lines(6_000).flatMap((line) => [line, "same", "same", "same"])],
])("keeps whole lines of the beginning and the end, in no more room than the text has: %s", (_, all) => {
  const { lines: shown, isWhole } = printedLines({ text: all.join("\n"), left: 0 });
  expect(isWhole).toBe(false);
  expect(shown.join("\n").length).toBeLessThanOrEqual(15_700);
  expect(shown.at(1)).toBe(`  ${all[0]}`);
  expect(shown.at(-2)).toBe(`  ${all.at(-1)}`);
  expect(shown.at(-1)).toMatch(/^Show less with grep, head or tail/);
  expect(shown.filter((line) => /^ {2}… \d+ characters left out …$/.test(line))).toHaveLength(1);
});
