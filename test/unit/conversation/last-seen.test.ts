import fc from "fast-check";
import { describe, expect, it } from "vitest";
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
    ["a line that is gone", "a\nb\nc\n", "a\nc\n", ["a.ts (line 2)"]],
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
