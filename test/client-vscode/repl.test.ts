/** What the REPL of the VS Code extension shows, without VS Code: values at lines, the log, notebooks, and tests. */
import fc from "fast-check";
import { describe as group, expect, it } from "vitest";
import { describe } from "../../client-vscode/repl/describe.ts";
import { moved } from "../../client-vscode/repl/lines.ts";
import { ReplLog } from "../../client-vscode/repl/log.ts";
import { readNotebook, writeNotebook } from "../../client-vscode/repl/notebook-format.ts";
import { namePattern, testsIn } from "../../client-vscode/repl/outline.ts";
import { getterCode, rowsOf } from "../../client-vscode/repl/pages.ts";
import { Places } from "../../client-vscode/repl/places.ts";
import { hoverText, inlineText } from "../../client-vscode/repl/shown-value.ts";
import { statusWords } from "../../client-vscode/repl/status-words.ts";
import { outcomesOf } from "../../client-vscode/repl/verdict.ts";
import type { EvalResult, ReplStatus, ValuePage } from "../../server/src/protocol/repl-shapes.ts";

const file = (uri: string): string => uri.replace("file:///project/", "");

function result(more: Partial<EvalResult> = {}): EvalResult {
  const output = { stdout: "", stderr: "", truncated: false, notes: [] };
  return { evalId: "7", outcome: "value", durationMs: 12.4, stateKept: true, ...output, ...more };
}

const failure = result({
  outcome: "error",
  error: {
    name: "TypeError",
    message: "no cart\nat all",
    frames: [{ function: "total", uri: "file:///project/src/cart.ts", line: 4, character: 2, code: "  cart.lines" }],
  },
});

