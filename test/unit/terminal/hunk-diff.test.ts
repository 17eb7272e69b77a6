import { expect, it } from "vitest";
import type { Hunk } from "../../../server/src/protocol/proposal-shapes.ts";
import { showHunk } from "../../../server/src/terminal/hunk-diff.ts";
import type { Screen } from "../../../server/src/terminal/screen.ts";

/** What a person reads of a hunk that puts a text in the place of the middle one of three lines. */
function shown(newText: string, { ends = "\n", path = "src/a.ts" } = {}): string[] {
  const lines: string[] = [];
  const text = ["one", "two", "three", ""].join(ends);
  const range = { start: { line: 1, character: 0 }, end: { line: 2, character: 0 } };
  const hunk = { id: "h", uri: "file:///p/src/a.ts", kind: "edit", title: "t", range, oldText: `two${ends}`, newText };
  const screen = {
    width: 80,
    hasStyles: false,
    paint: (_: string, part: string) => part,
    write: () => undefined,
    line: (line = "") => void lines.push(line),
  };
  showHunk(screen, hunk as unknown as Hunk, { path, text, index: 1, total: 1 });
  return lines.slice(2);
}

it("shows the lines that a yes applies, with the names of characters that do not show", () => {
  const line = "const ok = /\u001b]/.test(q); evil(); /\u0007/.test(q); // tidy\n";
  expect(shown(line)).toEqual([
    "  @@ src/a.ts:2 @@",
    "   one",
    "  -two",
    "  +const ok = /<U+001B>]/.test(q); evil(); /<U+0007>/.test(q); // tidy",
    "   three",
  ]);
  expect(shown("safe\revil\n")).toContain("  +safe<U+000D>evil");
  expect(shown("x\n", { path: "a\u001b]0;evil\u0007.ts" })[0]).toBe("  @@ a<U+001B>]0;evil<U+0007>.ts:2 @@");
});

it("shows the ends of lines where they are others than those of the file", () => {
  expect(shown("two\r\n")).toContain("  +two<U+000D>");
  expect(shown("2\r\n", { ends: "\r\n" })).toEqual(["  @@ src/a.ts:2 @@", "   one", "  -two", "  +2", "   three"]);
  expect(shown("2\n", { ends: "\r\n" })).toEqual([
    "  @@ src/a.ts:2 @@",
    "   one<U+000D>",
    "  -two<U+000D>",
    "  +2",
    "   three<U+000D>",
  ]);
});

/** What a person reads where signs stand for styles: `[…]` for the marked words. */
function styled(oldText: string, newText: string, width = 40): string[] {
  const lines: string[] = [];
  const range = { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } };
  const hunk = { id: "h", uri: "file:///p/src/a.ts", kind: "edit", title: "t", range, oldText, newText };
  const screen: Screen = {
    width,
    hasStyles: true,
    paint: (style, part) => (style === "inverse" ? `[${part}]` : part),
    write: () => undefined,
    line: (line = "") => void lines.push(line),
  };
  showHunk(screen, hunk as unknown as Hunk, { path: "src/a.ts", text: oldText, index: 1, total: 1 });
  return lines.slice(3);
}

it("marks the words that differ, also where lines came or went", () => {
  expect(styled("const net = price;\n", "const gross = price * 1.19;\n")).toEqual([
    "  -const [net] = price;",
    "  +const [gross] = price [*] [1.19];",
  ]);
  const more = styled("one(a, b, c);\n", "one(a, c);\ntwo(a, b);\n");
  expect(more.join("\n").replaceAll(/[[\]]/g, "")).toBe("  -one(a, b, c);\n  +one(a, c);\n  +two(a, b);");
  expect(more[0]).toBe("  -one(a, [b], [c]);");
});

it("marks nothing where hardly a word stays", () => {
  expect(styled("return cached;\n", "for (const each of all) yield each.name;\n").join("")).not.toContain("[");
});

it("goes on below with a line that is longer than the screen, further in, and loses nothing of the line", () => {
  const line = `  return ${Array.from({ length: 12 }, (_, index) => `argument${index}`).join(" + ")};`;
  const rows = styled("", `${line}\n`);
  expect(rows[0]?.trimEnd()).toBe("  +  return argument0 + argument1 +");
  expect(rows.slice(1).every((row) => row.startsWith("       ") && row.trimEnd().length <= 40)).toBe(true);
  expect(rows.join(" ").replaceAll(/\s+/g, " ")).toBe(` +${line}`.replaceAll(/\s+/g, " "));
});
