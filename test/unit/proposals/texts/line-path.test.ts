/** The difference of texts by lines: what `diff` finds for small texts, and an end in time for large ones. */
import { diffLines } from "diff";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyChanges, changesBetween, type TextChange } from "../../../../server/src/proposals/texts/hunks.ts";
import { planChanges, plannedChanges } from "../../../../server/src/proposals/texts/planned-changes.ts";

const line = fc.constantFrom("a\n", "b\n", "c\n", "\n", "}\n", "\r\n", "déjà vu 😀\n");
const text = fc
  .tuple(fc.array(line, { maxLength: 25 }), fc.constantFrom("", "z"))
  .map(([lines, last]) => lines.join("") + last);

/** The same from the library, whose time grows with the square of what differs. */
function byLibrary(base: string, target: string): TextChange[] {
  const changes: TextChange[] = [];
  let offset = 0;
  let open: { start: number; newText: string } | undefined;
  for (const part of [...diffLines(base, target), undefined]) {
    if (part === undefined || (!part.added && !part.removed)) {
      if (open !== undefined) changes.push({ ...open, end: offset });
      open = undefined;
      offset += part?.value.length ?? 0;
    } else {
      open ??= { start: offset, newText: "" };
      if (part.added) open.newText += part.value;
      else offset += part.value.length;
    }
  }
  return changes;
}

describe("the difference of two texts", () => {
  it("is what the library finds", () => {
    fc.assert(
      fc.property(text, text, (base, target) => {
        expect(changesBetween(base, target)).toEqual(base === target ? [] : byLibrary(base, target));
      }),
    );
  });

  it.each([
    [
      "a change every tenth line of 50,000",
      50_000,
      (row: string, index: number) => (index % 10 === 3 ? `${row}!` : row),
    ],
    ["no line in common", 20_000, (row: string) => `${row}!`],
    [
      "the second half gone, and another one in its place",
      20_000,
      (row: string, index: number) => (index < 10_000 ? row : `other ${index}`),
    ],
  ])("leads to the other text where thousands of lines differ: %s", (_what, count, change) => {
    const rows = Array.from({ length: count }, (_, index) => `row ${index};`);
    const [base, target] = [`${rows.join("\n")}\n`, `${rows.map(change).join("\n")}\n`];
    const before = process.threadCpuUsage();
    const changes = changesBetween(base, target);
    const { user, system } = process.threadCpuUsage(before);
    expect(applyChanges(base, changes)).toBe(target);
    // Minutes, when the time grows with the square; the rest is the machine's.
    expect((user + system) / 1_000).toBeLessThan(10_000);
    for (const [index, { start }] of changes.entries()) expect(start).toBeGreaterThan(changes[index - 1]?.end ?? -1);
  });

  it("is the same when others have their turn meanwhile", async () => {
    const rows = Array.from({ length: 30_000 }, (_, index) => `row ${index % 700};\n`);
    const [base, target] = [rows.join(""), rows.map((row, index) => (index % 3 === 0 ? `${row}!\n` : row)).join("")];
    const document = { uri: "file:///a.ts", path: "a.ts", base: { text: base, version: 1, sha256: "" }, target };
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    await planChanges([document]);
    clearInterval(timer);
    expect(plannedChanges(document)).toEqual(changesBetween(base, target));
    expect(turns).toBeGreaterThan(0);
  });

  it("is one hunk for each changed line of a large text, however many there are", () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => `row ${index};`);
    const target = rows.map((row, index) => (index % 10 === 3 ? `${row}!` : row));
    expect(changesBetween(`${rows.join("\n")}\n`, `${target.join("\n")}\n`)).toHaveLength(1_000);
  });
});