group("a value at its line", () => {
  it("stands on one line, is cut, and shows what hides", () => {
    expect(inlineText(result({ preview: "[\n  3,\n  4\n]" }), 20)).toBe("⇒ [ 3, 4 ]");
    expect(inlineText(result({ preview: "x".repeat(500) }), 100)).toHaveLength(43);
    expect(inlineText(result({ preview: "'a\u202Eb'" }), 0)).toBe("⇒ 'a<U+202E>b'");
    expect(inlineText(failure, 0)).toBe("⇒ TypeError: no cart ⏎ at all");
    expect(inlineText(result({ outcome: "timeout" }), 0)).toBe("⇒ stopped: it took longer than it may");
  });

  it("is told in full without letting anything of the form be Markdown", () => {
    const hostile = "```\n[x](command:evil) <b>\n```` ok\u200B";
    const shown = hoverText(result({ preview: hostile, stdout: hostile, type: "[t](command:evil)" }), file, [
      "[Log](command:log)",
    ]);
    const outside = shown.replaceAll(/^(`{3,})\n[\s\S]*?\n\1$/gm, "");
    expect(outside).not.toContain("evil");
    expect(outside).toContain("12 ms · form 7 · [Log](command:log)");
    expect(shown).toContain("ok<U+200B>");
    expect(hoverText(failure, file)).toContain("at total (src/cart.ts:5:3)");
  });

  it("moves with the text above, and goes with a change of its own lines", () => {
    const change = (from: [number, number], to: [number, number], text: string) => ({
      range: { start: { line: from[0], character: from[1] }, end: { line: to[0], character: to[1] } },
      text,
    });
    const lines = { first: 3, last: 5 };
    expect(moved(lines, change([0, 0], [0, 0], "a\nb\n"), 8)).toEqual({ first: 5, last: 7 });
    expect(moved(lines, change([3, 0], [3, 0], "// new\n"), 8)).toEqual({ first: 4, last: 6 });
    expect(moved(lines, change([1, 0], [3, 0], ""), 8)).toEqual({ first: 1, last: 3 });
    expect(moved(lines, change([5, 8], [5, 8], "\n  "), 8)).toEqual(lines);
    expect(moved(lines, change([7, 0], [7, 0], "x"), 8)).toEqual(lines);
    expect(moved(lines, change([4, 2], [4, 2], "x"), 8)).toBeUndefined();
    expect(moved(lines, change([2, 4], [3, 0], ""), 8)).toBeUndefined();
    expect(moved(lines, change([5, 7], [5, 8], "\n"), 8)).toBeUndefined();
  });
});

group("the log", () => {
  function begun(places = new Places()): { readonly log: ReplLog; readonly text: () => string } {
    let text = "";
    return { log: new ReplLog((more) => (text += more), file, places), text: () => text };
  }

  it("has the form, its output in whole lines without colours, and the outcome", () => {
    const { log: repl, text } = begun();
    const form = repl.begin("total(\n  cart)", "file:///project/src/cart.ts", undefined);
    repl.output({ evalId: "7", stream: "stdout", text: "\u001B[31mone\u001B[0m\ntw" });
    repl.output({ evalId: "7", stream: "stdout", text: "o" });
    repl.end(form, result({ preview: "3", valueId: "$7", type: "number" }));
    expect(text()).toBe("src/cart.ts > total(\n…   cart)\none\ntwo\n$7 = 3 : number\n\n");
  });

  it("marks the agent's forms, and names the form of output that comes in between", () => {
    const { log: repl, text } = begun();
    const form = repl.begin("slow()", undefined, undefined);
    repl.agent({ evalId: "8", code: "look()", host: "claude-code", module: "file:///project/src/cart.ts" });
    repl.output({ evalId: "7", stream: "stdout", text: "mine\n" });
    repl.agent({ evalId: "8", code: "look()", host: "claude-code", result: result({ evalId: "8", preview: "1" }) });
    repl.end(form, result({ preview: "2" }));
    expect(text()).toBe(
      "> slow()\nclaude-code in src/cart.ts > look()\nform 7:\nmine\nform 8 > look()\n1\n\nform 7 > slow()\n2\n\n",
    );
  });

  it("says places in the file that the form came from, and labels the lines of a program", () => {
    const places = new Places();
    places.remember("api/3", { uri: "file:///project/src/cart.ts", line: 9, character: 4 });
    const frames = [{ function: "", uri: "repl:3", line: 0, character: 6 }];
    const put = places.put({ name: "Error", message: "bad", frames }, "api");
    expect(put.frames[0]).toMatchObject({ uri: "file:///project/src/cart.ts", line: 9, character: 10 });
    const { log: repl, text } = begun(places);
    const form = repl.begin("x", undefined, "api");
    repl.end(form, result({ outcome: "error", error: put }));
    expect(text()).toBe("api │ > x\napi │ Error: bad\napi │   at src/cart.ts:10:11\n\n");
  });

  it("does not say twice what stands above already", () => {
    const note = { severity: "error", message: "bad" } as const;
    const changed = { severity: "information", code: "filesChanged", message: "a.txt changed" } as const;
    const changes = [{ uri: "file:///a.txt", kind: "created", canRevert: true }] as const;
    const error = { name: "Error", message: "bad", frames: [] };
    const lines = describe(result({ outcome: "error", error, notes: [note, changed], changes, stateKept: false }), {
      file,
    });
    expect(lines[0]).toBe("Error: bad");
    expect(lines.join("\n")).not.toMatch(/error: bad|a\.txt/);
    expect(lines[1]).toBe("Definitions and values are gone with it.");
  });
});

group("a notebook's file", () => {
  it("is read as it was written", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "\n", "\r", "\\", '"', "\u2028", "\u{1F600}"), maxLength: 20 });
    const cell = fc.record({ kind: fc.constantFrom("form" as const, "text" as const), value: text });
    const notebook = fc.record({ module: text, cells: fc.array(cell, { maxLength: 5 }) }, { requiredKeys: ["cells"] });
    const law = fc.property(notebook, (given) => {
      expect(readNotebook(writeNotebook(given))).toEqual(given);
    });
    fc.assert(law);
  });

  it("is refused where it is something else, and empty where it is new", () => {
    expect(readNotebook("")).toEqual({ cells: [] });
    expect(() => readNotebook("{}")).toThrow("no list of cells");
    expect(() => readNotebook('{"cells":[{"kind":"form"}]}')).toThrow("Cell 1");
  });
});

group("the inside of a value", () => {
  const page: ValuePage = {
    value: "$7",
    path: ["cart"],
    kind: "object",
    type: "Cart",
    preview: "Cart {}",
    facts: [{ name: "prototypes", text: "Cart < Object" }],
    items: [
      { name: "lines", kind: "property", preview: "[…]", type: "Array(2)", step: "lines", opens: true },
      { name: "sum", kind: "getter", preview: "(getter)", type: "getter", step: "sum", opens: false, from: "Cart" },
    ],
    total: 120,
    page: 1,
    pages: 3,
    extras: [],
    complete: true,
  };

  it("opens members, offers getters, and goes on page by page", () => {
    const [fact, lines, sum, more] = rowsOf([page]);
    expect(fact).toMatchObject({ label: "prototypes", description: "Cart < Object" });
    expect(lines).toMatchObject({ label: "lines:", path: ["cart", "lines"] });
    expect(sum).toMatchObject({ getter: ["cart", "sum"], description: "(getter)   (of Cart)" });
    expect(more).toMatchObject({ label: "More…", next: { path: ["cart"], page: 2 } });
    expect(rowsOf([page, { ...page, page: 3 }]).map(({ label }) => label)).toEqual([
      "prototypes",
      "lines:",
      "sum:",
      "lines:",
      "sum:",
    ]);
  });

  it("calls a getter by its path, where an expression can", () => {
    expect(getterCode("$7", ["cart", '"a b"', "sum"])).toBe('$7.cart["a b"].sum');
    expect(getterCode("$7", ["<3>", "sum"])).toBeUndefined();
  });
});

group("tests", () => {
  const outline = [
    "test/cart.test.ts — 21 lines",
    "  5-8: interface Case",
    '  11-21: describe("total of \\"one\\"")',
    '    12-14: it("rounds up (1.5)")',
    '    19: it.skip("converts")',
    '  30-32: test("alone")',
  ].join("\n");

  it("are read from the outline, with suites", () => {
    expect(testsIn(outline)).toMatchObject([
      {
        title: 'total of "one"',
        isSuite: true,
        line: 10,
        lastLine: 20,
        tests: [
          { title: "rounds up (1.5)", line: 11, lastLine: 13 },
          { title: "converts", line: 18, lastLine: 18 },
        ],
      },
      { title: "alone", isSuite: false, tests: [] },
    ]);
    expect(new RegExp(namePattern(["total", "rounds up (1.5)"], false)).test("total rounds up (1.5)")).toBe(true);
    expect(new RegExp(namePattern(["total", "rounds"], false)).test("total rounds up")).toBe(false);
  });

  it("have the verdict of their run, also where their name is made while it runs", () => {
    const uri = "file:///project/test/cart.test.ts";
    const test = (...titles: string[]) => ({ id: titles.join("/"), uri, titles, isSuite: titles.at(-1) === "suite" });
    const listed = [test(), test("suite"), test("suite", "a"), test("suite", "b"), test("suite", "c")];
    const failed = (name: string) => ({ name, uri, message: "bad" });
    const failures = [failed("suite > a"), failed("suite > made 3")];
    const verdict = { state: "done", passed: 1, failed: 2, skipped: 1, failures, files: [uri] } as const;
    const content = "2 failed\n\nskipped:\n  test/cart.test.ts:19:3 suite > c\n";
    const outcomes = outcomesOf(verdict, listed, content);
    expect([...outcomes.failed.keys()]).toEqual(["suite/a"]);
    expect(outcomes).toMatchObject({
      passed: ["suite/b"],
      skipped: ["suite/c"],
      unlisted: [{ name: "suite > made 3" }],
    });
    // Without the names of what was skipped nobody knows which ones passed.
    expect(outcomesOf(verdict, listed).passed).toEqual([]);
    const broken = { ...verdict, failures: [failed("(outside of any test)")] };
    expect(outcomesOf(broken, listed, content)).toMatchObject({ passed: [], unlisted: [] });
  });
});

it("tells the REPL's state, with nothing of the server's words as Markdown", () => {
  const state: ReplStatus = {
    state: "idle",
    confinement: "open",
    level: "open",
    locked: true,
    confinementDetail: "holds [nothing](command:evil)",
    nodeVersion: "v24",
    pid: 4,
  };
  expect(statusWords(state, false)).toMatchObject({ text: "$(terminal) REPL open $(lock)", isBad: false });
  expect(statusWords(state, false).details).toContain(String.raw`\[nothing\]\(command`);
  expect(statusWords({ ...state, state: "dead" }, false, { id: "api" })).toMatchObject({
    text: "$(error) REPL dead open $(lock) → api (not running)",
    isBad: true,
  });
});
