import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lineStretches } from "../../../server/src/tools/answers/line-stretches.ts";
import { LastSeen } from "../../../server/src/conversation/last-seen.ts";

async function told(before: string, now: string | undefined, isUnsaved = false): Promise<string[]> {
  const seen = new LastSeen();
  seen.saw({ uri: "u", path: "a.ts", text: before });
  return seen.takeChanges(async (uri) => (now === undefined ? undefined : { uri, path: "a.ts", text: now, isUnsaved }));
}

describe("what changed since the model saw it", () => {
  it.each([
    ["a line", "a\nb\nc\n", "a\nB\nc\n", ["a.ts (line 2)"]],
    ["lines apart", "a\nb\nc\nd\ne\n", "A\nb\nc\nd\nE\nF\n", ["a.ts (lines 1, 5-6)"]],
    ["a line that is gone", "a\nb\nc\n", "a\nc\n", ["a.ts (line 2; lines below moved)"]],
    ["a line that came, and one that went", "a\nb\nc\nd\n", "a\nx\nb\nd\n", ["a.ts (lines 2, 4; lines below moved)"]],
    ["a line at the end", "a\nb", "a\nb\nc", ["a.ts (line 3)"]],
    ["nothing", "a\n", "a\n", []],
    ["the whole document", "a\n", undefined, ["a.ts (gone)"]],
    ["too much to compare", "a\n", "x\n".repeat(1_000), ["a.ts (lines 1-1000)"]],
  ])("is told by its place: %s", async (_title, before, now, expected) => {
    expect(await told(before, now)).toEqual(expected);
  });

  it("is told once", async () => {
    const seen = new LastSeen();
    seen.saw({ uri: "u", path: "a.ts", text: "a\n" });
    const read = async (uri: string) => ({ uri, path: "a.ts", text: "b\n", isUnsaved: true });
    expect(await seen.takeChanges(read)).toEqual(["a.ts (line 1; not saved)"]);
    expect(await seen.takeChanges(read)).toEqual([]);
  });

  it("tells of a text that is saved, and of one that another program writes under", async () => {
    const seen = new LastSeen();
    const now = (isUnsaved: boolean) => async (uri: string) => ({ uri, path: "a.ts", text: "b\n", isUnsaved });
    seen.saw({ uri: "u", path: "a.ts", text: "b\n", isUnsaved: true });
    expect(await seen.takeChanges(now(true))).toEqual([]);
    expect(await seen.takeChanges(now(false))).toEqual(["a.ts (saved)"]);
    expect(await seen.takeChanges(now(true))).toEqual(["a.ts (not saved)"]);
  });

  it("keeps what it knows of a document when a part of a newer text comes into view", async () => {
    const seen = new LastSeen();
    seen.saw({ uri: "u", path: "a.ts", text: "a\nb\n" });
    seen.opened({ uri: "u", path: "a.ts", text: "A\nB\n" });
    const read = async (uri: string) => ({ uri, path: "a.ts", text: "A\nB\n", isUnsaved: false });
    expect(await seen.takeChanges(read)).toEqual(["a.ts (lines 1-2)"]);
  });

  it("leaves no line at its number that has another text unless it is named or lines are said to have moved", async () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(lines, lines, async (before, now) => {
        const [text = ""] = await told(
          before.map((line) => `${line}\n`).join(""),
          now.map((line) => `${line}\n`).join(""),
        );
        if (text === "" || text.includes("moved")) return;
        const named = new Set(
          [...text.matchAll(/(\d+)(?:-(\d+))?/g)].flatMap(([, from = "", to = from]) =>
            Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => Number(from) + index),
          ),
        );
        for (const [index, line] of now.entries()) if (!named.has(index + 1)) expect(before[index]).toBe(line);
      }),
    );
  });

  it("is told of exactly the lines that the model has not read since, whatever it read and in which order", async () => {
    const lines = 8;
    // Lines that change side by side are one change, of which nothing is known before all of it was read.
    const edit = fc.record({ edits: fc.nat(lines / 2 - 1).map((half) => half * 2) });
    const reading = fc
      .tuple(fc.nat(lines - 1), fc.nat(lines - 1))
      .map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(edit, reading), { maxLength: 12 }), async (steps) => {
        const text = Array.from({ length: lines }, (_, line) => `${line}`);
        const known = [...text];
        const seen = new LastSeen();
        const now = () => ({
          uri: "u",
          path: "a.ts",
          text: text.map((line) => `${line}\n`).join(""),
          isUnsaved: false,
        });
        seen.saw(now());
        for (const [index, step] of steps.entries()) {
          if ("edits" in step) {
            text[step.edits] = `step ${index}`;
            continue;
          }
          const read = Array.from({ length: step.to - step.from + 1 }, (_, line) => step.from + line);
          for (const line of read) known[line] = text[line] ?? "";
          seen.read(now(), lineStretches(now().text, read));
        }
        const [words = ""] = await seen.takeChanges(async () => now());
        const named = [...words.matchAll(/(\d+)(?:-(\d+))?/g)].flatMap(([, from, to = from]) =>
          Array.from({ length: Number(to) - Number(from) + 1 }, (_, line) => Number(from) + line),
        );
        const differ = text.flatMap((line, index) => (line === known[index] ? [] : [index + 1]));
        expect(named).toEqual(differ);
      }),
    );
  });

  it("names lines that the new text has, for any two texts", async () => {
    const text = fc.array(fc.constantFrom("a", "b", ""), { maxLength: 8 }).map((lines) => lines.join("\n"));
    await fc.assert(
      fc.asyncProperty(text, text, async (before, now) => {
        const lines = (await told(before, now)).flatMap((each) => [...each.matchAll(/\d+/g)].map(Number));
        expect(lines.length > 0).toBe(before !== now);
        for (const line of lines) expect(line).toBeLessThanOrEqual(Math.max(1, now.split("\n").length));
      }),
    );
  });
});
