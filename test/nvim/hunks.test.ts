import { afterAll, beforeAll, expect, it } from "vitest";
import { describeContract } from "../support/editors.ts";
import { startNeovim, type Neovim } from "./neovim.ts";

interface Range {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
}

function range(startLine: number, startCharacter: number, endLine: number, endCharacter: number): Range {
  return {
    start: { line: startLine, character: startCharacter },
    end: { line: endLine, character: endCharacter },
  };
}

describeContract("nvim", (editor) => {
  let nvim: Neovim;

  beforeAll(async () => {
    nvim = await startNeovim({ editor });
  });

  afterAll(async () => {
    await nvim.dispose();
  });

  const view = async (lines: readonly string[], hunk: object): Promise<unknown> =>
    await nvim.lua(
      `local lines, hunk = ...
       return require("agentq.review.hunks").view(hunk, function(row) return lines[row + 1] or "" end, "utf-16")`,
      lines,
      hunk,
    );

  const locate = async (located: object, lines: readonly string[], marked?: number, around = {}): Promise<unknown> =>
    await nvim.lua(
      `local view, lines, marked, around = ...
       return { require("agentq.review.hunks").locate(view, lines, marked ~= "" and marked or nil, next(around) and around or nil) }`,
      located,
      lines,
      marked ?? "",
      around,
    );

  it("reads a hunk of whole lines as the lines it takes and the lines it brings", async () => {
    expect(await view([], { range: range(1, 0, 2, 0), oldText: "b\n", newText: "B\n\nC\n" })).toEqual({
      first: 1,
      last: 2,
      old: ["b"],
      new: ["B", "", "C"],
    });
    expect(await view([], { range: range(1, 0, 1, 0), oldText: "", newText: "x\r\ny\r\n" })).toEqual({
      first: 1,
      last: 1,
      old: [],
      new: ["x", "y"],
    });
  });

  it("widens a hunk inside a line to the whole line, counting UTF-16", async () => {
    const line = 'say("🙂 Grüße", 1);';
    const start = line.indexOf("1");
    expect(await view([line], { range: range(0, start, 0, start + 1), oldText: "1", newText: "2" })).toEqual({
      first: 0,
      last: 1,
      old: [line],
      new: [line.replace("1", "2")],
    });
  });

  it("finds the old text by its mark, then by its range, then by being the only such text", async () => {
    const hunk = { first: 1, last: 2, old: ["b"], new: ["B"] };
    expect(await locate(hunk, ["a", "b", "c", "b"], 3)).toEqual([3, true]);
    expect(await locate(hunk, ["a", "b", "c"], 0)).toEqual([1, true]);
    expect(await locate(hunk, ["x", "y", "z", "b"])).toEqual([3, true]);
    expect(await locate(hunk, ["b", "y", "z", "b"], 2)).toEqual([2, false]);
    expect(await locate(hunk, [], 4)).toEqual([0, false]);
    expect(await locate({ first: 9, last: 9, old: [], new: ["n"] }, ["a"])).toEqual([1, true]);
  });

  it("finds by the lines around it where a hunk stood whose mark was lost", async () => {
    const around = { before: "b", after: "d" };
    const change = { first: 2, last: 3, old: ["c"], new: ["C"] };
    expect(await locate(change, ["a", "b", "x", "d"], 0, around)).toEqual([2, false]);
    expect(await locate(change, ["a", "b", "x", "y"], 2, around)).toEqual([2, false]);
    expect(await locate(change, ["a", "x", "y", "z"], 3, around)).toEqual([3, false]);
    expect(await locate({ first: 2, last: 2, old: [], new: ["c"] }, ["a", "b", "d"], 0, around)).toEqual([2, true]);
  });

  it("shows what differs inside a line on the borders of characters", async () => {
    const differ = async (before: string, after: string): Promise<(string | null)[]> => {
      const [first, last, newLast] = await nvim.lua<[number | null, number, number]>(
        `return { require("agentq.review.hunks").difference(...) }`,
        before,
        after,
      );
      if (typeof first !== "number") return [];
      const slice = (text: string, end: number): string => Buffer.from(text).subarray(first, end).toString("utf8");
      return [slice(before, last), slice(after, newLast)];
    };
    expect(await differ("Math.trunc(total)", "Math.floor(total)")).toEqual(["trunc", "floor"]);
    expect(await differ("const a = 'ü' + tail;", "const a = 'ö' + tail;")).toEqual(["ü", "ö"]);
    expect(await differ("aaaa", "aaaaaa")).toEqual(["", "aa"]);
    expect(await differ("completely", "different")).toEqual([]);
  });

  it("applies text edits as the protocol says", async () => {
    const apply = async (text: string, edits: readonly object[], encoding = "utf-16"): Promise<unknown> =>
      await nvim.lua(`return require("agentq.review.edits").apply(...)`, text, edits, encoding);
    expect(await apply("", [{ range: range(0, 0, 0, 0), newText: "a\nb\n" }])).toBe("a\nb\n");
    const edits = [
      { range: range(2, 0, 3, 0), newText: "C\n" },
      { range: range(0, 2, 0, 4), newText: "-" },
      { range: range(1, 0, 1, 0), newText: "first\n" },
      { range: range(1, 0, 1, 0), newText: "second\n" },
    ];
    expect(
      await apply(
        "a🙂b🙂\nb\nc\nd",
        [edits[0], edits[2], edits[3]].flatMap((edit) => edit ?? []),
      ),
    ).toBe("a🙂b🙂\nfirst\nsecond\nb\nC\nd");
    expect(await apply("é🙂b\r\nend", [{ range: range(0, 3, 0, 4), newText: "B" }])).toBe("é🙂B\r\nend");
    expect(await apply("é🙂b", [{ range: range(0, 6, 0, 7), newText: "B" }], "utf-8")).toBe("é🙂B");
    expect(await apply("last", [{ range: range(0, 4, 9, 0), newText: "\n" }])).toBe("last\n");
  });

  it("turns two texts into line changes that lead from one to the other", async () => {
    const texts = ["", "a", "a\nb\nc", "x\na\nc\ny", "a\nb\nb\nb\nc", "\n\na\n", "c\nb\na"];
    for (const before of texts) {
      for (const after of texts) {
        const result = await nvim.lua(
          `local before, after = vim.split(..., "\\n"), vim.split(select(2, ...), "\\n")
           local bufnr = vim.api.nvim_create_buf(false, true)
           vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, before)
           for _, change in ipairs(require("agentq.review.edits").line_changes(before, after)) do
             vim.api.nvim_buf_set_lines(bufnr, change.first, change.last, true, change.lines)
           end
           return table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), "\\n")`,
          before,
          after,
        );
        expect(result, `${JSON.stringify(before)} to ${JSON.stringify(after)}`).toBe(after);
      }
    }
  });
});
